"""Slips in the profile of one attention map."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_profile = partial(Mutant, method="head_profile", function="head_profile")

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
        "entropy_over_the_next_log",
        slip="the entropy of row t, counted from 0, is divided by log(t + 2), not by log(t + 1)",
        right="math.log(t + 1)",
        wrong="math.log(t + 2)",
        caught_by=("uniform.head_profile", "heads.profile"),
    ),
    _profile(
        "entropy_over_the_support",
        slip="the entropy is divided by the log of how many weights are not zero",
        right="math.log(t + 1)",
        wrong="math.log(max(sum(p > 0 for p in row), 2))",
        caught_by=("heads.ties_profile", "heads.profile"),
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
        "distance_over_its_largest",
        slip="the distance of row t is a fraction of t",
        right="p * (t - k)",
        wrong="p * (t - k) / max(t, 1)",
        caught_by=("uniform.head_profile", "heads.profile"),
    ),
    _profile(
        "distance_of_the_others",
        slip="the distance is the mean over the other tokens, without the weight on the token itself",
        right="sum(p * (t - k) for k, p in enumerate(row))",
        wrong="sum(p * (t - k) for k, p in enumerate(row)) / (sum(row[:t]) or 1)",
        caught_by=("uniform.head_profile", "heads.profile"),
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
