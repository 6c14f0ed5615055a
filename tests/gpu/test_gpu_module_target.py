"""Somebody's torch module as a target: mapped parameters, and what cannot be one told in a sentence."""

import pytest

torch = pytest.importorskip("torch", reason="the gpu room needs torch")

from gpu.model import Transformer  # noqa: E402
from gpu.model import zero_parameters as zeros  # noqa: E402
from gpu.module_target import ModuleImplementation  # noqa: E402
from properties import check_implementation  # noqa: E402
from properties.catalogue import select  # noqa: E402
from properties.connectors import connect  # noqa: E402
from properties.target import Target  # noqa: E402
from reference.errors import InputError  # noqa: E402

OWN = {group: (group, False) for group in ("W_O", "V", "W", "P")}
CPU = torch.device("cpu")


def stacked(vocab_size, length, layers):
    return Transformer(zeros(vocab_size, length, layers, torch.float32, CPU))


class Awkward(torch.nn.Module):
    """W_O and V transposed, V and P a parameter a layer."""

    def __init__(self, vocab_size, length, layers):
        super().__init__()
        values = zeros(vocab_size, length, layers, torch.float32, CPU)
        self.out = torch.nn.Parameter(values["W_O"])
        self.values = torch.nn.ParameterList(values["V"].unbind())
        self.W = torch.nn.Parameter(values["W"])
        self.distances = torch.nn.ParameterList(values["P"].unbind())

    def forward(self, x):
        inner = Transformer.__new__(Transformer)
        torch.nn.Module.__init__(inner)
        object.__setattr__(inner, "W_O", self.out.mT)
        object.__setattr__(inner, "V", torch.stack([value.mT for value in self.values]))
        object.__setattr__(inner, "W", self.W)
        object.__setattr__(inner, "P", torch.stack(list(self.distances)))
        return inner.run(x).F


AWKWARD = {
    "W_O": ("out", True),
    "V": ("values.{layer}", True),
    "W": ("W", False),
    "P": ("distances.{layer}", False),
}


@pytest.mark.parametrize(("factory", "places"), [(stacked, OWN), (Awkward, AWKWARD)])
def test_a_module_is_the_reference_under_other_names(factory, places):
    subject = Target(ModuleImplementation(factory, places))
    laws = select(["model.logits", "model.loss", "gradients", "descent.parameters"])
    results = check_implementation(subject, checks=laws)
    assert {r.check: r.counterexample or r.note for r in results if r.result != "passed"} == {}


class Bad(torch.nn.Module):
    def __init__(self, vocab_size, length, layers):
        super().__init__()
        for name, value in zeros(vocab_size, length, layers, torch.float32, CPU).items():
            setattr(self, name, torch.nn.Parameter(value))

    def forward(self, x):
        return torch.zeros(*x.shape, len(self.W_O), dtype=self.W_O.dtype)


class WithBias(Bad):
    def __init__(self, vocab_size, length, layers):
        super().__init__(vocab_size, length, layers)
        self.bias = torch.nn.Parameter(torch.zeros(vocab_size))


class Short(Bad):
    def forward(self, x):
        return super().forward(x)[:, -1]


class Fails(Bad):
    def forward(self, x):
        raise RuntimeError("no kernel")


@pytest.mark.parametrize(
    ("factory", "places", "told"),
    [
        (stacked(3, 2, 1), OWN, "A module has one size"),
        (lambda vocab_size: None, OWN, "raised TypeError"),
        (lambda V, T, L: 3, OWN, "built a int"),
        (Bad, {**OWN, "V": ("v", False)}, "no parameter 'v'"),
        (Bad, {**OWN, "P": ("P.{layer}", False)}, "no parameter 'P.0' .*it has W_O, V, W, P"),
        (WithBias, OWN, "a parameter 'bias' that is none of"),
        (lambda V, T, L: Bad(V, L, T), OWN, r"V of .* has shape \[3, 4, 4\], not \[2, 4, 4\]"),
        (Bad, {**OWN, "P": ("P", True)}, r"P of .* has shape \[3, 2\], not \[2, 3\]"),
        (Short, OWN, r"answered \[2, 4\] for tokens \[2, 3\]; answer logits \[2, 3, 4\]"),
        (Fails, OWN, "raised RuntimeError: no kernel"),
    ],
)
def test_what_is_no_model_of_the_theory_is_told(factory, places, told):
    with pytest.raises(InputError, match=told):
        ModuleImplementation(factory, places)


def test_it_is_found_by_name_with_a_mapping_file(tmp_path, monkeypatch):
    (tmp_path / "my_torch_module.py").write_text("from gpu.module_target import nn\nModel = nn.Module\n")
    (tmp_path / "bad.toml").write_text("W_O = 3")
    monkeypatch.chdir(tmp_path)
    for spec, told in (
        ("torch:my_torch_module", "incomplete"),
        ("torch:my_torch_module:Model:missing.toml", "There is no mapping file missing.toml"),
        ("torch:my_torch_module:Model:bad.toml", "gives W_O no name"),
        ("torch:my_torch_module:Modle", "Did you mean Model"),
        ("torch:my_torch_module:Model", "raised TypeError"),
    ):
        with pytest.raises(InputError, match=told):
            connect(spec)
