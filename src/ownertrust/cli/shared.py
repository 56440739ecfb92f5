"""What every command does alike: formats, output, exit codes, messages."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer

from ownertrust.foundation.problems import InputProblems, Problem

EXIT_NO = 1
EXIT_BAD_INPUT = 2


class Format(StrEnum):
    """How a result is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


class PageFormat(StrEnum):
    """How a result with a page of its own is written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


DealArgument = Annotated[str, typer.Argument(metavar="DEAL", help="A bundled deal's name, or a deal file.")]
FormatOption = Annotated[
    Format | None,
    typer.Option("--format", help="table (default on a terminal), json (default when piped) or csv."),
]
PageFormatOption = Annotated[
    PageFormat | None,
    typer.Option("--format", help="table (default on a terminal), json (default when piped), csv or html."),
]
OutOption = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file instead.")]

P = ParamSpec("P")
R = TypeVar("R")


def fail(message: str) -> NoReturn:
    """Refuse bad usage or input: one message, exit code 2."""
    sys.stderr.write(f"{message}\n")
    raise typer.Exit(EXIT_BAD_INPUT)


def reporting(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what a person can act on into messages and exit code 2."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            _keep_inputs(kwargs)
            return command(*args, **kwargs)
        except InputProblems as error:
            fail(str(error))
        except (ValueError, OSError) as error:
            fail(f"ownertrust: {error}")

    return wrapped


def _keep_inputs(arguments: dict[str, Any]) -> None:
    """Refuse to write over a file that the command reads; only the closing state may take the opening one's place."""
    for key, spared in (("out", ()), ("closing", ("opening",))):
        place = arguments.get(key)
        output = Path(place) if place is not None else None
        if output is None or not output.is_file():
            continue
        for name, value in arguments.items():
            if name in ("out", "closing", *spared) or not isinstance(value, (str, Path)) or not str(value):
                continue
            if Path(value).is_file() and output.samefile(value):
                raise InputProblems(
                    [Problem(str(output), "", "a file that this command reads", "another place to write")]
                )


def chosen(format_: StrEnum | None) -> str:
    """The format asked for, or that of the place written to."""
    if format_ is not None:
        return str(format_)
    return "table" if sys.stdout.isatty() else "json"


def emit(text: str | bytes, out: Path | None) -> None:
    """Write a result to standard output, or to a file whole."""
    if out is None:
        if isinstance(text, bytes):
            sys.stdout.buffer.write(text)
        else:
            sys.stdout.write(text)
        return
    from ownertrust.reports.output import write_whole

    try:
        write_whole(out, text)
    except OSError as error:
        raise InputProblems(
            [Problem(str(out), "--out", error.strerror or str(error), "a file that can be written")]
        ) from None


@contextmanager
def staged_outputs(outputs: Sequence[tuple[Path | None, str]]) -> Iterator[None]:
    """Write results once the block has gone well; where it has not, no file changes and nothing is printed."""
    from ownertrust.reports.output import staged

    try:
        with staged([(file, text) for file, text in outputs if file is not None]):
            yield
    except OSError as error:
        place = error.filename or "a file to write"
        raise InputProblems(
            [Problem(str(place), "", error.strerror or str(error), "a file that can be written")]
        ) from None
    for file, text in outputs:
        if file is None:
            sys.stdout.write(text)


def emit_frame(
    title: str, frame: Any, format_: Format | None, out: Path | None, extra: dict[str, Any] | None = None
) -> None:
    """Write one frame as table, CSV or JSON (`{…extra, "rows": […]}`)."""
    from ownertrust.reports.output import records, to_csv, to_json, to_table

    kind = chosen(format_)
    if kind == "json":
        emit(to_json({**(extra or {}), "rows": records(frame.columns, frame.iter_rows())}), out)
    elif kind == "csv":
        emit(to_csv(frame.columns, frame.iter_rows()), out)
    else:
        emit(to_table(title, frame.columns, frame.iter_rows()), out)
