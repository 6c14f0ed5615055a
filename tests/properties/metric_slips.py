"""Wrong metrics that the checks must tell apart from right ones: each is a slip that has been made."""

import numpy as np

from reference.attention_metrics import head_profile, induction_score
from reference.composition import composition_score
from reference.multi_head import multi_head_output


def profile_with(name, rows):
    """Return a head_profile whose `name` is the mean of what `rows` gives for each row."""

    def slipped(attention):
        return {**head_profile(attention), name: float(np.mean(rows(attention)))}

    return slipped


def _steps(attention):
    return np.arange(1, len(attention) + 1)


def collision_entropy(A):
    """-log sum p^2 in the place of the entropy: the same on uniform rows and on one-hot rows."""
    return [0.0, *(-np.log((A[1:] ** 2).sum(axis=1)) / np.log(_steps(A)[1:]))]


def entropy_over_the_length(A):
    """Every row divided by log T, not by the log of what it can see."""
    plogp = np.where(A > 0, A * np.log(np.where(A > 0, A, 1.0)), 0.0)
    return -plogp.sum(axis=1) / np.log(max(len(A), 2))


def entropy_with_a_first_row_of_one(A):
    """Row 0 counted as uniform, with an entropy of 1."""
    rows = np.ones(len(A))
    rows[1:] = [head_profile(A[: t + 1, : t + 1])["entropy"] for t in range(1, len(A))]
    return rows


def wrapped_previous(A):
    """Row 0 reads its weight on key -1, which NumPy takes for the last."""
    rows = np.arange(len(A))
    return A[rows, rows - 1]


def distance_over_the_length(A):
    """The mean distance as a part of the length."""
    return (A * np.subtract.outer(_steps(A), _steps(A))).sum(axis=1) / len(A)


def distance_to_the_largest(A):
    """The distance of the key with the largest weight only."""
    return np.arange(len(A)) - A.argmax(axis=1)


PROFILES = {
    "collision entropy": (profile_with("entropy", collision_entropy), "heads.profile"),
    "entropy over log T": (profile_with("entropy", entropy_over_the_length), "uniform.head_profile"),
    "entropy with row 0 as 1": (
        profile_with("entropy", entropy_with_a_first_row_of_one),
        "uniform.head_profile",
    ),
    "diagonal without row 0": (
        profile_with("diagonal", lambda A: np.diag(A)[1:] if len(A) > 1 else np.diag(A)),
        "uniform.head_profile",
    ),
    "previous that wraps around": (profile_with("previous", wrapped_previous), "heads.profile"),
    "previous without row 0": (
        profile_with("previous", lambda A: np.diag(A, -1) if len(A) > 1 else [0.0]),
        "uniform.head_profile",
    ),
    "distance over T": (profile_with("distance", distance_over_the_length), "uniform.head_profile"),
    "distance of the largest weight": (profile_with("distance", distance_to_the_largest), "heads.profile"),
    "relative diagonal by position": (
        profile_with("relative_diagonal", lambda A: np.diag(A) * np.arange(len(A))),
        "heads.relative_diagonal",
    ),
}


def _offset(change):
    def slipped(attention, period):
        rows = np.arange(period, len(attention))
        return float(attention[rows, np.maximum(rows - period + change, 0)].mean())

    return slipped


INDUCTION = {
    # The slip that the source reports of itself: it gives an untrained head a score of .027 as well.
    "the position before the earlier occurrence": (_offset(-1), "heads.induction_extremes"),
    "the earlier occurrence itself": (_offset(0), "heads.induction_extremes"),
    "rows before the first repetition counted as 0": (
        lambda A, period: float(induction_score(A, period)) * (len(A) - period) / len(A),
        "heads.induction_extremes",
    ),
    "the largest weight of all": (
        lambda A, period: float(max(np.diag(A, 1 - period)[1 if period == 1 else 0 :])),
        "heads.induction",
    ),
}

COMPOSITION = {
    "squared": (lambda A, B: float(composition_score(A, B)) ** 2, "composition.formula"),
    "second factor transposed": (lambda A, B: float(composition_score(A, B.T)), "composition.formula"),
    "over the square root of b": (
        lambda A, B: float(composition_score(A, B)) * np.sqrt(A.shape[1]),
        "random.composition",
    ),
    "largest singular values": (
        lambda A, B: (
            float(np.linalg.norm(A @ B, 2) / (np.linalg.norm(A, 2) * np.linalg.norm(B, 2)))
            if A.any() and B.any()
            else 0.0
        ),
        "random.composition",
    ),
}


