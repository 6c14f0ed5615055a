"""A run made up for the tests of the report: every state, several families, two implementations."""

from dataclasses import replace

from paper_checks.report.verdicts import VERDICTS
from properties.results import STATES, Result, Run, summarise

HOSTILE = """<img src=x onerror="alert(1)">'"&amp;</script><script>alert(2)</script>{{ 7*7 }}$\\frac{$"""
RATES = [0.125, 0.0625, 0.03125, 0.015625]


def result(check, target="reference", state="passed", **fields):
    defaults = {
        "statement": "B_bar[i, j] is P(i) P(j|i) - P(i)/V.",
        "source": "paper, eq. 9",
        "evidence": "property",
        "cases": 24,
        "error_over_bound": 0.031,
        "seconds": 0.25,
        "command": f"leadterms verify {target} --check {check} --seed 0",
    }
    return Result(check=check, target=target, result=state, **{**defaults, **fields})


def scaling(group, order, target):
    return result(
        f"scaling.{group}",
        target,
        statement=f"In every layer {group} is its leading term, with a remainder of order eta^{order}.",
        source="paper, Thm. 4.1",
        seconds=6.5 + order,
        measurements={
            "rates": RATES,
            "remainders": {group: [0.3 * rate**order for rate in RATES]},
            "exponents": {group: [float(order), order - 0.01, order + 0.01]},
        },
    )


COUNTEREXAMPLE = {
    "case": {"tokens": [[0, 1, 1], [1, 0, 0]], "vocab_size": 2},
    "comparison": "Q_bar",
    "index": [0, 1],
    "got": 0.03125,
    "expected": -0.015625,
    "bound": 1e-16,
    "ratio": 468750000000000.0,
    "exact": "-1/64",
    "looks_like": "multiplied by -2",
}
LENGTHS = [1, 2, 4, 8, 16]
BASELINES = {
    "T": LENGTHS,
    "measured": {"diagonal": [1.0, 0.75, 0.52, 0.34, 0.21]},
    "closed_form": {"diagonal": [1.0, 0.75, 0.5208, 0.3397, 0.2113]},
}
FAILED = result(
    "statistics.Q_bar",
    "gpu",
    "failed",
    evidence="exact",
    error_over_bound=468750000000000.0,
    counterexample=COUNTEREXAMPLE,
)
RESULTS = (
    result(
        "theory.orders",
        "theory",
        evidence="proved",
        error_over_bound=None,
        cases=1,
        statement="W_O, V, W and P first move at the orders 1, 2, 4, 4.",
        command="leadterms verify --check theory.orders --seed 0",
    ),
    *(result("statistics.B_bar", target, evidence="exact") for target in ("reference", "gpu")),
    result("statistics.Q_bar", "reference", evidence="exact", error_over_bound=None),
    FAILED,
    *(
        scaling(group, order, target)
        for target in ("reference", "gpu")
        for group, order in (("W_O", 2), ("V", 3), ("W", 5), ("P", 5))
    ),
    result("uniform.head_profile", evidence="exact", measurements=BASELINES),
    result("uniform.model_diagonal", evidence="exact", measurements={"T": 7}),
    result("model.causal", "gpu", "errored", note="the check itself raised ValueError: no axis 3", cases=0),
    result("model.loss", "reference", "xfailed", note="known to differ"),
    result("model.loss", "gpu", "xpassed", note="was to fail"),
    result(
        "composition.formula", "gpu", "not_applicable", note="the implementation has no composition_score"
    ),
    result("alignment.pythia", "theory", "skipped", evidence="measured", note="needs a model", cases=0),
)
HEADER = {
    "command": "leadterms report",
    "started": "2026-01-02T03:04:05+00:00",
    "versions": {"python": "3.11.7", "leadterms": "0.1.0", "numpy": "2.4.6"},
    "commit": "0123456789abcdef0123456789abcdef01234567",
    "machine": "Linux x86_64",
    "device": "cpu",
    "corpus": {
        "name": "300 embedded stories, seed 0",
        "digest": "ad538353f8a8177894f439546b3a3e299438bb48dc91add8a56a14a5b4684f6b",
        "sequences": 300,
        "length": 40,
        "vocab_size": 71,
        "counts": {"documents": 300},
    },
    "targets": ["reference", "gpu"],
    "profile": "quick",
    "seed": 0,
    "left_out": ["gpu32 needs torch: pip install 'leadterms[gpu]'"],
}


def claim(claim_id, verdict, **fields):
    defaults = {
        "source": "paper",
        "title": "A paper",
        "section": "Table 1",
        "topic": "paper-experiments",
        "claim_kind": "statement",
        "needs": "nothing",
        "statement": "Three steps give the coefficient 2.",
        "stated": "2",
        "numbers": {"coefficient": "2"},
        "evidence": "exact",
        "computed": "2",
        "derivation": "The sum of r C(r, 2) over r < 3.",
        "convention": "",
        "checks": ["theory.orders"],
        "command": f"leadterms claims {claim_id}",
        "seconds": 0.01,
    }
    return {"id": claim_id, "verdict": verdict, **defaults, **fields}


CLAIMS = (
    claim("coefficient", "holds"),
    claim("rounded", "holds_to_rounding", source="chapter", title="A chapter", stated="0.157"),
    claim("wrong", "refuted", stated="5.407", computed="5.433", evidence="proved"),
    claim("other", "refuted", source="chapter", title="A chapter", stated="7", computed="6"),
    claim("rule", "method", claim_kind="method"),
    claim("map", "definition", claim_kind="definition"),
    claim("late", "not_run", evidence="quoted", computed="", derivation="Needs a text."),
    claim("open", "inconclusive", evidence="measured"),
)


def run_of(*results, **header):
    return Run(header={**HEADER, **header}, results=results, footer=summarise(results, 33.0))


def with_claims(run, *claims):
    return replace(run, claims=claims, footer={**run.footer, "claims": len(claims)})


def sample_run():
    return with_claims(run_of(*RESULTS), *CLAIMS)


def hostile_run():
    """A run whose every text tries to break out of the page."""
    bad = result(
        f"statistics.{HOSTILE}",
        HOSTILE,
        "failed",
        statement=HOSTILE,
        source=HOSTILE,
        note=HOSTILE,
        command=HOSTILE,
        counterexample={HOSTILE: HOSTILE, "case": {HOSTILE: [HOSTILE, "\ud800", "漢字"] * 20}},
        measurements={"rates": [0.1, 0.01], "remainders": {HOSTILE: [1.0, 0.1]}},
    )
    figures = result("scaling.W_O", HOSTILE, measurements=bad.measurements)
    skipped = result(f"{HOSTILE}.x", HOSTILE, "skipped", note=HOSTILE)
    texts = (
        "title",
        "section",
        "topic",
        "statement",
        "stated",
        "implied",
        "computed",
        "derivation",
        "command",
    )
    hostile = claim(HOSTILE, "refuted", source=HOSTILE, **dict.fromkeys(texts, HOSTILE))
    run = run_of(bad, figures, skipped, corpus={"name": HOSTILE, "digest": HOSTILE}, left_out=[HOSTILE])
    return with_claims(run, hostile)


def test_the_sample_has_every_state_and_every_verdict():
    assert {one.result for one in sample_run().results} == set(STATES)
    assert {one["verdict"] for one in sample_run().claims} == set(VERDICTS)
