"""Small files are read as far as they may be large, and without what an editor put before them."""

import pytest

from reference.errors import InputError
from reference.small_files import parsed, parsed_toml, read_small


def test_a_byte_order_mark_is_dropped(tmp_path):
    path = tmp_path / "names.toml"
    path.write_bytes(b"\xef\xbb\xbfV = 'W'\n")
    assert read_small(path, "mapping file") == "V = 'W'\n"


def test_no_more_is_read_than_may_be_there(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(1 << 42)  # four tebibytes that take no place on the disk
    with pytest.raises(InputError, match="is larger than 1 MiB; check the name"):
        read_small(path, "tokens file", largest=1 << 20)


def test_as_much_as_may_be_there_is_read(tmp_path):
    path = tmp_path / "full.json"
    path.write_text("12345678")
    assert read_small(path, "tokens file", largest=8) == "12345678"


def test_of_two_values_of_one_key_none_is_taken():
    with pytest.raises(InputError, match=r"a\.json is not JSON \(an object has the key 'V' twice\)"):
        parsed('{"a": [{"V": 1, "W": 2, "V": 3}]}', "a.json")


DEEP = 100_000


@pytest.mark.parametrize(
    ("read", "text"),
    [(parsed, "[" * DEEP + "]" * DEEP), (parsed_toml, "a = " + "[" * DEEP + "]" * DEEP)],
    ids=["JSON", "TOML"],
)
def test_what_is_nested_too_deeply_is_told(read, text):
    with pytest.raises(InputError, match=r"a\.file is not (JSON|TOML)"):
        read(text, "a.file")
