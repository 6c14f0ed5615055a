"""Files that are nearly right: bytes of a valid one with some of them changed, or any bytes at all."""

import re

from hypothesis import strategies as st

# What stands for a value in JSON, in TOML and in the headers of arrays: a text, a number, a word, or a group.
VALUE = re.compile(
    rb'"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|\b(?:true|false|null)\b|\[[^\[\]{}]*\]|\{[^\[\]{}]*\}'
)
# A name and its value, with the comma that follows.
ENTRY = re.compile(
    rb'"\w+": (?:"[^"\n]*"|[\d.]+|null|\[[^\[\]{}]*\]|\{[^\[\]{}]*\}), |^\w+ = .*\n', re.MULTILINE
)
# What a reader does not expect there.
ODD = [
    *(b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"-1", b"0", b"0.5", b"1" * 5000, b"1" * 30),
    *(b"9007199254740993", b"18446744073709551616", b"-9223372036854775809", b"4294967296", b"1000000"),
    *(b'""', b'"\\ud800"', b'"\\u0000"', b'"x"', b'"1/0"', b'"kind"', b"'x'", b'"' + b"x" * 3000 + b'"'),
    *(b"[]", b"{}", b"[[]]", b"[[1, 2], [3]]", b"[null]", b'{"a": 1}', b"[" * 3000, b'{"a":' * 3000),
    *(b"", b" ", b"\n", b",", b'"', b"[", b"}", b"=", b"#", b"\\"),
]
# The same for what is no text: lengths that are too large, zeros, bytes that are not UTF-8.
BYTES = [
    *(b"\xff" * 8, b"\x00" * 8, b"\xff" * 4, b"\x00" * 4, b"\x7f" + b"\xff" * 7, b"\xff" * 7 + b"\x7f"),
    *(b"\xff", b"\x00", b"\x80", b"\r", b"\r\n", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xa8"),
    *(b"PK\x05\x06", b"PK\x01\x02", b"\x93NUMPY", b"<|endoftext|>", b"(1000000, 1000000)", b"|O", b">i8"),
]


def spoiled(valid: list[bytes]) -> st.SearchStrategy[bytes]:
    """Return a strategy for what a damaged or malicious file may hold where one of `valid` should be."""
    place = st.integers(0, 1 << 16)
    edit = st.tuples(st.sampled_from(sorted(EDITS)), place, place, st.sampled_from(ODD + BYTES))
    edited = st.builds(_edited, st.sampled_from(valid), st.lists(edit, max_size=3))
    return st.one_of(edited, edited, edited, edited, st.binary(max_size=80))


def _edited(content: bytes, edits: list[tuple[str, int, int, bytes]]) -> bytes:
    for name, place, size, piece in edits:
        content = EDITS[name](content, place, size, piece)
    return content


def _value(content: bytes, place: int, size: int, piece: bytes) -> bytes:
    """Put something else in the place of a whole value."""
    found = [match.span() for match in VALUE.finditer(content)]
    if not found:
        return content + piece
    start, end = found[place % len(found)]
    return content[:start] + piece + content[end:]


def _entry(content: bytes, place: int, size: int, piece: bytes) -> bytes:
    """Leave out a name with its value, where it stands by itself."""
    found = [match.span() for match in ENTRY.finditer(content)]
    start, end = found[place % len(found)] if found else (0, 0)
    return content[:start] + content[end:]


def _inserted(content: bytes, place: int, size: int, piece: bytes) -> bytes:
    at = place % (len(content) + 1)
    return content[:at] + piece + content[at:]


def _replaced(content: bytes, place: int, size: int, piece: bytes) -> bytes:
    at = place % (len(content) + 1)
    return content[:at] + piece + content[at + len(piece) :]


def _flipped(content: bytes, place: int, size: int, piece: bytes) -> bytes:
    at = place % (len(content) + 1)
    return content[:at] + bytes(byte ^ (1 << size % 8) for byte in content[at : at + 1]) + content[at + 1 :]


def _removed(content: bytes, place: int, size: int, piece: bytes) -> bytes:
    at = place % (len(content) + 1)
    return content[:at] + content[at + 1 + size % 40 :]


def _twice(content: bytes, place: int, size: int, piece: bytes) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    at = place % len(lines)
    return b"".join([*lines[: at + 1], *lines[at:]])


def _cut(content: bytes, place: int, size: int, piece: bytes) -> bytes:
    return content[: place % (len(content) + 1)]


EDITS = {
    "another value": _value,
    "an entry missing": _entry,
    "something more": _inserted,
    "something else": _replaced,
    "one bit": _flipped,
    "something less": _removed,
    "a line twice": _twice,
    "the end missing": _cut,
}
