"""Slips in which positions the statistics sum over, and which words a prefix holds and weighs how."""

from __future__ import annotations

from functools import partial

from properties.mutants.mutant import Mutant

_bigram = partial(Mutant, method="statistics", function="bigram")
_shares = partial(Mutant, method="statistics", function="shares")
_evidence = partial(Mutant, method="statistics", function="evidence")
_whole = partial(Mutant, method="statistics", function="statistics")
_EVERY = "for t in range(len(sequence) - 1)"
_LAST = "the last position of each sequence is left out of the sum"
_FIRST = "the first position of each sequence is left out of the sum"
_AHEAD = "position t reads word t + 1 too, where that is no last target"
_BY_KEY = "the weights of a prefix are 1/(T - k), even over queries, not 1/t, even over keys"
_OF_T = "a word of a prefix has the share 1/T, not 1/t"
_SWAPPED = "a pair is counted as (next, current)"
_SHORT = "a prefix of t words is divided by t - 1"
_READ = "sequence[: t + 1]"
_PULL = "pull = pull - pull.mean()\n            pull = pull / len(prefix)"

POSITIONS = (
    _bigram(
        "B_bar_without_the_last_position",
        slip=_LAST,
        right=_EVERY,
        wrong="for t in range(len(sequence) - 2)",
        caught_by=("statistics.B_bar",),
    ),
    _shares(
        "Phi_bar_without_the_last_position",
        slip=_LAST,
        right=_EVERY,
        wrong="for t in range(len(sequence) - 2)",
        caught_by=("statistics.Phi_bar",),
    ),
    _evidence(
        "Q_bar_without_the_last_position",
        slip=_LAST,
        right=_EVERY,
        wrong="for t in range(len(sequence) - 2)",
        caught_by=("statistics.Q_bar",),
    ),
    _bigram(
        "B_bar_without_the_first_position",
        slip=_FIRST,
        right=_EVERY,
        wrong="for t in range(1, len(sequence) - 1)",
        caught_by=("statistics.B_bar",),
    ),
    _shares(
        "Phi_bar_without_the_first_position",
        slip=_FIRST,
        right=_EVERY,
        wrong="for t in range(1, len(sequence) - 1)",
        caught_by=("statistics.Phi_bar",),
    ),
    _shares(
        "Phi_bar_inputs_and_targets_swapped",
        slip=_SWAPPED,
        right="sequence[: t + 1], sequence[t + 1]",
        wrong="sequence[1 : t + 2], sequence[t]",
        caught_by=("statistics.Phi_bar",),
    ),
    _evidence(
        "Q_bar_inputs_and_targets_swapped",
        slip=_SWAPPED,
        right="sequence[t], sequence[: t + 1], sequence[t + 1]",
        wrong="sequence[t + 1], sequence[1 : t + 2], sequence[t]",
        caught_by=("statistics.Q_bar",),
    ),
    _shares(
        "Phi_bar_one_word_ahead",
        slip=_AHEAD,
        right=_READ,
        wrong="sequence[:-1][: t + 2]",
        caught_by=("statistics.Phi_bar",),
    ),
    _evidence(
        "Q_bar_one_word_ahead",
        slip=_AHEAD,
        right=_READ,
        wrong="sequence[:-1][: t + 2]",
        caught_by=("statistics.Q_bar",),
    ),
    _shares(
        "Phi_bar_even_over_queries",
        slip=_BY_KEY,
        right="for word in prefix:\n                share[target, word] += 1 / len(prefix)",
        wrong="for k, word in enumerate(prefix):\n"
        "                share[target, word] += 1 / (len(sequence) - 1 - k)",
        caught_by=("statistics.Phi_bar",),
    ),
    _evidence(
        "Q_bar_even_over_queries",
        slip=_BY_KEY,
        right=_PULL,
        wrong="weight = 1 / (len(sequence) - 1 - np.arange(t + 1))\n"
        "            pull = weight * (pull - weight @ pull)",
        caught_by=("statistics.Q_bar",),
    ),
    _evidence(
        "Q_bar_share_of_T",
        slip=_OF_T,
        right="pull / len(prefix)",
        wrong="pull / (len(sequence) - 1)",
        caught_by=("statistics.Q_bar",),
    ),
    _shares(
        "Phi_bar_prefix_length_short_by_one",
        slip=_SHORT,
        right="1 / len(prefix)",
        wrong="1 / max(t, 1)",
        caught_by=("statistics.Phi_bar",),
    ),
    _evidence(
        "Q_bar_centred_by_a_short_length",
        slip=_SHORT,
        right="pull.mean()",
        wrong="pull.sum() / max(t, 1)",
        caught_by=("statistics.Q_bar",),
    ),
    _shares(
        "Phi_bar_first_word_left_out",
        slip="the first word of a sequence is left out of every prefix, but not of its length",
        right="for word in prefix:",
        wrong="for word in prefix[1:]:",
        caught_by=("statistics.Phi_bar",),
    ),
    _evidence(
        "Q_bar_centred_over_the_sequence",
        slip="the pull is centred by its mean over the whole sequence, not over the prefix",
        right="pull.mean()",
        wrong="(residual @ G_bar[:, sequence[:-1]]).mean()",
        caught_by=("statistics.Q_bar",),
    ),
    _evidence(
        "Q_bar_queries_are_targets",
        slip="the query is word t + 1, not word t",
        right="Q_bar[query, key]",
        wrong="Q_bar[target, key]",
        caught_by=("statistics.Q_bar",),
    ),
    _evidence(
        "Q_bar_keys_one_ahead",
        slip="the key is the word after the one that is read",
        right="Q_bar[query, key]",
        wrong="Q_bar[query, sequence[k + 1]]",
        caught_by=("statistics.Q_bar",),
    ),
    _evidence(
        "Delta_bar_from_distance_1",
        slip="Delta_bar begins with distance 1, not with the position itself",
        right="Delta_bar[distance] += pull[k]",
        wrong="Delta_bar[max(distance - 1, 0)] += pull[k] * (distance > 0)",
        caught_by=("statistics.Delta_bar",),
    ),
    _whole(
        "B_bar_symmetrised",
        slip="B_bar is the mean of itself and its transpose, as of pairs without an order",
        right="B_bar = bigram(tokens, vocab_size)",
        wrong="B_bar = bigram(tokens, vocab_size)\n    B_bar = (B_bar + B_bar.T) / 2",
        caught_by=("statistics.B_bar",),
    ),
    _whole(
        "G_bar_of_B_bar",
        slip="G_bar is composed of B_bar and Phi_bar, not of Sigma_B and Phi_bar",
        right="Sigma_B @ Phi_bar",
        wrong="B_bar @ Phi_bar",
        caught_by=("statistics.G_bar",),
    ),
)
