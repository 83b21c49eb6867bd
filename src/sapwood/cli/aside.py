"""What a run takes the place of: put aside, and given back if that run fails."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .exits import note

_NAME = ".replaced-"


class Aside:
    """The files that a run puts aside until it has something to put in their place.

    Parameters
    ----------
    folder : Path
        The run's folder; it need not be there yet.
    files : iterable of Path
        What a run makes, or may find of an earlier one, in this folder.
    worth : Path, optional
        The file of which a failed run leaves all that it made, unless it replaced something.
    """

    def __init__(self, folder: Path, files: Iterable[Path], worth: Path | None = None) -> None:
        self.folder = folder
        self.path: Path | None = None  # where it is put
        self._worth = worth
        self._files = [*files]
        self._there: list[Path] = []
        self._new = False

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Put the files aside for a block; if it fails, the folder is as it was before."""
        self._there = [file for file in self._files if file.exists()]
        self._new = not self.folder.exists()
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in (left := _left_in(self.folder)):
            note(f"sapwood: {path} holds what a run replaced that did not end: remove it, or move")
            note("  its files back.")
        try:
            if self._there:
                last = max((int(path.name.removeprefix(_NAME)) for path in left), default=0)
                self.path = self.folder / f"{_NAME}{last + 1}"
                self.path.mkdir()
                for file in self._there:
                    file.replace(self.path / file.name)
            yield
        except BaseException:
            try:
                if self.path is not None or self._worth is None or not self._worth.exists():
                    self._give_back()
            except OSError as error:  # the reason of the failure is said all the same
                note(f"sapwood: {error}: what {self.folder} held before lies in {self.path}.")
            raise

    def adopt(self, name: str | None) -> None:
        """Take over what the run that goes on put aside under this name, if it is there."""
        self.path = next((path for path in _left_in(self.folder) if path.name == name), None)

    def _give_back(self) -> None:
        """Remove what the run made, and put everything where it was."""
        for file in self._files:
            kept = None if self.path is None else self.path / file.name
            if kept is not None and kept.exists():
                kept.replace(file)
            elif file not in self._there:
                file.unlink(missing_ok=True)
        if self.path is not None:
            self.path.rmdir()
            self.path = None
        if self._new and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def drop(self) -> None:
        """Remove what was put aside: something else is in its place."""
        if self.path is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            self.path = None


def _left_in(folder: Path) -> list[Path]:
    """Return what was put aside by runs that were killed, oldest first."""
    return sorted(path for path in folder.glob(f"{_NAME}*") if path.name[len(_NAME) :].isdecimal())
