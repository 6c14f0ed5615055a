"""Which directions carry neighbours: by every order of what ties, and on matrices whose answer is known."""

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest

from paper_checks import carried as module
from paper_checks.carried import carried, level, sentence
from properties.tolerances import rounding
from reference import directions
from reference.alignment import singular_directions
from reference.categories import CATEGORIES
from reference.corpus import Corpus
from reference.directions import chance_nearest, kept, of_one_kind, without_first

EACH, BLOCK = 8, 16  # words of a kind, and of a block that shares a direction


def by_every_order(rows, i, top):
    """The probability that each word is among i's nearest: the mean over all sets that an order can give."""
    length = [sum(x * x for x in row) for row in rows]

    def like(j):  # the sign and the square of the cosine, exactly
        inner = sum(Fraction(a) * b for a, b in zip(rows[i], rows[j], strict=True))
        return 0 if not length[i] * length[j] else inner * abs(inner) / (length[i] * length[j])

    others = [j for j in range(len(rows)) if j != i]
    last = sorted(map(like, others))[-top]
    sure, tied = ([j for j in others if like(j) > last], [j for j in others if like(j) == last])
    sets = [{*sure, *some} for some in combinations(tied, top - len(sure))]
    return [Fraction(sum(j in one for one in sets), len(sets)) for j in range(len(rows))]


ROWS = [[1, 0], [2, 0], [-1, 0], [3, 0], [1, 1], [2, 2], [0, 0], [-1, 1]]


def test_ties_are_in_every_order_alike():
    rows = np.array(ROWS, dtype=float)
    found = chance_nearest(rows, np.arange(8), 3)
    for i in range(8):
        np.testing.assert_allclose(found[i], np.array(by_every_order(ROWS, i, 3), dtype=float))
    np.testing.assert_allclose(found.sum(axis=1), 3)
    # By one direction alone there is nothing but ties: of those with a word's sign any is as near.
    alone = chance_nearest(np.array([[0.1 * n] for n in range(1, 8)]), np.arange(7), 3)
    np.testing.assert_allclose(alone, (1 - np.eye(7)) * 3 / 6)


def test_a_word_of_rounding_alone_has_no_neighbour():
    """Of a matrix of rank one nothing is left but rounding, and every word is as near as any."""
    rng = np.random.default_rng(0)
    X = np.outer(rng.normal(size=9), rng.normal(size=9))
    left = without_first(X, singular_directions(X, 1), 1)
    assert not left.any()
    np.testing.assert_allclose(chance_nearest(left, np.arange(9), 2), (1 - np.eye(9)) * 2 / 8)


def test_chance_is_the_mean_over_every_deal():
    rng = np.random.default_rng(1)
    part, whole = (chance_nearest(rng.normal(size=(9, 3)), np.arange(5), 2) for _ in "ab")
    told = kept(part, whole, 2)
    assert told.value == pytest.approx((part * whole).sum(axis=1).mean() / 2)
    pairs = [(part[i] * whole[u]).sum() / 2 for i in range(5) for u in range(5) if i != u]
    assert told.chance == pytest.approx(np.mean(pairs))
    members, kinds = np.array([0, 2, 3, 4, 8]), np.array([0, 0, 1, 1, 1])
    near = chance_nearest(rng.normal(size=(9, 3)), members, 2)

    def rate(kinds):
        return np.mean([near[n, members[kinds == kinds[n]]].sum() / 2 for n in range(5)])

    found = of_one_kind(near, members, kinds, draws=400, seed=0, top=2)
    every = np.array([rate(np.array(one)) for one in permutations(kinds)])
    assert found.value == pytest.approx(rate(kinds))
    assert found.chance == pytest.approx(every.mean())
    reach = (every >= found.value - rounding(1.0, 25, "float64")).mean()
    assert abs(found.p_value - reach) < 4 * np.sqrt(reach * (1 - reach) / 400) + 1 / 401


