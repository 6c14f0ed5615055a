"""The product that leaves the future out, forward and back."""

import pytest
import torch

import gpu.causal_product
from gpu.causal_product import causal_product

# How many tokens come in the first t positions: one by one, with repetitions, and several at once.
SEEN = [[0, 1], [0, 1, 1, 2], [0, 1, 2, 3, 4], [0, 2, 3, 3, 3, 5], [0, 1, 2, 3, 3, 4, 5, 5, 6, 7]]


def drawn(n, seen, paths, V):
    draw = torch.Generator().manual_seed(0)
    T, U = len(seen) - 1, seen[-1]
    sizes = [(n, T, V), (n, T, U, paths), (n, U * paths, V)]
    direct, A, rows = (torch.randn(size, generator=draw, dtype=torch.float64) for size in sizes)
    return direct, A * past(seen), rows


def past(seen):
    """Return [T, U, 1], one where a token comes at or before a position."""
    return (torch.arange(seen[-1]) < torch.tensor(seen[1:])[:, None])[:, :, None].double()


@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_whole_numbers_come_out_as_by_the_full_product(seen, blocks, monkeypatch):
    monkeypatch.setattr(gpu.causal_product, "BLOCKS", blocks)
    # Products and sums of small whole numbers are exact, so equality can be asked for.
    direct, A, rows = ((8 * part).round() for part in drawn(2, seen, 3, 5))
    assert torch.equal(causal_product(direct, A, rows, seen), full_product(direct, A, rows))


@pytest.mark.parametrize("seen", SEEN[:4])
def test_gradients_flow_as_torch_checks_them(seen):
    direct, A, rows = drawn(2, seen, 2, 3)
    inputs = [part.requires_grad_() for part in (direct, A, rows)]
    assert torch.autograd.gradcheck(lambda d, a, r: causal_product(d, a * past(seen), r, seen), inputs)


@pytest.mark.parametrize("seen", SEEN)
def test_gradients_are_those_of_the_full_product(seen):
    direct, A, rows = ((8 * part).round().requires_grad_() for part in drawn(2, seen, 3, 5))
    G = torch.arange(direct.numel(), dtype=torch.float64).view(direct.shape)
    found = torch.autograd.grad(causal_product(direct, A, rows, seen), (direct, A, rows), G)
    expected = torch.autograd.grad(full_product(direct, A, rows), (direct, A, rows), G)
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1] * past(seen), expected[1] * past(seen))
    assert torch.equal(found[2], expected[2])


def full_product(direct, A, rows):
    return direct + torch.einsum("ntup,nupv->ntv", A, rows.unflatten(1, A.shape[2:]))
