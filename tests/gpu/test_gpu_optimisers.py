"""A descent by another optimiser than plain SGD is told by that one's name and coefficient."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from properties.catalogue import BY_ID  # noqa: E402
from properties.mutants.mutant import Implementation, plain  # noqa: E402
from properties.runner import run_check  # noqa: E402
from properties.target import Target  # noqa: E402

DESCENT, FIRST = "descent.parameters", "first_step.W_O"


def optimised(make, start=lambda zeros: zeros):
    """A right implementation that descends by an optimiser of torch, made of parameters and a rate."""

    def train(tokens, vocab_size, layers, rate, steps):
        zeros = plain().train(tokens, vocab_size, layers, rate, 0)
        values = {name: torch.from_numpy(start(value)).requires_grad_() for name, value in zeros.items()}
        optimiser = make(list(values.values()), rate)
        for _ in range(steps):
            at = {name: value.detach().numpy() for name, value in values.items()}
            for name, slope in plain().gradients(at, tokens).items():
                values[name].grad = torch.from_numpy(slope)
            optimiser.step()
        return {name: value.detach().numpy() for name, value in values.items()}

    return Target(Implementation("optimised", {**plain().methods, "train": train}))


def sgd(**options):
    return lambda parameters, rate: torch.optim.SGD(parameters, lr=rate, **options)


OPTIMISERS = [
    (sgd(momentum=0.9), [DESCENT], "there is momentum of 0.9"),
    (sgd(momentum=0.5), [DESCENT], "there is momentum of 1/2"),
    (sgd(momentum=0.9, nesterov=True), [FIRST, DESCENT], "there is Nesterov's momentum of 0.9"),
    (
        sgd(momentum=0.9, dampening=0.9),
        [DESCENT],
        "there is momentum, dampened from the second step on, of 0.9",
    ),
    (sgd(weight_decay=0.01), [DESCENT], "there is weight decay of 0.01"),
    (sgd(weight_decay=0.3), [DESCENT], "there is weight decay of 0.3"),
    (
        lambda at, rate: torch.optim.Adam(at, lr=rate),
        [FIRST],
        "the steps are those of Adam, not of plain descent",
    ),
]


@pytest.mark.parametrize(("make", "checks", "name"), OPTIMISERS, ids=[name for _, _, name in OPTIMISERS])
def test_an_optimiser_is_named_with_its_coefficient(make, checks, name):
    for check in checks:
        result = run_check(BY_ID[check], optimised(make), profile="quick", seed=0)
        assert (result.result, result.counterexample["looks_like"]) == ("failed", name)


def test_plain_descent_is_right():
    for check in (DESCENT, FIRST):
        assert run_check(BY_ID[check], optimised(sgd()), profile="quick", seed=0).result == "passed"


@pytest.mark.parametrize("check", ["first_step.start", "first_step.others", DESCENT])
def test_a_start_that_is_drawn_is_what_every_law_of_descent_tells(check):
    def drawn(zeros):
        return np.random.default_rng(1).normal(0, 0.01, zeros.shape)

    result = run_check(BY_ID[check], optimised(sgd(), drawn), profile="quick", seed=0)
    assert result.counterexample["looks_like"] == "not from zero"


def test_a_start_that_is_another_each_time_is_told_as_that():
    def drawn(zeros):
        return np.random.normal(0, 0.01, zeros.shape)

    result = run_check(BY_ID["first_step.start"], optimised(sgd(), drawn), profile="quick", seed=0)
    assert result.counterexample["looks_like"] == "not repeatable"


def test_a_running_mean_of_gradients_is_told_as_dampened():
    class RunningMean(torch.optim.Optimizer):
        def __init__(self, parameters, rate):
            super().__init__(parameters, {"lr": rate})

        def step(self):
            for group in self.param_groups:
                for value in group["params"]:
                    mean = self.state[value].get("mean", torch.zeros_like(value))
                    self.state[value]["mean"] = mean.lerp(value.grad, 0.1)
                    value.data -= group["lr"] * self.state[value]["mean"]

    for check in (FIRST, DESCENT):
        result = run_check(BY_ID[check], optimised(RunningMean), profile="quick", seed=0)
        assert result.counterexample["looks_like"] == "there is dampened momentum of 0.9"
