"""Slips in what is read off one attention map."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_profile = partial(Mutant, method="head_profile", function="head_profile")
_induction = partial(Mutant, method="induction_score", function="induction_score")

HEAD_PROFILE = (
    _profile(
        "entropy_row_0_counted",
        slip="the entropy of row 0, which has one choice, is counted as 1",
        right="entropy = diagonal = previous = distance = 0.0",
        wrong="entropy, diagonal, previous, distance = 1.0, 0.0, 0.0, 0.0",
        caught_by=("uniform.head_profile", "uniform.against_length", "heads.one_hot_maps"),
    ),
    _profile(
        "entropy_not_normalised",
        slip="the entropy is in nats, not a fraction of its largest value",
        right="nats / math.log(t + 1)",
        wrong="nats",
        caught_by=("uniform.head_profile", "uniform.against_length"),
    ),
    _profile(
        "entropy_over_log_T",
        slip="the entropy of row t is divided by log T, not by log t",
        right="math.log(t + 1)",
        wrong="math.log(T)",
        caught_by=("uniform.head_profile", "heads.general_maps"),
    ),
    _profile(
        "entropy_in_bits_over_nats",
        slip="the entropy is in bits and its largest value in nats",
        right="math.log(p)",
        wrong="math.log2(p)",
        caught_by=("uniform.head_profile", "heads.general_maps"),
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
        caught_by=("heads.general_maps",),
    ),
    _profile(
        "entropy_of_the_support",
        slip="the entropy is the log of how many weights are not zero",
        right="-sum(p * math.log(p) for p in row if p > 0)",
        wrong="math.log(sum(p > 0 for p in row))",
        caught_by=("heads.general_maps",),
    ),
    _profile(
        "entropy_negated",
        slip="the entropy is the sum of p log p",
        right="nats = -sum(",
        wrong="nats = sum(",
        kind="negated",
        caught_by=("uniform.head_profile", "heads.general_maps"),
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
        wrong="row[t - 2]",
        caught_by=("heads.one_hot_maps", "heads.general_maps"),
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
        caught_by=("heads.one_hot_maps", "heads.general_maps"),
    ),
    _profile(
        "distance_squared",
        slip="the mean is of the squared distance",
        right="p * (t - k)",
        wrong="p * (t - k) ** 2",
        caught_by=("uniform.head_profile", "heads.general_maps"),
    ),
    _profile(
        "distance_of_the_peak",
        slip="the distance is that of a row's largest weight",
        right="sum(p * (t - k) for k, p in enumerate(row))",
        wrong="t - int(np.argmax(row))",
        caught_by=("uniform.head_profile", "heads.general_maps"),
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
        caught_by=("heads.induction_extremes", "heads.induction_counted"),
    ),
    _induction(
        "induction_from_the_first_copy",
        slip="the rows begin at period - 1, which has no earlier occurrence",
        right="range(period, T)",
        wrong="range(period - 1, T)",
        caught_by=("uniform.induction_score", "heads.induction_counted"),
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
        caught_by=("uniform.induction_score", "heads.induction_counted"),
    ),
    _induction(
        "induction_whole_copies_only",
        slip="the rows of a copy that breaks off are left out",
        right="range(period, T)",
        wrong="range(period, max(T // period * period, period + 1))",
        caught_by=("heads.induction_counted",),
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
        caught_by=("uniform.induction_score", "heads.induction_counted"),
    ),
    _induction(
        "induction_hits",
        slip="rows are counted in which that weight is the largest, its size is not averaged",
        right="attention[t, t - period + 1] for",
        wrong="attention[t, t - period + 1] >= attention[t].max() for",
        caught_by=("uniform.induction_score", "heads.induction_counted"),
    ),
)
