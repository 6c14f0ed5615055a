"""Slips in the induction scores of one attention map."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_induction = partial(Mutant, method="induction_score", function="induction_score")
_sequence = partial(Mutant, method="sequence_induction_score", function="sequence_induction_score")

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
        "induction_second_copy_only",
        slip="only the rows of the second copy are looked at",
        right="range(period, T)",
        wrong="range(period, min(2 * period, T))",
        caught_by=("uniform.induction_score", "heads.induction"),
    ),
    _induction(
        "induction_to_every_copy",
        slip="the weights on the positions after all earlier occurrences are summed",
        right="attention[t, t - period + 1] for",
        wrong="attention[t, t - period + 1 : 0 : -period].sum() for",
        caught_by=("uniform.induction_score", "heads.induction"),
    ),
    _induction(
        "induction_less_uniform",
        slip="what uniform attention scores is subtracted",
        right="sum(weights) / len(weights)",
        wrong="sum(w - 1 / (period + i + 1) for i, w in enumerate(weights)) / len(weights)",
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
        "recurrence_latest_only",
        slip="only the latest earlier occurrence counts",
        right="for k in targets)",
        wrong="for k in targets[-1:])",
        caught_by=("induction.definition", "induction.uniform"),
    ),
    _sequence(
        "recurrence_largest",
        slip="of several earlier occurrences the one with the largest weight counts",
        right="sum(attention[t, k] for k in targets)",
        wrong="max(attention[t, k] for k in targets)",
        caught_by=("induction.definition", "induction.uniform"),
    ),
    _sequence(
        "recurrence_later_too",
        slip="later occurrences count as well, so that rows before the first repetition count as 0",
        right="range(1, t + 1)",
        wrong="range(1, len(tokens))",
        caught_by=("induction.extremes", "induction.uniform"),
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
