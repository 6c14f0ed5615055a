"""Are trained heads different from untrained ones, and what do they look like by position?"""

from __future__ import annotations

import numpy as np

from gpu.small_gpt.export import layer_heads
from gpu.small_gpt.heads import attention_maps, profiles, residual_streams
from gpu.small_gpt.model import NORM_FLOOR, SmallGPT
from paper_checks.experiments.models import text, text_models, unseen_windows, untrained_models
from paper_checks.experiments.result import Observation, Outcome, Quantity
from paper_checks.experiments.setting import Setting
from properties.evidence_ladder import Step
from reference.attention_rows import row_profile
from reference.effective_rank import energy_rank, participation_ratio
from reference.encoded_text import random_windows
from reference.random_heads import entropy_on_streams, expected_profile, initial_logit_variance
from reference.resampling import benjamini_hochberg, holm, over_models, over_sequences, two_sided_p
from theory.random_rank import participation_ratio as untrained_ratio

# A mean of untrained heads is held to its closed form within so many of its standard errors.
STANDARD_ERRORS = 4
FALSE_FINDINGS = 0.05
LINEAR = ("diagonal", "previous", "distance")
# Windows whose streams an untrained head's entropy is predicted from: a stream is d numbers a position.
STREAMS = 8


def structure(setting: Setting) -> Outcome:
    """Compare the spread of profiles over heads with untrained models, and these with closed forms."""
    windows = unseen_windows(setting)
    trained, untrained = text_models(setting), untrained_models(setting)
    ours, theirs = profiles(trained, windows[:, :-1]), profiles(untrained, windows[:, :-1])
    spread, chance = (one["entropy"].mean(axis=3).std(axis=(1, 2)) for one in (ours, theirs))  # over heads
    seen = windows.shape[1] - 1
    expected = expected_profile(seen, initial_logit_variance(setting.scale.width, setting.scale.deviation))
    deviations = {name: _standard_errors(theirs[name].mean(axis=3), expected[name].mean) for name in LINEAR}
    deviations["entropy"], predicted = _entropy_off(setting, untrained, theirs["entropy"], windows)
    on_uniform = all(abs(value) <= STANDARD_ERRORS for value in deviations.values())
    more = spread > chance.max()
    apart, met = bool(more.all()), bool(more.all()) and on_uniform
    differ = _heads_differ(ours["entropy"])
    ranges = [np.ptp(one["entropy"].mean(axis=3), axis=(1, 2)).mean() for one in (ours, theirs)]
    return Outcome(
        experiment="heads.structure",
        question="Does training make heads differ from each other and from chance?",
        criterion=(
            "In every trained model the entropies of the heads vary more than in every untrained one, and "
            "the untrained heads' mean diagonal, previous and distance are those of uniform attention, their "
            f"entropy what their streams predict, within {STANDARD_ERRORS} standard errors."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not as asked'}: heads vary more than in every untrained model in "
            f"{int(more.sum())} of {len(more)}; entropies range over {ranges[0]:.3g} in trained models and "
            f"{ranges[1]:.1g} in untrained ones, whose means are "
            f"{max(abs(value) for value in deviations.values()):.1f} standard errors from what is derived at "
            "most."
        ),
        quantities=(
            Quantity("standard deviation of entropy over heads, trained", float(spread.mean())),
            Quantity("standard deviation of entropy over heads, untrained", float(chance.mean())),
            Quantity(
                "ratio of the variances of entropy over heads", float((spread.mean() / chance.mean()) ** 2)
            ),
            Quantity("mean entropy of untrained heads", float(theirs["entropy"].mean())),
            Quantity("their entropy as predicted from the variance of the logits", expected["entropy"].mean),
            Quantity("their entropy as predicted from the streams that they read", predicted),
            *(
                Quantity(f"standard errors from what is derived: {name}", value)
                for name, value in deviations.items()
            ),
            Quantity(
                "largest change of a head's entropy from text seen in training to unseen",
                _seen_less_unseen(setting, trained),
            ),
        ),
        tables={"heads": _table(trained, ours), "circuits": _circuits(setting, trained, untrained)},
        observations=(
            Observation("heads specialise", Step.one_input, any(differ)),
            Observation("heads specialise", Step.many_inputs, all(differ)),
            Observation("heads specialise", Step.absent_in_random, apart),
        ),
        claims=("entropy-range-ratio", "diagonal-range-ratio", "random-diagonal-baseline", "profile-table"),
    )


