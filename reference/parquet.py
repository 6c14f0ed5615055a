"""A Parquet file to documents: one column of text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reference.errors import InputError, listed, reason
from reference.text import check_readable, unix_lines

ROWS_AT_ONCE = 1024


def read_parquet(path: Path, field: str) -> Iterator[str]:
    """Yield the texts of the column `field`, in order.

    Raises:
        InputError: pyarrow is not installed, the file is no Parquet file, or the column is missing, no text,
            null in a row or not UTF-8 in one.
    """
    check_readable(path)
    for row, text in enumerate(_column(path, field)):
        if not isinstance(text, str):
            raise InputError(
                f"{path}, row {row} has no text in '{field}' but {str(text)[:40]}; give another --field, "
                "or leave the row out."
            )
        yield unix_lines(text)


def _column(path: Path, field: str) -> Iterator[Any]:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise InputError(
            f"Reading {path} needs the package pyarrow; run: pip install 'leadterms[parquet]'."
        ) from None
    try:
        with ParquetFile(path) as file:
            names = file.schema_arrow.names
            if field not in names:
                raise InputError(f"{path} has no column '{field}' (it has {listed(names)}); give --field.")
            rows = (
                row for batch in file.iter_batches(ROWS_AT_ONCE, columns=[field]) for row in batch.column(0)
            )
            for number, value in enumerate(rows):
                yield _read(value, f"{path}, row {number}", field)
    except (ArrowException, OSError) as error:
        raise InputError(
            f"{path} cannot be read as a Parquet file ({reason(error)}); give another."
        ) from None


def _read(value: Any, where: str, field: str) -> Any:
    """Return what a value of a column is in Python: only here is it seen whether text is UTF-8."""
    try:
        return value.as_py()
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{where} has a value in '{field}' that cannot be read ({reason(error)}); mend the file, or "
            "leave the row out."
        ) from None
