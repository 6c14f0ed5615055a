"""Slips in what is read off one attention map."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_profile = partial(Mutant, method="head_profile", function="head_profile")
_sequence = partial(Mutant, method="sequence_induction_score", function="sequence_induction_score")
_induction = partial(Mutant, method="induction_score", function="induction_score")

HEAD_PROFILE = (
    _profile(
        "entropy_row_0_counted",
        slip="the entropy of row 0, which has one choice, is counted as 1",
        right="entropy = diagonal = previous = distance = relative = 0.0",
        wrong="entropy, diagonal, previous, distance, relative = 1.0, 0.0, 0.0, 0.0, 0.0",
        caught_by=("uniform.head_profile", "uniform.against_length", "heads.one_hot_maps"),
    ),
    _profile(
        "entropy_not_normalised",
        slip="the entropy is in nats, not a fraction of its largest value",
        right="nats / math.log(t + 1)",
        wrong="nats",
        caught_by=("uniform.head_profile", "uniform.against_length", "random.logits"),
    ),
    _profile(
        "entropy_over_log_T",
        slip="the entropy of row t is divided by log T, not by log t",
        right="math.log(t + 1)",
        wrong="math.log(T)",
        caught_by=("uniform.head_profile", "heads.profile", "heads.ties_profile"),
    ),
    _profile(
        "entropy_in_bits_over_nats",
        slip="the entropy is in bits and its largest value in nats",
        right="math.log(p)",
        wrong="math.log2(p)",
        caught_by=("uniform.head_profile", "heads.profile"),
    ),
    _profile(
        "entropy_without_row_0",
        slip="the entropy is averaged over the rows that have a choice, T - 1",
        right="entropy / T",
        wrong="entropy / max(T - 1, 1)",
        caught_by=("uniform.head_profile", "uniform.against_length"),
    ),
    _profile(
        "entropy_of_order_2",
        slip="the entropy is -log of the sum of squares (Renyi's of order 2)",
        right="-sum(p * math.log(p) for p in row if p > 0)",
        wrong="-math.log(sum(p * p for p in row))",
        caught_by=("heads.profile",),
    ),
    _profile(
        "entropy_of_the_support",
        slip="the entropy is the log of how many weights are not zero",
        right="-sum(p * math.log(p) for p in row if p > 0)",
        wrong="math.log(sum(p > 0 for p in row))",
        caught_by=("heads.profile",),
    ),
    _profile(
        "entropy_negated",
        slip="the entropy is the sum of p log p",
        right="nats = -sum(",
        wrong="nats = sum(",
        kind="negated",
        caught_by=("uniform.head_profile", "heads.profile"),
    ),
    _profile(
        "previous_over_T_minus_1",
        slip="the previous-token weight is averaged over T - 1 rows, not T",
        right="previous / T",
        wrong="previous / max(T - 1, 1)",
        caught_by=("uniform.head_profile", "heads.one_hot_maps"),
    ),
    _profile(
        "previous_two_back",
        slip="the previous token is looked for two places back",
        right="row[t - 1]",
        wrong="row[t - 2] * (t > 1)",
        caught_by=("heads.one_hot_maps", "heads.profile", "heads.perfect_induction_profile"),
    ),
    _profile(
        "previous_is_the_diagonal",
        slip="the previous token's weight is that on the token itself",
        right="row[t - 1]",
        wrong="row[t]",
        caught_by=("heads.one_hot_maps", "heads.profile"),
    ),
    _profile(
        "previous_wraps_round",
        slip="row 0 reads its previous weight at key -1, which is its last",
        right="diagonal += row[t]",
        wrong="diagonal += row[t]\n        previous += row[-1] * (t == 0)",
        caught_by=("uniform.head_profile", "heads.profile"),
    ),
    _profile(
        "relative_diagonal_by_position",
        slip="the diagonal is weighted by t counted from 0, so that row 0 is lost",
        right="row[t] * (t + 1)",
        wrong="row[t] * t",
        caught_by=("heads.relative_diagonal",),
    ),
    _profile(
        "diagonal_without_row_0",
        slip="row 0, which can only attend to itself, is left out of the diagonal",
        right="diagonal += row[t]",
        wrong="diagonal += row[t] * (t > 0)",
        caught_by=("uniform.head_profile", "heads.one_hot_maps"),
    ),
    _profile(
        "diagonal_of_the_largest",
        slip="the diagonal is the largest weight of a row",
        right="diagonal += row[t]",
        wrong="diagonal += max(row)",
        caught_by=("heads.one_hot_maps", "heads.profile"),
    ),
    _profile(
        "distance_from_the_start",
        slip="the distance is that of the key from the start, not from the query",
        right="p * (t - k)",
        wrong="p * k",
        caught_by=("heads.one_hot_maps", "heads.profile"),
    ),
    _profile(
        "distance_squared",
        slip="the mean is of the squared distance",
        right="p * (t - k)",
        wrong="p * (t - k) ** 2",
        caught_by=("uniform.head_profile", "heads.profile"),
    ),
    _profile(
        "distance_of_the_peak",
        slip="the distance is that of a row's largest weight",
        right="sum(p * (t - k) for k, p in enumerate(row))",
        wrong="t - int(np.argmax(row))",
        caught_by=("uniform.head_profile", "heads.profile", "heads.mixture"),
    ),
    _profile(
        "distance_off_by_one",
        slip="a token is at distance 1 from itself",
        right="(t - k)",
        wrong="(t - k + 1)",
        caught_by=("uniform.head_profile", "heads.one_hot_maps"),
    ),
    _profile(
        "distance_as_a_fraction",
        slip="the distance is a fraction of T, not in tokens",
        right="distance / T",
        wrong="distance / T**2",
        caught_by=("uniform.head_profile", "heads.one_hot_maps"),
    ),
)

INDUCTION_SCORE = (
    _induction(
        "induction_period_off_by_one",
        slip="the weight is that on the earlier occurrence itself, not on the position after it",
        right="t - period + 1",
        wrong="t - period",
        caught_by=("heads.induction_extremes", "heads.induction", "heads.previous_token_induction"),
    ),
    _induction(
        "induction_before_the_occurrence",
        slip="the weight is that on the position before the earlier occurrence",
        right="t - period + 1",
        wrong="max(t - period - 1, 0)",
        caught_by=("heads.induction_extremes", "heads.induction"),
    ),
    _induction(
        "induction_from_the_first_copy",
        slip="the rows begin at period - 1, which has no earlier occurrence",
        right="range(period, T)",
        wrong="range(period - 1, T)",
        caught_by=("uniform.induction_score", "heads.induction"),
    ),
    _induction(
        "induction_over_all_rows",
        slip="the sum is divided by T, not by the number of rows that have an earlier occurrence",
        right="/ len(weights)",
        wrong="/ T",
        caught_by=("uniform.induction_score", "heads.induction_extremes"),
    ),
    _induction(
        "induction_last_copy_only",
        slip="only the rows of the last copy are looked at",
        right="range(period, T)",
        wrong="range(max(period, T - period), T)",
        caught_by=("uniform.induction_score", "heads.induction"),
    ),
    _induction(
        "induction_whole_copies_only",
        slip="the rows of a copy that breaks off are left out",
        right="range(period, T)",
        wrong="range(period, max(T // period * period, period + 1))",
        caught_by=("heads.induction",),
    ),
    _induction(
        "induction_transposed",
        slip="the map is read as [key, query]",
        right="attention[t, t - period + 1]",
        wrong="attention[t - period + 1, t]",
        caught_by=("uniform.induction_score", "heads.induction_extremes"),
    ),
    _induction(
        "induction_largest",
        slip="the largest weight is taken, not the mean",
        right="sum(weights) / len(weights)",
        wrong="max(weights)",
        caught_by=("uniform.induction_score", "heads.induction"),
    ),
    _induction(
        "induction_hits",
        slip="rows are counted in which that weight is the largest, its size is not averaged",
        right="attention[t, t - period + 1] for",
        wrong="attention[t, t - period + 1] >= attention[t].max() for",
        caught_by=("uniform.induction_score", "heads.induction"),
    ),
)

SEQUENCE_INDUCTION_SCORE = (
    _sequence(
        "recurrence_itself",
        slip="the weight is that on the earlier occurrences themselves, not on what followed them",
        right="k for k in range(1, t + 1) if tokens[k - 1] == tokens[t]",
        wrong="k for k in range(t) if tokens[k] == tokens[t]",
        caught_by=("induction.extremes", "induction.definition"),
    ),
    _sequence(
        "recurrence_what_came_before",
        slip="the weight is that on what came before the earlier occurrences",
        right="k for k in range(1, t + 1) if tokens[k - 1] == tokens[t]",
        wrong="k for k in range(t - 1) if tokens[k + 1] == tokens[t]",
        caught_by=("induction.extremes", "induction.definition"),
    ),
    _sequence(
        "recurrence_of_its_own_too",
        slip="the weight is that on the same token, the current one included, not on what followed it",
        right="tokens[k - 1] == tokens[t]",
        wrong="tokens[k] == tokens[t]",
        caught_by=("induction.uniform", "induction.definition"),
    ),
    _sequence(
        "recurrence_over_targets",
        slip="the sum is divided by the number of targets, not of rows that have one",
        right="sum(weights) / len(weights)",
        wrong="sum(weights) / sum(tokens[j] == tokens[t] for t in range(len(tokens)) for j in range(t))",
        caught_by=("induction.uniform", "induction.definition"),
    ),
    _sequence(
        "recurrence_of_the_previous_token",
        slip="the previous token is looked for, not the current one",
        right="tokens[k - 1] == tokens[t]",
        wrong="t > 0 and tokens[k - 1] == tokens[t - 1]",
        caught_by=("induction.definition",),
    ),
    _sequence(
        "recurrence_not_right_after",
        slip="an occurrence right before the current token is left out",
        right="range(1, t + 1)",
        wrong="range(1, t)",
        caught_by=("induction.definition", "induction.uniform"),
    ),
    _sequence(
        "recurrence_first_only",
        slip="only the first earlier occurrence counts",
        right="for k in targets)",
        wrong="for k in targets[:1])",
        caught_by=("induction.uniform", "induction.definition"),
    ),
    _sequence(
        "recurrence_averaged",
        slip="the weights on several earlier occurrences are averaged, not summed",
        right="sum(attention[t, k] for k in targets)",
        wrong="sum(attention[t, k] for k in targets) / len(targets)",
        caught_by=("induction.uniform", "induction.definition"),
    ),
    _sequence(
        "recurrence_rows_without_one_counted",
        slip="rows whose token is new count as 0",
        right="if targets:",
        wrong="if True:",
        caught_by=("induction.extremes", "induction.uniform"),
    ),
    _sequence(
        "recurrence_word_0_left_out",
        slip="word 0 is taken for padding and left out",
        right="if targets:",
        wrong="if targets and tokens[t] > 0:",
        caught_by=("induction.renamed",),
    ),
)
