"""Small files are read as far as they may be large, and without what an editor put before them."""

import pytest

from reference.errors import InputError
from reference.small_files import read_small


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
