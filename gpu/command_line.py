"""Running a command line: what it exits with, and what a person reads when it stops."""

from __future__ import annotations

import errno
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from typer import BadParameter
from typer.core import TyperCommand

from gpu.interrupts import interrupts
from reference.errors import InputError, meant, reason

# File systems take 255 bytes; some are needed for the name of what is written beside.
LONGEST_NAME = 220
SHOWN_OF_A_NAME = 60
# As a shell has it of a program that the signal SIGPIPE ended: an answer not read to its end is no verdict.
PIPE_CLOSED = 128 + 13


def run_command(command: Callable[[], object], name: str) -> None:
    """Run a command line and exit.

    The status is 0 when all is well, 1 when a check fails, 2 when the input or the call is wrong, 130 after
    Ctrl-C, and 141 where the reader of a pipe went away.
    """
    interrupts.listen()
    try:
        status = _run(command, name)
    except BaseException:
        # Whatever an interrupted import or call came to: it was interrupted.
        if not interrupts.came:
            raise
        status = None
    interrupts.ignore()
    if interrupts.came:
        status = interrupts.stopped(f"{name}: stopped before the end; no file is left half written.")
    sys.exit(status)


def _run(command: Callable[[], object], name: str) -> int | str | None:
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding lacks is shown by its number.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    for size in ("COLUMNS", "LINES"):
        # A terminal that does not know its size says 0, into which nothing at all would be printed.
        if os.environ.get(size, "1").strip("0") == "":
            del os.environ[size]
    printed = sys.stdout
    try:
        _refuse_empty(sys.argv[1:])
        try:
            command()
        finally:
            printed.flush()
    except InputError as error:
        _tell(f"{name}: {error}")
        return 2
    except SystemExit as end:
        # Where a reader went away, typer leaves another stream, and rich, which prints the help, ends with 1.
        went_away = sys.stdout is not printed or isinstance(end.__context__, BrokenPipeError)
        return PIPE_CLOSED if went_away else end.code
    except BrokenPipeError:
        sys.stdout = _nowhere()
        return PIPE_CLOSED
    except OSError as error:
        _tell(f"{name}: {_told(error)}")
        return 2
    except ImportError as error:
        if not _is_of_torch(error):
            raise
        _tell(f"{name}: {_why_no_torch(error)}")
        return 2
    except (MemoryError, RuntimeError) as error:
        if not _is_of_memory(error):
            raise
        _tell(f"{name}: the memory does not suffice; give less text, or smaller sizes.")
        return 2
    return 0


def _tell(sentence: str) -> None:
    try:
        print(sentence, file=sys.stderr)
    except BrokenPipeError:
        sys.stderr = _nowhere()


def _nowhere() -> TextIO:
    """Return what to print on where there is nobody left to tell; it stays for as long as the process."""
    return open(os.devnull, "w", encoding="utf-8")


def _is_of_torch(error: ImportError) -> bool:
    """Return whether torch is not there, or was being imported when something else was found missing."""
    at = error.__traceback__
    while at is not None and at.tb_frame.f_globals.get("__name__") != "torch":
        at = at.tb_next
    return at is not None or (error.name or "").split(".")[0] == "torch"


def _why_no_torch(error: ImportError) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name == "torch":
        return "this needs torch: pip install 'leadterms[gpu]'."
    return f"torch is installed but cannot be imported ({reason(error)}); install it again."


def _is_of_memory(error: Exception) -> bool:
    """Return whether memory did not suffice: torch has words for that on a CPU, and a class for a GPU."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    return bool(kinds & {"MemoryError", "OutOfMemoryError"}) or "can't allocate memory" in str(error)


def _refuse_empty(words: Sequence[str]) -> None:
    """Refuse an empty word, which a shell makes of a variable that is not set.

    Raises:
        InputError: there is one.
    """
    for number, word in enumerate(words):
        if word == "" or (word.startswith("--") and word.endswith("=")):
            before = word or (words[number - 1] if number else "the command")
            if before.startswith("-"):
                raise InputError(
                    f"There is nothing after {before.rstrip('=')}; give a value or leave it out."
                )
            raise InputError(
                f"What follows {before} is empty; write something between the quotes. A shell gives this for "
                "a variable that is not set, too."
            )


def _told(error: OSError) -> str:
    if error.filename is None:
        return f"the output cannot be written: {reason(error)}."
    name = os.fsdecode(error.filename) if isinstance(error.filename, (str, bytes)) else str(error.filename)
    shown = name if len(name) <= SHOWN_OF_A_NAME else f"{name[:SHOWN_OF_A_NAME]}..."
    if error.errno == errno.ENAMETOOLONG:
        return (
            f"the name {shown} has {len(name):,} characters, more than a file can have; give a shorter one."
        )
    return f"{shown} cannot be used: {reason(error)}; give another."


class CarefulCommand(TyperCommand):
    """A command that refuses, before anything is read, to write where it must not.

    What is written is --json, and --out where that is a FILE; every other argument and option that names
    a file or a folder is what is read (but for the folder of --out). Its help is wrapped by paragraphs, and a
    choice that there is not is told with the one that may be meant.
    """

    def __init__(self, *rest: Any, **named: Any) -> None:
        super().__init__(*rest, **named)
        # Lines as they are broken in the source would be broken again where a terminal is narrower.
        paragraphs = inspect.cleandoc(self.help or "").split("\n\n")
        self.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments.

        Raises:
            BadParameter: one of them is none of the choices, or cannot be read.
        """
        try:
            return super().parse_args(ctx, self._with_the_corpus_in_its_place(args))
        except BadParameter as error:
            error.message = _with_the_choice_meant(error.message)
            raise

    def _with_the_corpus_in_its_place(self, args: list[str]) -> list[str]:
        """Take --corpus FILE for the argument CORPUS where a command has that: elsewhere it is the option."""
        by_kind = {parameter.param_type_name for parameter in self.params if parameter.name == "corpus"}
        if by_kind != {"argument"}:
            return args
        return [part for word in args for part in _without_the_option(word)]

    def invoke(self, ctx: Any) -> Any:
        """Run the command.

        Raises:
            InputError: a file could not be written, is no plain file, or is among what is read.
        """
        outputs = {p.name for p in self.params if p.name == "json" or _is_a_file_to_write(p)}
        written = [Path(value) for name, value in ctx.params.items() if name in outputs and value is not None]
        for path in written:
            require_folder(path)
        require_different(*written)
        read = [
            path
            for name, value in ctx.params.items()
            if name not in {*outputs, "out"}
            for path in _named(value)
        ]
        for path in written:
            require_unread(path, read)
        return super().invoke(ctx)