def by_class(setting: Setting) -> Outcome:
    """Compare how far heads look where a mark comes next with where it does not, at the same positions."""
    windows = unseen_windows(setting)
    next_is_mark = text(setting).is_mark[windows[:, 1:]]
    maps = attention_maps(text_models(setting), windows[:, :-1])
    distance = row_profile(maps)["distance"]  # [M, L, H, N, T]
    matched = _matched_difference(distance, next_is_mark)  # [N', M, L, H]
    plain = distance[..., next_is_mark].mean(axis=-1) - distance[..., ~next_is_mark].mean(axis=-1)
    found = over_sequences(matched, setting.seed)
    p = two_sided_p(matched)
    adjusted = np.array([benjamini_hochberg(one.ravel()).reshape(one.shape) for one in p])
    significant = adjusted < FALSE_FINDINGS
    met = bool(significant.any(axis=(1, 2)).all())
    rows = [
        {
            "model": m,
            "layer": layer,
            "head": head,
            "difference": float(found.value[m, layer, head]),
            "low": float(found.low[m, layer, head]),
            "high": float(found.high[m, layer, head]),
            "adjusted p": float(adjusted[m, layer, head]),
            "not matched by position": float(plain[m, layer, head]),
        }
        for m, layer, head in np.ndindex(*found.value.shape)
    ]
    return Outcome(
        experiment="heads.by_class",
        question="Do heads look elsewhere where a mark comes next, at the same position?",
        criterion=(
            "In every model at least one head's mean distance differs between positions before a mark and "
            f"the same positions elsewhere, at a false-discovery rate of {FALSE_FINDINGS:g} over its heads."
        ),
        met=met,
        verdict=(
            f"{'Yes' if met else 'Not in every model'}: {int(significant.sum())} of {significant.size} heads "
            f"differ; matching by position moves the differences by "
            f"{np.abs(found.value - plain).mean():.2f} tokens on average."
        ),
        tables={"distance before a mark less elsewhere": rows},
        claims=("rhyme-differences", "rhyme-layer-boundary"),
    )


def _heads_differ(entropy: np.ndarray) -> list[bool]:
    """Return for each model of [M, L, H, N] whether heads differ from the mean of its heads, over windows."""
    off = entropy - entropy.mean(axis=(1, 2), keepdims=True)
    return [bool(holm(p.ravel()).min() < FALSE_FINDINGS) for p in two_sided_p(np.moveaxis(off, 3, 0))]


def _standard_errors(values: np.ndarray, expected: float) -> float:
    """By how many standard errors the mean over untrained models [R, L, H] is off; models are independent."""
    of_models = values.mean(axis=(1, 2))
    return float((of_models.mean() - expected) / (of_models.std(ddof=1) / np.sqrt(len(of_models))))


def _entropy_off(
    setting: Setting, untrained: SmallGPT, entropy: np.ndarray, windows: np.ndarray
) -> tuple[float, float]:
    """Return by how many standard errors the entropies [R, L, H, N] are off their prediction, and that."""
    streams = residual_streams(untrained, windows[:STREAMS, :-1])[:-1]  # [L, R, N, T, d]
    centred = streams - streams.mean(axis=-1, keepdims=True)
    read = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + NORM_FLOOR)
    variance = initial_logit_variance(setting.scale.width, setting.scale.deviation)
    expected = np.swapaxes(entropy_on_streams(read, variance), 0, 1)[:, :, None]  # [R, L, 1, N]
    off = (entropy[..., :STREAMS] - expected).mean(axis=3)
    return _standard_errors(off, 0.0), float(np.mean(expected))