def planted(kinds=("animals", "feelings")):
    """Words of two kinds and others in blocks: what ties a block together is small beside what all share.

    X = 100 a b^T + sum over blocks n of (1 + n/8) e_n f_n^T, a of ones, b at a right angle to every f: by the
    first direction all words are alike, and a block is told by the others.
    """
    names = [word for kind in kinds for word in CATEGORIES[kind][:EACH]]
    V = 5 * BLOCK
    words = [names.pop(0) if i % BLOCK < EACH and i < 2 * BLOCK else f"x{i}" for i in range(V)]
    block = np.arange(V) // BLOCK
    X = np.zeros((V, V))
    X[:, 0] = 100.0
    X[np.arange(V), 1 + block] = 1.0 + block / 8
    corpus = Corpus(tokens=np.zeros((1, 2), dtype=np.int64), vocabulary=tuple(words), name="none")
    return corpus, X


def looked_at(X, corpus):
    leading = {"W_O": X.T.copy(), "V": X, "W": X}
    singular = {group: singular_directions(one, 50) for group, one in leading.items()}
    return carried(corpus, leading, singular, 0)


def test_the_direction_of_nearly_everything_carries_nothing():
    """By hand: alone, ten of 79 others by chance; without it, of the block's 15, of which 7 are of a kind."""
    corpus, X = planted()
    found = looked_at(X, corpus)
    assert [one.axis for one in found.values()] == ["columns", "rows", "rows"]
    for name, one in found.items():
        assert one.members == {"feelings": EACH, "animals": EACH}
        assert one.left_over[1] < 1 / 5000
        first, rest, whole = one.alone[1], one.without[1], one.without[0]
        assert one.alone[0] is None
        assert first.of_one_kind.value == pytest.approx(7 / 79)
        assert first.of_one_kind.chance == pytest.approx(7 / 79)
        assert first.of_one_kind.p_value == 1
        assert first.kept.value == pytest.approx(10 / 79)
        for part in (rest, whole):
            assert part.of_one_kind.value == pytest.approx(7 / 15)
            assert part.of_one_kind.chance == pytest.approx(7 / 15 * 7 / 15)
            assert part.of_one_kind.p_value < level(found)
            assert part.kept.value == pytest.approx(10 / 15)
        told = sentence(name, one, level(found))
        assert "has 99.99% of the squared norm" in told
        assert "8.9% (chance 8.9%: not significant) by that direction alone, 46.7% (chance" in told
        assert "46.7% (chance 21.8%) by all the others" in told
        assert told.endswith("takes 2 directions.")


def by_number(vectors, of, top=10):
    """Wrong: what ties comes in the order of its number, which is that of frequency."""
    from reference.categories import cosine_similarity, nearest

    found = np.zeros((len(of), len(vectors)))
    np.put_along_axis(found, nearest(np.round(cosine_similarity(vectors, of), 9), of, top), 1.0, axis=1)
    return found


def rows_of_the_others(singular, k):
    """Wrong: the first directions in the other axis."""
    return singular.Vt[:k].T * singular.sigma[:k]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("chance_nearest", by_number),
        ("first_alone", rows_of_the_others),
        ("without_first", lambda X, singular, k: X),
        ("without_first", lambda X, singular, k: directions.without_first(X, singular, max(0, k - 1))),
    ],
    ids=["ties by number", "the other axis", "nothing removed", "one too few"],
)
def test_a_slip_is_red(monkeypatch, name, wrong):
    corpus, X = planted()
    monkeypatch.setattr(module, name, wrong)
    monkeypatch.setattr(module, "DRAWS", 9)
    (one, *_) = looked_at(X, corpus).values()
    right = (one.alone[1].of_one_kind.value, one.alone[1].kept.value, one.without[3].of_one_kind.value)
    # Without the first five, the third of the ladder, nothing is left of X at all.
    assert right != pytest.approx((7 / 79, 10 / 79, 7 / 79))


def test_without_two_kinds_only_what_is_kept_is_told():
    corpus, X = planted(kinds=("animals", "animals"))
    found = looked_at(X, Corpus(corpus.tokens, tuple(f"w{i}" for i in range(len(X))), name="none"))
    one = found["V"]
    assert one.without[1].of_one_kind is None
    assert "this share is kept: 12.7% (chance" in sentence("V", one, level(found))
    assert carried(Corpus(corpus.tokens, ("a", "b"), name="none"), {}, {}, 0) == {}