def _without_the_option(word: str) -> list[str]:
    if word == "--corpus":
        return []
    return [word.removeprefix("--corpus=")]


def _with_the_choice_meant(message: str) -> str:
    plain = message.removeprefix("Value error, ")
    found = re.fullmatch(r"'(.*)' is not one of ((?:'[^']*'(?:, )?)+)\.", plain)
    return plain + meant(found[1], re.findall(r"'([^']*)'", found[2])) if found else plain


def _is_a_file_to_write(parameter: Any) -> bool:
    return "--out" in parameter.opts and parameter.metavar == "FILE"


def _named(value: object) -> Iterator[Path]:
    """Yield the files and folders that a value names, if it does."""
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _named(one)
    elif isinstance(value, (str, Path)):
        path = Path(str(value).removeprefix("weights:"))
        try:
            if path.exists():
                yield path
        except (OSError, ValueError):  # no name that a file could have
            return


def require_unread(path: Path, read: Iterable[Path]) -> None:
    """Refuse a file to write that is what the command reads, or lies in a folder that it reads.

    Raises:
        InputError: it is.
    """
    place = path.resolve()
    for source in read:
        if place == source.resolve() or (path.exists() and source.is_file() and path.samefile(source)):
            raise InputError(
                f"{path} is what the command reads; what is read and what is written must be different files."
            )
        if path.exists() and source.is_dir() and place.is_relative_to(source.resolve()):
            raise InputError(f"{path} is in {source}, which the command reads; name a file elsewhere.")


def require_folder(path: Path | None) -> None:
    """Refuse a file that could not be written, before any work is done.

    Raises:
        InputError: the path is a folder, a device, a pipe, a socket or a symbolic link, its folder is missing
            or cannot be written to, or its name is too long.
    """
    if path is None:
        return
    if len(os.fsencode(path.name)) > LONGEST_NAME:
        raise InputError(f"The name {path.name[:SHOWN_OF_A_NAME]}... is too long; give a shorter one.")
    if path.is_symlink():
        raise InputError(f"{path} is a symbolic link; name the file that it leads to, or another one.")
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file to write.")
    if path.exists() and not path.is_file():
        raise InputError(
            f"{path} is a device or a pipe, which cannot be there whole or not at all; give a file to write."
        )
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}; create it or name another file.")
    _require_writable(folder, "name a file in another one")


def require_new_folder(path: Path | None) -> None:
    """Refuse a folder to write into that could not be made or written to, before any work is done.

    Raises:
        InputError: it or a folder above it is a file, or no file can be made there.
    """
    if path is None:
        return
    home = path.absolute()
    while not os.path.lexists(home):
        home = home.parent
    if not home.is_dir():
        raise InputError(f"{path} cannot be a folder: {home} is a file; name another folder.")
    _require_writable(home, "name another one")


def _require_writable(folder: Path, hint: str) -> None:
    from tempfile import TemporaryFile

    try:
        # Permissions alone do not tell: root has them all, and a disk may be read-only or full.
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be written to: {reason(error)}; {hint}.") from None


def require_different(*paths: Path | None) -> None:
    """Refuse to write over what is read, or one output over another.

    Raises:
        InputError: two of the paths, those that are not None, are the same file.
    """
    places = [path.resolve() for path in paths if path is not None]
    if len(set(places)) < len(places):
        raise InputError("The corpus and the files to write must be different files; name another one.")