def _seen_less_unseen(setting: Setting, trained: SmallGPT) -> float:
    rng = np.random.default_rng(setting.seed)
    seen = random_windows(rng, text(setting).train, setting.scale.windows, setting.scale.context)
    unseen = unseen_windows(setting)
    entropies = [profiles(trained, one[:, :-1])["entropy"].mean(axis=3) for one in (seen, unseen)]
    return float(np.abs(entropies[0] - entropies[1]).max())


def _table(model: SmallGPT, found: dict[str, np.ndarray]) -> list[dict[str, float]]:
    means = {name: value.mean(axis=3) for name, value in found.items()}
    return [
        {
            "model": m,
            "layer": layer,
            "head": head,
            **{name: float(v[m, layer, head]) for name, v in means.items()},
        }
        for m, layer, head in np.ndindex(*next(iter(means.values())).shape)
    ]


def _circuits(setting: Setting, trained: SmallGPT, untrained: SmallGPT) -> list[dict[str, float | str]]:
    """The effective ranks of W_V W_O, mean over heads, beside what an untrained head has."""
    exact = untrained_ratio(setting.scale.width, setting.scale.width // setting.scale.heads)
    rows: list[dict[str, float | str]] = [
        {
            "models": "untrained, derived",
            "participation ratio": int(exact.p) / int(exact.q),
            "rank of 90%": "",
        }
    ]
    for name, model in (("untrained", untrained), ("trained", trained)):
        circuits = np.stack([layer.ov for m in range(len(model.seeds)) for layer in layer_heads(model, m)])
        rows.append(
            {
                "models": name,
                "participation ratio": float(np.mean(participation_ratio(circuits))),
                "rank of 90%": float(np.mean(energy_rank(circuits, 0.9))),
            }
        )
    return rows


def _matched_difference(values: np.ndarray, marked: np.ndarray) -> np.ndarray:
    """Return for each sequence with a mark the mean over its marks of value less the others' at the position.

    `values` [M, L, H, N, T], `marked` [N, T]; the result is [N', M, L, H]. The others at a position are all
    sequences without a mark there.
    """
    others = (~marked).sum(axis=0)
    mean_of_others = (values * ~marked).sum(axis=3) / np.maximum(others, 1)  # [M, L, H, T]
    usable = marked & (others > 0)
    count = usable.sum(axis=1)
    difference = ((values - mean_of_others[..., None, :]) * usable).sum(axis=4) / np.maximum(count, 1)
    return np.moveaxis(difference[..., count > 0], 3, 0)


def sizes(setting: Setting) -> Outcome:
    """Compare how long the outputs of the two layers' heads are, alone and relative to the stream."""
    found = profiles(text_models(setting), unseen_windows(setting)[:, :-1])
    ratios = {}
    for name in ("output_norm", "relative_output", "copying"):
        by_layer = found[name].mean(axis=2)  # [M, L, N]
        ratios[name] = over_models(np.moveaxis(by_layer, 1, 2))
    relative = ratios["relative_output"]
    louder = bool((relative.low[0] > relative.high[1:]).all())
    return Outcome(
        experiment="heads.sizes",
        question="Are the heads of layer 0 louder in the residual stream than later ones?",
        criterion="The interval of layer 0's output over its stream lies above that of every later layer.",
        met=louder,
        verdict=(
            f"{'Yes' if louder else 'No'}: output over stream is "
            f"{', '.join(f'{value:.2f}' for value in relative.value)} by layer, the output alone "
            f"{', '.join(f'{value:.2f}' for value in ratios['output_norm'].value)}."
        ),
        quantities=tuple(
            Quantity(f"{name}, layer {layer}", *(float(part[layer]) for part in (r.value, r.low, r.high)))
            for name, r in ratios.items()
            for layer in range(len(r.value))
        ),
        claims=("norm-means", "relative-contribution", "l0h0-copy-hypothesis"),
    )
