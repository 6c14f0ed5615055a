"""CITATION.cff is in its format, and of this version."""

import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
TEXT = {"type": "string", "minLength": 1}
URL = {"type": "string", "pattern": "^(https|http|ftp|sftp)://."}
PERSON = {
    "type": "object",
    "properties": {"family-names": TEXT, "given-names": TEXT, "affiliation": TEXT},
    "additionalProperties": False,
    "minProperties": 1,
}
ENTITY = {
    "type": "object",
    "properties": {"name": TEXT, "website": URL},
    "required": ["name"],
    "additionalProperties": False,
}
AUTHORS = {"type": "array", "items": {"anyOf": [PERSON, ENTITY]}, "minItems": 1, "uniqueItems": True}
# What the Citation File Format 1.2.0 says of the keys that are used here; it has more, and a key that is not
# among these is to be looked up there and added.
CITATION = {
    "type": "object",
    "properties": {
        "cff-version": {"const": "1.2.0"},
        "message": TEXT,
        "title": TEXT,
        "type": {"enum": ["software", "dataset"]},
        "version": TEXT,
        "license": TEXT,
        "authors": AUTHORS,
        "keywords": {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True},
        "references": {
            "type": "array",
            "minItems": 1,
            "uniqueItems": True,
            "items": {
                "type": "object",
                "properties": {
                    "type": {"enum": ["article", "conference-paper", "software"]},
                    "title": TEXT,
                    "authors": AUTHORS,
                    "year": {"type": "integer"},
                    "conference": ENTITY,
                    "url": URL,
                },
                "required": ["authors", "title", "type"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["authors", "cff-version", "message", "title"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("title: ", "titel: "),
        ("cff-version: 1.2.0", "cff-version: 1.1.0"),
        ("version: 0.1.0", "version: 2026-11-30"),
        ("year: 2026", "year: '2026'"),
        ("type: conference-paper", "type: paper"),
        ("- name: The", "- nam: The"),
        ("https://arxiv", "arxiv"),
        ("message: If", "# If"),
        ("      name: Int", "      title: Int"),
    ],
)
def test_the_citation_is_in_its_format(right, wrong):
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    jsonschema.validate(yaml.safe_load(text), CITATION)
    assert right in text
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(text.replace(right, wrong, 1)), CITATION)


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert f"{citation['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
