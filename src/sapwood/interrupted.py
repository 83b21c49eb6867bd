"""What is raised where a call that learns is stopped midway."""

from __future__ import annotations


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, heard when some rows of a call had been learned.

    A call that raises anything else has learned nothing. (A signal may still come in the last
    moment, when the call returns; then Python raises its own KeyboardInterrupt. ``t_`` always says
    how many rows a tree has learned.)

    Attributes
    ----------
    rows : int
        Rows of the call that are learned, from its first on: go on with the row of this number.
    n_rows : int
        Rows that the call was given.
    """

    def __init__(self, rows: int, n_rows: int) -> None:
        super().__init__(_words(rows, n_rows))
        self.rows = rows
        self.n_rows = n_rows


def _words(rows: int, n_rows: int) -> str:
    if rows == n_rows:
        return f"after all {n_rows:,} rows were learned"
    return f"after {rows:,} of {n_rows:,} rows, which are learned: go on with row {rows:,}"


def told(error: BaseException, rows: int, n_rows: int) -> BaseException:
    """Return what to raise where a signal's handler raised an error amid a call."""
    if not rows:
        return error
    if isinstance(error, KeyboardInterrupt):
        return Interrupted(rows, n_rows).with_traceback(error.__traceback__)
    error.add_note(f"It came {_words(rows, n_rows)}.")
    return error