def _on(targets):
    def slipped(attention, tokens):
        rows = [(t, targets(tokens.tolist(), t)) for t in range(len(tokens))]
        weights = [attention[t, keys].sum() for t, keys in rows if keys]
        return float(np.mean(weights)) if weights else 0.0

    return slipped


SEQUENCE_INDUCTION = {
    "the occurrence itself": (
        _on(lambda x, t: [k for k in range(t) if x[k] == x[t]]),
        "induction.extremes",
    ),
    "what came before it": (
        _on(lambda x, t: [k for k in range(t - 1) if x[k + 1] == x[t]]),
        "induction.extremes",
    ),
    "the previous token matched": (
        _on(lambda x, t: [k for k in range(1, t + 1) if t and x[k - 1] == x[t - 1]]),
        "induction.definition",
    ),
    "only the first occurrence": (
        _on(lambda x, t: [k for k in range(1, t + 1) if x[k - 1] == x[t]][:1]),
        "induction.uniform",
    ),
    "rows without a target counted as 0": (
        lambda A, x: float(
            sum(A[t, k] for t in range(len(x)) for k in range(1, t + 1) if x[k - 1] == x[t]) / len(x)
        ),
        "induction.extremes",
    ),
    "token numbers taken for likeness": (
        _on(lambda x, t: [k for k in range(1, t + 1) if x[k - 1] == x[t] or x[t] == 0]),
        "induction.renamed",
    ),
}


def removed_after_the_projection(weights, stream, ablated):
    """The slip of the source: a slice of the projection's output, which every head wrote to, is zeroed."""
    output = multi_head_output(weights, stream, [])
    k = weights["W_O"].shape[1]
    for head in ablated:
        output[..., head * k : (head + 1) * k] = 0.0
    return output


def scores_zeroed(weights, stream, ablated):
    """The head's scores are zeroed: it attends evenly and still writes."""
    W_Q = weights["W_Q"].copy()
    W_Q[list(ablated)] = 0.0
    return multi_head_output({**weights, "W_Q": W_Q}, stream, [])


def next_head_removed(weights, stream, ablated):
    """Features are taken to be interleaved, so another head's are zeroed."""
    H = len(weights["W_Q"])
    return multi_head_output(weights, stream, [(head + 1) % H for head in ablated])


def scaled_by_the_width(weights, stream, ablated):
    """Scores over sqrt(d), not over the square root of the head's width."""
    d, k = weights["W_Q"].shape[1:]
    return multi_head_output({**weights, "W_Q": weights["W_Q"] * np.sqrt(k / d)}, stream, ablated)


class Accumulating:
    """Removed heads stay removed in later calls, as hooks do that are not taken off."""

    def __init__(self):
        self.removed = set()

    def __call__(self, weights, stream, ablated):
        self.removed |= set(ablated)
        return multi_head_output(
            weights, stream, [head for head in self.removed if head < len(weights["W_Q"])]
        )


def from_later_positions(weights, stream, ablated):
    """The mask upside down: every position sees the later ones."""
    backwards = multi_head_output(weights, stream[:, ::-1].copy(), ablated)
    return backwards[:, ::-1]


ABLATION = {
    "after the projection": (removed_after_the_projection, "ablation.one_head"),
    "scores zeroed": (scores_zeroed, "ablation.no_head"),
    "another head": (next_head_removed, "ablation.forgotten"),
    "over sqrt(d)": (scaled_by_the_width, "ablation.all_heads"),
    "hooks that stay": (Accumulating(), "ablation.one_head"),
    "later positions": (from_later_positions, "ablation.all_heads"),
}


def split_by_row(sequences, share, seed):
    """Every row goes its own way."""
    return np.random.default_rng(seed).random(len(sequences)) < share


def split_by_half(sequences, share, seed):
    """The last rows are for testing, whatever they belong to."""
    return np.arange(len(sequences)) >= (1 - share) * len(sequences)


def split_by_chance(sequences, share, seed):
    """Every sequence goes its own way, perhaps all the same."""
    side = np.random.default_rng(seed).random(sequences.max() + 1) < share
    return side[sequences]


def split_by_appearance(sequences, share, seed):
    """Sequences are taken in the order in which they appear."""
    numbers = list(dict.fromkeys(sequences.tolist()))
    tested = min(max(round(share * len(numbers)), 1), len(numbers) - 1)
    return np.isin(sequences, numbers[:tested])


SPLITS = {
    "by row": (split_by_row, "probe.whole_sequences"),
    "by half": (split_by_half, "probe.whole_sequences"),
    "by chance": (split_by_chance, "probe.shares"),
    "by appearance": (split_by_appearance, "probe.repeatable"),
}
