"""LIBSVM files: a label, and the features that are not 0."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .dialect import SAMPLE_ROWS
from .errors import RowError, StreamError
from .labels import label_fault, label_kind, whole_label
from .lines import BLOCK_BYTES, SAMPLE_BYTES, Lines, cut_at_newline
from .source import Source
from .stream import fitting
from .textfile import TextStream
from .texts import number_fault, shown, truth_of

_MOST_FEATURES = 1 << 24
_ENTRIES = re.compile(rb"(?:\s+\d+:[^\s:_]+)*")
_INDEX = re.compile(rb"(?<![^\s])(\d{1,18}):[^\s:]")
_COMMENT = re.compile(rb"#[^\n]*")
_LABELS: dict[str, tuple[Callable[[bytes], Any], Any]] = {
    "int": (whole_label, np.int64),
    "whole": (whole_label, np.int64),
    "truth": (truth_of, np.bool_),
    "text": (bytes.decode, object),
}


class LibsvmStream(TextStream):
    """Rows of a LIBSVM file, as dense arrays of float64; what is absent is 0.

    A chunk of very wide rows has fewer rows than asked for.

    Parameters
    ----------
    source, on_error, block_bytes
        As for the base class.
    label : False or None
        False if lines have no label but begin with a feature.
    types : None
        All columns are numeric.
    n_features : int, optional
        Number of features; by default the highest index in the file, or, in what can be read only
        once, in its first million bytes.
    """

    def __init__(
        self,
        source: Source,
        *,
        label: Any = None,
        types: Mapping[str, str] | None = None,
        n_features: int | None = None,
        on_error: str = "stop",
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        super().__init__(
            source, labelled=label is not False, on_error=on_error, block_bytes=block_bytes
        )
        if label is not None and label is not False:
            raise ValueError("In LIBSVM the label is the first word; label can only be False.")
        if types:
            raise ValueError("In LIBSVM all columns are numeric; types cannot be given.")
        if n_features is not None and (
            isinstance(n_features, bool)
            or not isinstance(n_features, (int, np.integer))
            or n_features < 1
        ):
            raise ValueError(f"n_features must be a whole number above 0; got {n_features!r}.")
        self._n_features = n_features
        with self._look() as lines:
            held = lines.fill(SAMPLE_BYTES + 1)
            sample = lines.data[lines.at : lines.at + SAMPLE_BYTES]
            if held > SAMPLE_BYTES:
                sample = sample[: sample.rfind(b"\n") + 1]
            rows = [text for line in sample.split(b"\n") if (text := _content(line))]
            if not rows and held <= SAMPLE_BYTES:
                raise StreamError(f"{self.name} is empty.")
            if n_features is None and source.once:
                self._n_features = max(_highest_index(sample), 1)
        words = [row.split(None, 1)[0] for row in rows[:SAMPLE_ROWS]]
        self._label_kind = "text"
        self._sound_labels: set[bytes] = set()  # each is checked once
        if self._labelled:
            self._label_kind = label_kind(self.name, "label", words, None)

    def _pass(self, rows: int, labelled: bool) -> Iterator[tuple[Any, Any]]:
        if self._n_features is None:
            self._n_features = self._count_features()
        rows = fitting(rows, self._n_features)  # they are dense
        with self._lines() as lines:
            yield from self._chunks(lines, rows, labelled)

    def _count_features(self) -> int:
        highest = 1
        with self._lines() as lines:
            while lines.fill(1):
                end = lines.cut(self._block_bytes, cut_at_newline)
                end = end if end > lines.at else len(lines.data)
                highest = max(highest, _highest_index(lines.data[lines.at : end]))
                lines.advance(end)
        self.bytes_read = 0
        if highest > _MOST_FEATURES:
            raise StreamError(
                f"{self.name} has the index {highest}, too many features for dense rows. Pass "
                "n_features if that is an error in the file."
            )
        return highest

    def _chunks(self, lines: Lines, rows: int, labelled: bool) -> Iterator[tuple[Any, Any]]:
        held: list[tuple[int, bytes, bytes]] = []
        checked = 0  # rows of these whose entries were looked at one by one
        for number, block in self._blocks(lines):
            for line in block.removesuffix(b"\n").split(b"\n"):
                if text := _content(line):
                    label, entries = self._split(text)
                    fault = self._fault(label, entries, labelled)
                    if fault is None:
                        held.append((number, label, entries))
                    else:  # rows before it come first
                        held[checked:] = self._good(held[checked:])
                        checked = len(held)
                        self._bad(number, *fault)
                number += 1
                if len(held) == rows:
                    yield from self._chunk(held, labelled)
                    held, checked = [], 0
        yield from self._chunk(held, labelled)

    def _split(self, text: bytes) -> tuple[bytes, bytes]:
        """Return the label, and the rest with a space before it."""
        if not self._labelled:
            return b"", b" " + text
        label, *rest = text.split(None, 1)
        return label, b" " + rest[0] if rest else b""

    def _fault(self, label: bytes, entries: bytes, labelled: bool) -> tuple[str | None, str] | None:
        """Return the column at fault and what is wrong, None if the row looks like one."""
        if labelled and label not in self._sound_labels:
            fault = label_fault(label, self._label_kind)
            if b":" in label:
                fault = "the label is missing"
            if fault is not None:
                return "label", fault
            self._sound_labels.add(label)
        if not _ENTRIES.fullmatch(entries):
            for word in entries.split():
                if not _ENTRIES.fullmatch(b" " + word):
                    return None, f"{shown(word)} is no feature like 3:0.5"
        return None

    def _chunk(
        self, held: list[tuple[int, bytes, bytes]], labelled: bool
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[Any] | None]]:
        """Yield the rows as one chunk, if any is good."""
        parts = [entries.replace(b":", b" ").split() for _, _, entries in held]
        try:
            flat = np.fromiter(map(float, chain.from_iterable(parts)), np.float64)
        except ValueError:
            flat = np.full(1, np.nan)
        sizes = np.array([len(words) // 2 for words in parts], dtype=np.intp)
        if len(flat) != 2 * sizes.sum() or not self._is_sound(flat, sizes):
            if good := self._good(held):
                yield from self._chunk(good, labelled)
            return
        if not held:
            return
        assert self._n_features is not None
        X = np.zeros((len(held), self._n_features))
        X[np.repeat(np.arange(len(held)), sizes), flat[0::2].astype(np.intp) - 1] = flat[1::2]
        if not labelled:
            yield X, None
            return
        read, dtype = _LABELS[self._label_kind]
        values = {label: read(label) for label in {label for _, label, _ in held}}  # mostly few
        yield X, np.array([values[label] for _, label, _ in held], dtype=dtype)

    def _is_sound(self, flat: NDArray[np.float64], sizes: NDArray[np.intp]) -> bool:
        """Whether indices ascend within the bounds, and no value is infinite."""
        index, values = flat[0::2], flat[1::2]
        if not len(index):
            return True
        rising = np.diff(index) > 0
        ends = np.cumsum(sizes)[:-1]
        ends = ends[(ends > 0) & (ends < len(index))]
        rising[ends - 1] = True  # from one row to the next it may fall
        limit = self._n_features or 0
        inside = index.min() >= 1 and index.max() <= limit
        return bool(rising.all() and inside and not np.isinf(values).any())

    def _good(self, held: list[tuple[int, bytes, bytes]]) -> list[tuple[int, bytes, bytes]]:
        checked = ((*row[:2], self._checked(row[0], row[2])) for row in held)
        return [
            (number, label, entries) for number, label, entries in checked if entries is not None
        ]

    def _checked(self, number: int, entries: bytes) -> bytes | None:
        """Report a bad index or value; return the row, with such values missing, or None."""
        limit = self._n_features or 0
        last = 0
        mended: list[RowError] = []
        good: list[bytes] = []
        words = [word.partition(b":") for word in entries.split()]
        for index, _, text in words:
            place = int(index)
            fault, what, hint = _value_fault(text), None, ""
            if place < 1:
                # Every row with a first feature has it: to skip them would leave a biased rest.
                raise StreamError(
                    f"{self.name}, line {number}: the index 0 is below 1, the first. Write the "
                    "file so (scikit-learn: dump_svmlight_file(..., zero_based=False))."
                )
            elif place <= last:
                what = f"the index {place} comes after {last}; indices ascend"
            elif place > limit:
                what = f"the index {place} is above the number of features, {limit}"
                hint = "Pass a larger n_features"
            elif fault is not None and self._mends:
                mended.append(RowError(index.decode(), fault))
                text = b"nan"
            else:
                what = fault
            if what is not None:
                self._bad(number, index.decode(), what, hint)
                return None
            good.append(b" %s:%s" % (index, text))
            last = place
        self._mend(number, mended)
        return b"".join(good)


def _value_fault(text: bytes) -> str | None:
    try:
        float(text)
    except ValueError:
        return f"{shown(text)} is not a number"
    return number_fault(text)


def _content(line: bytes) -> bytes:
    """Return a line without comment and spaces around it."""
    return line.partition(b"#")[0].strip()


def _highest_index(text: bytes) -> int:
    """Return the highest index, 0 if there is none."""
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    return max(map(int, _INDEX.findall(text)), default=0)
