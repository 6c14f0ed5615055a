"""Tables that several claims share are put in where a claim names them, or refused."""

import pytest

from paper_checks.ledger.book import filled_in, tables
from reference.errors import InputError


def test_a_table_and_a_column_stand_where_they_are_named():
    profile = tables()["poem-model"]["profile"]
    value = {"all": "table:poem-model/profile", "one": ["table:poem-model/profile/entropy", "0.5"]}
    assert filled_in("here", value) == {"all": profile, "one": [profile["entropy"], "0.5"]}


@pytest.mark.parametrize("name", ["no-file", "poem-model/no-table", "poem-model/profile/entropy/deeper"])
def test_a_table_that_is_not_there_is_refused(name):
    with pytest.raises(InputError, match=f"here: there is no 'table:{name}'"):
        filled_in("here", {"map": f"table:{name}"})
