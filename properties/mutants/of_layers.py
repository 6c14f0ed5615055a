"""Slips in the output of a layer with heads removed, and in the split for a probe."""

from __future__ import annotations

from functools import partial

from properties.laws.given import IN_PLACE
from properties.mutants.mutant import Mutant

_output = partial(Mutant, method="multi_head_output", function="multi_head_output")
_split = partial(Mutant, method="probe_split", function="probe_split")

MULTI_HEAD_OUTPUT = (
    _output(
        "heads_removed_after_the_projection",
        slip="a slice of the output, which every head wrote to, is zeroed for a removed head",
        right="if head in ablated:\n                gathered = np.zeros_like(gathered)",
        wrong="W_O = W_O * ~np.isin(np.arange(W_O.shape[1]) // W_O.shape[0], list(ablated))",
        caught_by=("ablation.one_head", "ablation.forgotten"),
    ),
    _output(
        "heads_removed_by_their_scores",
        slip="the scores of a removed head are zeroed, so that it attends evenly and still writes",
        right="np.zeros_like(gathered)",
        wrong="visible / visible.sum(axis=1, keepdims=True) @ value",
        caught_by=("ablation.one_head", "ablation.no_head", "ablation.forgotten"),
    ),
    _output(
        "heads_removed_by_their_attention",
        slip="a removed head is left its values: every position adds its own",
        right="np.zeros_like(gathered)",
        wrong="value",
        caught_by=("ablation.one_head", "ablation.no_head", "ablation.forgotten"),
    ),
    _output(
        "heads_removed_by_their_mean",
        slip="a removed head is replaced by its mean over the positions, not by zero",
        right="np.zeros_like(gathered)",
        wrong="gathered.mean(axis=0)",
        caught_by=("ablation.one_head", "ablation.no_head", "ablation.forgotten"),
    ),
    _output(
        "heads_interleaved",
        slip="the next head is removed",
        right="head in ablated",
        wrong="(head - 1) % len(weights['W_Q']) in ablated",
        caught_by=("ablation.one_head", "ablation.forgotten"),
    ),
    _output(
        "heads_removed_from_one_to_the_other",
        slip="of two heads to remove, those between them are removed too",
        right="head in ablated",
        wrong="ablated and min(ablated) <= head <= max(ablated)",
        caught_by=("ablation.two_heads",),
    ),
    _output(
        "heads_removed_one_at_a_time",
        slip="of several heads to remove, only the last named is removed",
        right="head in ablated",
        wrong="head in ablated[-1:]",
        caught_by=("ablation.two_heads", "ablation.no_head"),
    ),
    _output(
        "heads_removed_from_the_weights",
        slip="a head is removed in the weights that were given, which lack it from then on",
        kind=IN_PLACE,
        right="gathered = np.zeros_like(gathered)",
        wrong="W_O[:] = 0.0",
        caught_by=("ablation.given",),
    ),
    _output(
        "heads_are_sequences",
        slip="the sequences with the numbers of the removed heads are zeroed, in every head",
        right="head in ablated",
        wrong="n in ablated",
        caught_by=("ablation.one_head", "ablation.forgotten"),
    ),
    _output(
        "heads_made_up_for",
        slip="the heads that are left are scaled up for those removed, as dropout does",
        right="output[n] += gathered @ W_O",
        wrong="H = len(weights['W_Q'])\n            "
        "output[n] += gathered @ W_O * H / max(H - len(set(ablated)), 1)",
        caught_by=("ablation.one_head", "ablation.two_heads"),
    ),
    _output(
        "heads_never_removed",
        slip="no head is removed, whichever is named",
        right="if head in ablated:",
        wrong="if False:",
        caught_by=("ablation.one_head", "ablation.no_head", "ablation.forgotten"),
    ),
    _output(
        "heads_stay_removed",
        slip="a removed head stays removed in later calls, as by a hook that is not taken off",
        right="if head in ablated:",
        wrong="hooks = multi_head_output.__dict__.setdefault('hooks', set())\n"
        "            hooks.update(ablated)\n"
        "            if head in hooks:",
        kind="not repeatable",
        caught_by=("ablation.one_head",),
    ),
    _output(
        "heads_scaled_by_the_stream",
        slip="the scores are divided by the root of the stream's width, not of the head's",
        right="W_Q.shape[1]",
        wrong="W_Q.shape[0]",
        caught_by=("ablation.all_heads", "ablation.one_head"),
    ),
    _output(
        "heads_not_scaled",
        slip="the scores are not divided by the root of the head's width",
        right=" / math.sqrt(W_Q.shape[1])",
        wrong="",
        caught_by=("ablation.all_heads",),
    ),
    _output(
        "heads_without_the_mask",
        slip="there is no causal mask",
        right="np.where(visible, scores, -np.inf)",
        wrong="scores",
        kind="no causal mask",
        caught_by=("ablation.all_heads", "ablation.one_head"),
    ),
    _output(
        "heads_see_the_future_alone",
        slip="the mask is upside down: a position sees the later ones",
        right="np.tril",
        wrong="np.triu",
        caught_by=("ablation.all_heads",),
    ),
    _output(
        "heads_query_and_key_swapped",
        slip="keys ask and queries answer",
        right="query @ key.T",
        wrong="key @ query.T",
        caught_by=("ablation.all_heads",),
    ),
    _output(
        "heads_share_query_and_key",
        slip="the keys are read with W_Q too",
        right="h @ W_Q, h @ W_K",
        wrong="h @ W_Q, h @ W_Q",
        caught_by=("ablation.all_heads", "ablation.basis_free"),
    ),
    _output(
        "heads_averaged",
        slip="the heads are averaged, not summed",
        right="output[n] += gathered @ W_O",
        wrong="output[n] += gathered @ W_O / len(weights['W_Q'])",
        caught_by=("ablation.all_heads", "ablation.one_head"),
    ),
    _output(
        "heads_with_the_residual",
        slip="the stream itself is added, which is the layer's and no head's",
        right="np.zeros_like(stream)",
        wrong="stream.copy()",
        caught_by=("ablation.all_heads", "ablation.no_head"),
    ),
    _output(
        "heads_float32",
        slip="the output is added up in float32",
        right="np.zeros_like(stream)",
        wrong="np.zeros_like(stream, dtype=np.float32)",
        kind="float32",
        caught_by=("ablation.all_heads", "ablation.one_head"),
    ),
)

