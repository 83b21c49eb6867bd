"""Pairs (x, y) one by one, from a generator or any other iterable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._intake import as_array, is_missing
from .._labels import label_array
from .stream import OBJECT_CELLS, Stream


class PairStream(Stream):
    """Rows of an iterable, taken from it only as they are asked for.

    Parameters
    ----------
    pairs : iterable
        Pairs (x, y), or x alone if there are no labels. Each x is a dict, or a sequence of values
        that are as many in all rows.
    labelled : bool
        Whether there are labels.
    on_error : {"stop", "missing", "skip"}
        What happens at a row without a label, or of another form than the first.
    """

    def __init__(
        self, pairs: Iterable[Any], *, labelled: bool = True, on_error: str = "stop"
    ) -> None:
        # An iterator is its own iterator and starts once; a list or data set starts anew.
        super().__init__(
            type(pairs).__name__, labelled=labelled, on_error=on_error, once=iter(pairs) is pairs
        )
        self._pairs = pairs

    def _pass(self, rows: int, labelled: bool) -> Iterator[tuple[Any, Any]]:
        xs: list[Any] = []
        ys: list[Any] = []
        form: int | None = None  # number of values, -1 for dicts
        cells = 0
        for row, item in enumerate(self._pairs, 1):
            if not self._labelled:
                x, y = item, None
            elif isinstance(item, (tuple, list)) and len(item) == 2:
                x, y = item
            else:
                self._bad(row, None, f"a {type(item).__name__} is no pair (x, y)", unit="row")
                continue
            found, what = _form(x)
            if what is None and form is not None and found != form:
                what = f"the row is {_described(found)} where the first is {_described(form)}"
            if what is None and labelled and is_missing(y):
                what = "the label is missing"
            if what is not None:
                self._bad(row, None, what, unit="row")
                continue
            form = found
            xs.append(x)
            ys.append(y)
            cells += len(x)
            if len(xs) == rows or cells >= OBJECT_CELLS:
                yield _chunk(xs, form), label_array(ys) if labelled else None
                xs, ys, cells = [], [], 0
        if xs and form is not None:
            yield _chunk(xs, form), label_array(ys) if labelled else None


def _form(x: Any) -> tuple[int, str | None]:
    if isinstance(x, Mapping):
        return -1, None
    if isinstance(x, (str, bytes)) or not hasattr(x, "__len__"):
        return 0, f"x is a {type(x).__name__}, neither a dict nor a sequence of values"
    return len(x), None


def _described(form: int) -> str:
    return "a dict" if form < 0 else f"a sequence of {form} values"


def _chunk(xs: list[Any], form: int) -> Any:
    return xs if form < 0 else as_array(xs)
