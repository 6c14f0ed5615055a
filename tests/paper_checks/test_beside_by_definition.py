"""What stands beside a prediction, each number against its own definition: nulls, effects and last steps."""

import math

import numpy as np
import pytest

from paper_checks import alignment_nulls, behaviour
from paper_checks.alignment_nulls import OTHER, SHUFFLED
from paper_checks.corpora import load_corpus
from paper_checks.corpus_controls import other_corpus
from paper_checks.reproduction import main_run, other_runs
from paper_checks.reproduction.plan import Plan
from paper_checks.reproduction.rows import horizons
from properties import rounded_model
from properties.tolerances import rounding
from reference.corpus import shuffled
from reference.descent import train
from reference.model import forward, loss
from reference.statistics import statistics

SEED = 3


@pytest.fixture(scope="module")
def corpus():
    loaded = load_corpus(None, vocab_size=None, length=10, tokenizer_name="words", layout="document", seed=0)
    return loaded.slice(24, 10)


def leading(tokens, V):
    found = statistics(tokens, V)
    value = found["Phi_bar"].T @ found["B_bar"].T
    return {"W_O": found["B_bar"], "V": value, "W": found["Q_bar"], "P": found["Delta_bar"]}


def cosine(one, other):
    size = np.sqrt((one * one).sum() * (other * other).sum())
    return (one * other).sum() / size if size > 0 else 0.0


def off(weight, direction, tokens):
    """Return how far rounding may move a projection: sums over entries, of a sum over pairs."""
    terms = np.abs(weight * direction).sum() / (direction * direction).sum() * np.abs(direction).max()
    return rounding(terms, 4 * (weight.size + tokens.size), "float64")


def projection(weight, direction):
    return (weight * direction).sum() / (direction * direction).sum() * direction


@pytest.fixture(scope="module")
def nulls(corpus):
    other = other_corpus(None, corpus, "words", 1)
    parts = []

    def counted(tokens, V):
        parts.append(tokens)
        return statistics(tokens, V)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(alignment_nulls, "statistics_of", counted)
        weights = train(corpus.tokens, corpus.vocab_size, 2, 0.25, 4)
        found = alignment_nulls.gather(
            corpus, weights, other, sample=10, samples=2, seed=SEED, told=lambda *told: None
        )
    return found, weights, other, parts


def test_samples_are_of_their_size_and_share_no_sequence(corpus, nulls):
    found, *_, parts = nulls
    samples = parts[3:]
    assert [len(one) for one in samples] == [10, 10] == [found.sample] * found.samples
    places = [tuple(row) for part in samples for row in part]
    whole = [tuple(row) for row in corpus.tokens]
    assert sorted(set(places)) == sorted({one for one in whole if one in places})
    assert all(places.count(one) <= whole.count(one) for one in places)


@pytest.mark.parametrize("name", ["W_O", "V 0", "V 1", "W 1", "P 0"])
def test_a_cosine_and_its_nulls_are_what_they_say(corpus, nulls, name):
    found, weights, other, parts = nulls
    V, group, layer = corpus.vocab_size, *f"{name} ".split(" ")[:2]
    X = leading(corpus.tokens, V)[group]
    weight = weights[group] if layer == "" else weights[group][int(layer)]
    report = found.reports[name]
    assert report.cosine == pytest.approx(cosine(weight, X))
    mixed = leading(shuffled(corpus.tokens, SEED), V)[group]
    assert report.controls[SHUFFLED] == pytest.approx(cosine(mixed, X))
    assert report.controls[OTHER] == pytest.approx(cosine(leading(other.tokens, V)[group], X))
    samples = [leading(part, V)[group] for part in parts[3:]]
    if X.ndim == 1:
        assert report.removed == ()
        assert [one for (one,) in report.samples] == pytest.approx([cosine(one, X) for one in samples])
        return
    U, sigma, Vt = np.linalg.svd(X)
    assert report.best_rank_one == pytest.approx(sigma[0] / np.sqrt((sigma**2).sum()))
    assert report.removed[:3] == (0, 1, 2)
    for n, k in enumerate(report.removed):
        if sigma[k] < sigma[0] / 1000:
            continue  # what is left is near to rounding
        left, right = np.eye(V) - U[:, :k] @ U[:, :k].T, np.eye(V) - Vt[:k].T @ Vt[:k]
        rest = left @ X @ right
        assert report.left_over[n] == pytest.approx((sigma[k:] ** 2).sum() / (sigma**2).sum())
        assert report.spectrum[n] == pytest.approx(cosine(left @ weight @ right, rest))
        for sample, told in zip(samples, report.samples, strict=True):
            assert told[n] == pytest.approx(cosine(left @ sample @ right, rest))