PROBE_SPLIT = (
    _split(
        "split_by_row",
        slip="every row goes its own way",
        right="float(number in testing) for number in sequences.tolist()",
        wrong="float(np.random.default_rng(seed + i).random() < share) for i in range(len(sequences))",
        caught_by=("probe.whole_sequences",),
    ),
    _split(
        "split_by_place",
        slip="the last rows are for testing, whatever they belong to",
        right="float(number in testing) for number in sequences.tolist()",
        wrong="float(i >= (1 - share) * len(sequences)) for i in range(len(sequences))",
        caught_by=("probe.whole_sequences", "probe.repeatable", "probe.seeded"),
    ),
    _split(
        "split_without_its_seed",
        slip="the seed is ignored: every seed makes the same split",
        right="default_rng(seed)",
        wrong="default_rng(0)",
        caught_by=("probe.seeded",),
    ),
    _split(
        "split_in_the_order_of_numbers",
        slip="the sequences with the lowest numbers are for testing, and no choice is made",
        right="numbers[i] for i in order[:tested]",
        wrong="number for number in numbers[:tested]",
        caught_by=("probe.seeded",),
    ),
    _split(
        "split_by_places_for_numbers",
        slip="the places of the sequences are taken for their numbers",
        right="numbers[i] for i in order[:tested]",
        wrong="int(i) for i in order[:tested]",
        caught_by=("probe.shares",),
    ),
    _split(
        "split_by_chance",
        slip="every sequence goes its own way, perhaps all the same",
        right="numbers[i] for i in order[:tested]",
        wrong="number for number in numbers if np.random.default_rng(seed + number).random() < share",
        caught_by=("probe.shares",),
    ),
    _split(
        "split_by_drawn_rows",
        slip="the share is that of rows drawn, and every sequence that one of them is of is for testing",
        right="numbers[i] for i in order[:tested]",
        wrong="sequences[i] for i in np.random.default_rng(seed).permutation(len(sequences))"
        "[: max(round(share * len(sequences)), 1)]",
        caught_by=("probe.shares",),
    ),
    _split(
        "split_with_replacement",
        slip="sequences are drawn with replacement, so that fewer are for testing",
        right="permutation(len(numbers))",
        wrong="integers(len(numbers), size=len(numbers))",
        caught_by=("probe.shares",),
    ),
    _split(
        "split_by_appearance",
        slip="sequences are taken in the order in which they appear",
        right="sorted(set(sequences.tolist()))",
        wrong="list(dict.fromkeys(sequences.tolist()))",
        caught_by=("probe.repeatable",),
    ),
    _split(
        "split_without_a_test",
        slip="the share is rounded down, to no sequence at all where there are few",
        right="min(max(round(share * len(numbers)), 1), len(numbers) - 1)",
        wrong="int(share * len(numbers))",
        caught_by=("probe.shares",),
    ),
    _split(
        "split_sides_exchanged",
        slip="the share is that of the training side",
        right="float(number in testing)",
        wrong="float(number not in testing)",
        caught_by=("probe.shares",),
    ),
)
