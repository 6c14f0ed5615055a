"""Damaged files of settings and results: tokens, TOML, results, experiments, certificates, vectors."""

import json

import pytest
from fuzzing import PROFILES, Reader, hold

from paper_checks.commands.prove import read_certificate
from paper_checks.experiments.result import Observation, Outcome, Quantity, read_outcomes, write_outcomes
from paper_checks.ledger.book import tables
from paper_checks.ledger.experiments import read_experiments
from paper_checks.tokens_file import read_tokens
from properties.evidence_ladder import Step
from properties.expected_failures import read_expected
from properties.parameter_names import read_names
from properties.results import Result, Run, read_run, summarise, write_run
from properties.vectors import checking
from properties.vectors.files import PUBLISHED, SCHEMA, as_json, digest, published, schema_text, vectors
from properties.vectors.inputs import FLAGS
from theory.certificate_check import check
from theory.certificate_format import sealed
from theory.certificates import prove

TOKENS = b'{"tokens": [[0, 0, 1, 2], [2, 1, 0, 1]], "vocab_size": 3}'
EXPECTED = b"""
[[xfail]]
check = "statistics.Q_bar"
reason = "pairs with an unseen word are left out"
link = "https://example.org/issues/12"
[[xfail]]
check = "a"
reason = "b"
link = "c"
"""
NAMES = b"""
W_O = "unembed.weight"
V = "blocks.{layer}.value"
W = { name = "blocks.{layer}.query_key", transpose = true }
"""
EXPERIMENTS = (
    b'{"kind": "header"}\n{"name": "a", "value": 1.5, "rows": [1, {"b": null}]}\n{"kind": "footer"}\n'
)
OUTCOME = Outcome(
    *("a.b", "Q?", "C.", True, "V."),
    quantities=(Quantity("q", 1.0, 0.5, 1.5), Quantity("r", 2.0)),
    tables={"t": [{"x": 1}]},
    observations=(Observation("heads", next(iter(Step)), True),),
    claims=("c",),
)
LOG = [{"step": 1, "loss": 8.0, "alignments": {"W_O": [1.0], "V": [0.9, None], "W": [0.9]}}]


def results(folder):
    found = [
        Result(*("a.b", "reference", "passed", "It holds.", "derived here", "property"), claims=("c",)),
        Result(*("a.c", "theory", "passed", "It holds.", "derived here", "exact"), error_over_bound=0.5),
    ]
    claims = ({"id": "c", "verdict": "holds", "evidence": "exact"},)
    write_run(folder / "made", Run({"seed": 0}, tuple(found), {**summarise(found, 1.0), "claims": 1}, claims))
    return [(folder / "made").read_bytes()]


def outcomes(folder):
    write_outcomes(folder / "made", {"seed": 0}, [OUTCOME])
    return [(folder / "made").read_bytes()]


def certificates(folder):
    return [json.dumps(prove(1, 1, 1, kind)).encode() for kind in ("leading", "next")]


def check_certificate(path):
    """The certificate as it is, and with its digest made right, so that what comes after that is reached."""
    certificate = read_certificate(path)
    check(certificate)
    resealed = sealed({key: value for key, value in certificate.items() if key != "sha256"})
    assert isinstance(check(resealed).holds, bool)


def about_run(folder):
    """What `leadterms train` says of a run of a published size; the log beside it is whole."""
    sizes = tables()["published-runs"]["tinystories"]
    settings = {"layers": int(sizes["layers"]), "rate": float(sizes["rate"]), "batch": int(sizes["batch"])}
    settings |= {"accumulate": 1, "steps": int(sizes["steps"])}
    log = [*LOG, {**LOG[0], "step": int(sizes["steps"])}]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in log))
    about = {"vocab_size": int(sizes["vocab_size"]), "length": int(sizes["length"]), "settings": settings}
    return [json.dumps(about).encode()]


def log_of_run(folder):
    (folder / "run.json").write_bytes(about_run(folder)[0])
    return [(folder / "log.jsonl").read_bytes()]


def read_vectors(path):
    list(checking.faults(path.parent))
    list(checking.cases(path.parent))


def one_case(folder):
    """A file with the smallest case of the vectors, which with its list makes a folder of them."""
    vector = next(one for one in vectors() if one.method == "statistics")
    case = as_json(vector)
    (folder / SCHEMA).write_text(schema_text())
    (folder / PUBLISHED).write_text(json.dumps({case["id"]: digest(case)}))
    document = {"format": 1, "method": "statistics", "provenance": "derived", "cases": [case]}
    document["flags"] = {flag: FLAGS[flag] for flag in case["flags"]}
    return [json.dumps(document).encode()]


READERS = [
    Reader("tokens", "t.json", lambda _: [TOKENS], read_tokens),
    Reader("expected failures", "x.toml", lambda _: [EXPECTED], read_expected),
    Reader("names", "n.toml", lambda _: [NAMES], read_names),
    Reader("results", "r.jsonl", results, read_run),
    Reader("experiments", "e.jsonl", lambda _: [EXPERIMENTS], read_experiments),
    Reader("outcomes", "o.jsonl", outcomes, read_outcomes),
    Reader("certificate", "c.json", certificates, check_certificate),
    Reader("about a run", "run.json", about_run, lambda path: read_experiments(path.parent)),
    Reader("log of a run", "log.jsonl", log_of_run, lambda path: read_experiments(path.parent)),
    Reader("vectors", "statistics.json", one_case, read_vectors),
    Reader("published vectors", "published.json", lambda _: [b'{"a": "b"}'], lambda p: published(p.parent)),
]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_damaged_file_is_read_or_refused(reader, tmp_path, profile):
    hold(reader, tmp_path, profile)