def test_an_effect_is_that_of_the_part_that_is_named(corpus, monkeypatch):
    V, rate, steps = corpus.vocab_size, 0.25, 4
    weights = train(corpus.tokens, V, 1, rate, steps)
    other, real, asked = other_corpus(None, corpus, "words", 1), behaviour._loss_change, []

    def recorded(parameters, change, tokens):
        ((group, value),) = change.items()
        asked.append((group, value if group == "W_O" else value[0], tokens))
        return real(parameters, change, tokens)

    monkeypatch.setattr(behaviour, "_loss_change", recorded)
    found = behaviour.behaviour(
        corpus,
        weights,
        other,
        rate=rate,
        steps=steps,
        sequences=corpus.sequences,
        seed=SEED,
        told=lambda *told: None,
    )
    X, mixed = leading(corpus.tokens, V), leading(shuffled(corpus.tokens, SEED), V)
    foreign = leading(other.tokens, V)
    each = 1 + behaviour.RANDOM_DRAWS + 2
    assert len(asked) == 4 * each
    c = {"W_O": 4, "V": 6, "W": 3 * 1 + 2 * 4}  # s, C(s,2), 3 C(s,4) + 2 C(s,3) at s = 4
    amount = {"W_O": 4 * rate, "V": 4 * 6 * rate**3, "W": 4 * 6 * c["W"] * rate**7}
    amount["P"] = amount["W"]
    for n, (name, one) in enumerate(found.items()):
        group = name.split()[0]
        weight = weights[group] if group == "W_O" else weights[group][0]
        own, *others = (change for _, change, _ in asked[n * each : (n + 1) * each])
        part = projection(weight, X[group])
        np.testing.assert_allclose(own, -part, rtol=0, atol=off(weight, X[group], corpus.tokens))
        random, controls = others[: behaviour.RANDOM_DRAWS], others[behaviour.RANDOM_DRAWS :]
        for change in random:
            assert np.linalg.norm(change) == pytest.approx(np.linalg.norm(part))
        assert not any(np.allclose(random[0], change) for change in random[1:])
        for change, corpus_of in zip(controls, (mixed, foreign), strict=True):
            expected = -projection(weight, corpus_of[group])
            within = off(weight, corpus_of[group], corpus.tokens)
            np.testing.assert_allclose(change, expected, rtol=0, atol=within)
        assert one.cosine == pytest.approx(cosine(weight, X[group]))
        assert one.predicted == pytest.approx(amount[group] * (X[group] ** 2).sum())
        if group in ("W_O", "V"):  # where the loss itself has digits for the difference
            without = {**weights, group: weights[group] - part}
            (after, after_off), (before, before_off) = (
                rounded_model.loss(rounded_model.given(one, "float64"), corpus.tokens)
                for one in (without, weights)
            )
            assert one.measured == pytest.approx(after - before, rel=0, abs=after_off + before_off)
            assert after_off + before_off < (after - before) / 100


PLAN = Plan(
    sequences=32, sample=8, layers=2, rate=0.25, steps=5, large_rate=0.5, most_steps=60, short_steps=4
)


@pytest.fixture(scope="module")
def lab():
    loaded = load_corpus(None, vocab_size=None, length=5, tokenizer_name="words", layout="document", seed=0)
    small = loaded.slice(32, 5)
    return main_run.Laboratory(small.tokens, small.vocab_size)


def test_a_last_step_is_the_last_one_with_that_cosine(lab):
    rows = other_runs.until_failure(lab, PLAN, lambda *told: None)
    found = horizons(
        {name: getattr(r, name) for name in ("quantity", "weight", "predicted", "float64", "reliable")}
        for r in rows
    )
    assert {one.weight for one in found} == {"W_O", "V 0", "V 1", "W 0", "W 1", "P 0", "P 1"}
    X, lost = leading(lab.tokens, lab.V), 0
    at = {0: None}
    for one in found:
        group, *layer = one.weight.split()
        for level, (_, measured) in one.levels.items():
            if measured is None:
                continue
            lost += 1
            for step in (measured, measured + 1):
                if step not in at:
                    at[step] = train(lab.tokens, lab.V, PLAN.layers, PLAN.large_rate, step)
                weight = at[step][group] if not layer else at[step][group][int(layer[0])]
                # The reference's own descent: the same to rounding, far from where the cosine crosses.
                assert (cosine(weight, X[group]) >= float(level)) == (step == measured), (one, level, step)
    assert lost >= 3


def test_the_main_run_is_told_as_it_is(lab):
    s, eta, L = PLAN.steps, PLAN.rate, PLAN.layers
    exact = train(lab.tokens, lab.V, L, eta, s)
    X = leading(lab.tokens, lab.V)
    rows = {(r.quantity, r.weight): r for r in main_run.rows(lab, PLAN, {"float64": exact})}
    amounts = {"W_O": s * eta, "V": math.comb(s, 2) * eta**2}
    amounts["W"] = (3 * math.comb(s, 4) + 2 * math.comb(s, 3)) * eta**4
    amounts["P"] = amounts["W"]
    for group, layer, name in lab.weights(L):
        weight = exact[group] if group == "W_O" else exact[group][layer]
        term = amounts[group] * X[group]
        assert rows["norm", name].leading == pytest.approx(np.linalg.norm(term))
        assert rows["norm", name].float64 == pytest.approx(np.linalg.norm(weight))
        off = np.linalg.norm(weight - term) / np.linalg.norm(term)
        assert rows["error of the leading term", name].float64 == pytest.approx(off)
        assert rows["1 - cos", name].float64 == pytest.approx(
            1 - cosine(weight, term), rel=0, abs=rounding(1.0, 4 * weight.size, "float64")
        )
    fall = rows["fall of the loss", ""]
    assert fall.leading == pytest.approx(s * eta * (X["W_O"] ** 2).sum())
    assert fall.float64 == pytest.approx(math.log(lab.V) - loss(exact, lab.tokens))
    for group in ("V", "W", "P"):
        mean = exact[group].mean(axis=0)
        far = max(np.linalg.norm(one - mean) for one in exact[group]) / np.linalg.norm(mean)
        assert rows["spread of the layers", group].float64 == pytest.approx(far)
    visible = np.tril(np.ones((lab.T, lab.T)))
    moved = forward(exact, lab.tokens).A[0] - visible / visible.sum(axis=1, keepdims=True)
    slack = float(rounding(1.0, 4 * lab.T, "float64"))
    assert abs(rows["largest |A - A0|", "A 0"].float64 - np.abs(moved).max()) <= slack
    mean = (moved**2).sum() / (visible.sum() * len(moved))
    assert abs(rows["rms of A - A0", "A 0"].float64 - math.sqrt(mean)) <= slack
