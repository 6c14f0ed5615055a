"""The product that leaves the future out, forward and back."""

import pytest
import torch

import gpu.causal_product
from gpu.causal_product import causal_product


def drawn(n, T, paths, V):
    draw = torch.Generator().manual_seed(0)
    sizes = [(n, T, V), (n, T, T, paths), (n, T * paths, V)]
    direct, A, rows = (torch.randn(size, generator=draw, dtype=torch.float64) for size in sizes)
    return direct, A * torch.ones(T, T, dtype=torch.float64).tril()[:, :, None], rows


@pytest.mark.parametrize("T", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("blocks", [1, 4])
def test_whole_numbers_come_out_as_by_the_full_product(T, blocks, monkeypatch):
    monkeypatch.setattr(gpu.causal_product, "BLOCKS", blocks)
    # Products and sums of small whole numbers are exact, so equality can be asked for.
    direct, A, rows = ((8 * part).round() for part in drawn(2, T, 3, 5))
    full = direct + torch.einsum("ntkp,nkpv->ntv", A, rows.view(2, T, 3, 5))
    assert torch.equal(causal_product(direct, A, rows), full)


@pytest.mark.parametrize("T", [1, 3, 6])
def test_gradients_flow_as_torch_checks_them(T):
    direct, A, rows = drawn(2, T, 2, 3)
    mask = torch.ones(T, T, dtype=torch.float64).tril()[:, :, None]
    inputs = [part.requires_grad_() for part in (direct, A, rows)]
    assert torch.autograd.gradcheck(lambda d, a, r: causal_product(d, a * mask, r), inputs)


@pytest.mark.parametrize("T", [1, 3, 6, 8])
def test_gradients_are_those_of_the_full_product(T):
    direct, A, rows = ((8 * part).round().requires_grad_() for part in drawn(2, T, 3, 5))
    G = torch.arange(2 * T * 5, dtype=torch.float64).view(2, T, 5)
    found = torch.autograd.grad(causal_product(direct, A, rows), (direct, A, rows), G)
    full = direct + torch.einsum("ntkp,nkpv->ntv", A, rows.view(2, T, 3, 5))
    expected = torch.autograd.grad(full, (direct, A, rows), G)
    past = torch.ones(T, T).tril()[:, :, None]
    assert torch.equal(found[0], expected[0])
    assert torch.equal(found[1] * past, expected[1] * past)
    assert torch.equal(found[2], expected[2])
