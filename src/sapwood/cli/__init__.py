"""The command line: ``sapwood``, or ``python -m sapwood``.

One file per verb. Exit codes, the same for all verbs:

- 0: done.
- 1: the data could not be read or had: a bad row, a damaged file, no network.
- 2: wrong usage: an unknown option, a file that is not there, a folder that is in use.
- 3: done, but rows were skipped, or values taken as missing (``--on-error``).
- 130: interrupted; what was done is kept.
- 143: told to end, by SIGTERM; what was done is kept.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line on the arguments of the process."""
    try:
        import rich  # noqa: F401 - typer can do without, the verbs cannot
        import typer  # noqa: F401
    except ImportError:
        sys.stderr.write("The command line needs some packages: pip install 'sapwood[cli]'\n")
        raise SystemExit(2) from None
    from .app import app

    app(prog_name="sapwood")
