"""How a verb ends: what is said on standard error, and the exit code."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer

from ..report.words import counted, whole

_SHOWN_FAULTS = 3
DONE, DATA, USAGE, SKIPPED, INTERRUPTED = 0, 1, 2, 3, 130
TERMINATED = 128 + signal.SIGTERM

_MEANINGS = {
    DONE: "done",
    DATA: "the data cannot be read or had: bad rows, a damaged file, no network",
    USAGE: "wrong usage",
    SKIPPED: "done, but rows were skipped, or values taken as missing (--on-error)",
    INTERRUPTED: "interrupted; what was done is kept",
    TERMINATED: "told to end (SIGTERM); what was done is kept",
}


def exit_codes(*codes: int) -> str:
    """Return the part of a help text that lists exit codes."""
    lines = (f"  {code:<5}{_MEANINGS[code]}" for code in codes)
    return "\b\nExit codes:\n" + "\n".join(lines)


EXITS = exit_codes(*_MEANINGS)

# The library's advice names its arguments; on the command line they are options.
_OPTIONS = (
    (r"on_error=[\"'](\w+)[\"']", r"--on-error \1"),
    (r"types=\{'([^']*)': '(\w+)'\}", r"--types '\1=\2'"),
    (r"\bformat=", "--format"),
    (r"\bheader=True", "--header"),
    (r"\bheader=False", "--no-header"),
    (r"\btimes=", "--times"),
    (r"\bpositive=", "--positive "),
    (r"\blabel=(?!False)", "--label"),
    # A verb that learns has labels.
    (r", or label=False if there is none", ""),
    (r" Pass label=False if it has no labels[^.]*\.", ""),
    (r"\bmust be one of\b", "is one of"),
    (r"\btypes names\b", "--types names"),
    (r"\bheader is for\b", "--header is for"),
    (r"\bkind in types must be\b", "kind in --types is"),
    (r"; n_unmatched_ counts such rows", ""),
)


def note(message: str) -> None:
    """Say something that is no result, on standard error."""
    typer.echo(message, err=True)


def note_faults(skipped: int, mended: int, errors: list[str], where: str = "") -> None:
    """Say how many rows were skipped and values taken as missing, and the first of them."""
    counts = [counted(skipped, "row") + " skipped" + where] if skipped else []
    counts += [counted(mended, "value") + " taken as missing"] if mended else []
    note(f"{', '.join(counts)}:")
    for error in errors[:_SHOWN_FAULTS]:
        note(f"  {error}")
    more = skipped + mended - len(errors[:_SHOWN_FAULTS])
    if more > 0:
        note(f"  and {whole(more)} more")


def fail(message: str, code: int = USAGE) -> NoReturn:
    """End with a message and an exit code."""
    note(f"sapwood: {in_options(message)}")
    raise typer.Exit(code)


def in_options(message: str) -> str:
    """Return a message of the library in the words of the command line."""
    for pattern, option in _OPTIONS:
        message = re.sub(pattern, option, message)
    return message


@contextmanager
def told() -> Iterator[None]:
    """Turn the errors that a user can cause into a message and an exit code."""
    with _sigterm_heard(), _errors_told(), _warnings_told():
        yield


@contextmanager
def _errors_told() -> Iterator[None]:
    from ..datasets import FetchError
    from ..streams import LabelError, StreamError

    try:
        yield
    except LabelError as error:
        fail(str(error))
    except (StreamError, FetchError) as error:
        fail(str(error), DATA)
    except BrokenPipeError:
        # The reader, such as head, has enough. Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(DATA) from None
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError) as error:
        fail(_said(error))
    except OSError as error:
        fail(_said(error), DATA)
    except (ValueError, TypeError, ImportError) as error:
        fail(str(error))
    except KeyboardInterrupt as interrupt:
        note(f"{' '.join(['Interrupted', *map(str, interrupt.args)])}.")
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def _sigterm_heard() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does, but for the exit code."""
    came = False

    def heard(*_: object) -> None:
        nonlocal came
        came = True
        raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    if alone := main and before == signal.SIG_DFL:  # who ignores it goes on ignoring it
        signal.signal(signal.SIGTERM, heard)
    try:
        yield
    except typer.Exit as end:
        if came and end.exit_code == INTERRUPTED:
            raise typer.Exit(TERMINATED) from None
        raise
    finally:
        if alone:
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _warnings_told() -> Iterator[None]:
    """Say warnings as everything else is said, each once."""

    def tell(message: Warning | str, *_: Any, **__: Any) -> None:
        note(f"sapwood: {in_options(str(message))}")

    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = tell
        yield


def _said(error: OSError) -> str:
    """Return what the system said, without its number."""
    if not error.strerror:
        return str(error)
    return error.strerror if error.filename is None else f"{error.strerror}: {error.filename}"
