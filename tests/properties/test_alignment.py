"""A cosine is told with its nulls, and a matrix of rank one does not pass for a weight."""

import numpy as np
import pytest
from breaking import With

from properties import check_implementation
from properties.catalogue import select
from reference.alignment import (
    DENSE_UP_TO,
    alignment_report,
    cosine,
    singular_directions,
    spectrum,
)
from reference.descent import train
from reference.sequences import build_corpus
from reference.statistics import statistics
from reference.stories import stories
from reference.tokenizers import words


def nearly_rank_one(size=12, seed=0):
    rng = np.random.default_rng(seed)
    return np.outer(rng.normal(size=size), rng.normal(size=size)) + 0.02 * rng.normal(size=(size, size))


def test_the_spectrum_is_that_of_projected_matrices():
    X, W = nearly_rank_one(), nearly_rank_one() + 0.01 * np.random.default_rng(1).normal(size=(12, 12))
    U, _, Vt = np.linalg.svd(X)
    report = alignment_report(W, X, removed=(0, 1, 2, 5))
    for k, found in zip(report.removed, report.spectrum, strict=True):
        left, right = np.eye(12) - U[:, :k] @ U[:, :k].T, np.eye(12) - Vt[:k].T @ Vt[:k]
        np.testing.assert_allclose(found, cosine(left @ W @ right, left @ X @ right))
    np.testing.assert_allclose(report.left_over[0], 1)


def test_a_rank_one_matrix_has_the_cosine_and_not_the_spectrum():
    X = nearly_rank_one()
    U, s, Vt = np.linalg.svd(X)
    best = s[0] * np.outer(U[:, 0], Vt[0])
    report = alignment_report(best, X, controls={"noise": np.random.default_rng(3).normal(size=(12, 12))})
    np.testing.assert_allclose(report.cosine, report.best_rank_one)
    assert report.best_rank_one > 0.99
    assert np.isnan(report.spectrum[1])  # nothing is left of it
    assert abs(report.controls["noise"]) < 0.5


def test_few_directions_of_a_large_matrix_are_the_first_of_all():
    X = np.random.default_rng(5).normal(size=(DENSE_UP_TO + 40, DENSE_UP_TO + 40))
    some, sigma = singular_directions(X, 3), np.linalg.svd(X, compute_uv=False)
    np.testing.assert_allclose(some.sigma, sigma[:3])
    np.testing.assert_allclose(some.left_over(3), (sigma[3:] ** 2).sum() / (sigma**2).sum())
    np.testing.assert_array_equal(some.U, singular_directions(X, 3).U)


def test_vectors_have_nulls_and_no_spectrum():
    report = alignment_report(
        np.array([1.0, 2.0]), np.array([2.0, 4.0]), controls={"x": np.array([2.0, -1.0])}
    )
    assert report.cosine == pytest.approx(1)
    assert report.controls["x"] == pytest.approx(0)
    assert report.spectrum == ()


def test_what_vanishes_has_no_cosine():
    assert np.isnan(cosine(np.zeros(3), np.ones(3)))
    assert np.isnan(alignment_report(np.zeros((3, 3)), np.zeros((3, 3))).best_rank_one)


class RankOne:
    """The reference, but for V: of what is right it keeps the first singular direction."""

    @staticmethod
    def train(tokens, vocab_size, layers, rate, steps):
        right = train(tokens, vocab_size, layers, rate, steps)
        U, s, Vt = np.linalg.svd(right["V"])
        return {**right, "V": s[:, :1, None] * U[:, :, :1] * Vt[:, :1]}


def test_training_that_keeps_one_direction_is_red_where_directions_are_looked_at():
    checks = select(["spectrum"])
    assert {r.result for r in check_implementation("reference", checks=checks)} == {"passed"}
    found = check_implementation(With("rank one", train=RankOne.train), checks=checks)
    assert {r.check for r in found if r.result == "failed"} == {"spectrum.V"}


def test_exact_training_aligns_in_all_directions_and_a_sample_does_not():
    corpus = build_corpus(stories(60, 0), words, length=20)
    tokens, V = corpus.tokens, corpus.vocab_size

    def value(part):
        found = statistics(part, V)
        return found["Phi_bar"].T @ found["B_bar"].T

    X = value(tokens)
    trained = train(tokens, V, 2, 2.0**-8, 3)["V"][0]
    ladder = (0, 1, 5, 20)
    singular = singular_directions(X, 20)
    exact = np.array(spectrum(trained, X, singular, ladder))
    sampled = np.array(spectrum(value(tokens[:30]), X, singular, ladder))
    # 1 - cos is of the order eta^2 in each; a sample's grows as what is left shrinks.
    assert (1 - exact < 2.0**-8).all()
    assert (1 - sampled > 4 * (1 - exact)).all()
    assert sampled[-1] < sampled[0]
