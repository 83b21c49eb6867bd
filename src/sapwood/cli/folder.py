"""The folder of a run: what it holds, and whose it is."""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .. import __version__
from .._container import write_whole
from ..results import Result
from .aside import Aside

FILES = {
    "metrics": "metrics.json",
    "curve": "curve.parquet",
    "model": "model.sapwood",
    "report": "report.html",
    "settings": "settings.json",
}
CHECKPOINT = "checkpoint.sapwood"


class RunFolder:
    """A folder for one run.

    Parameters
    ----------
    path : Path
        The folder; it need not be there yet.
    """

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_dir():
            raise ValueError(f"{path} is a file; --out takes a folder.")
        self.path = path
        self.checkpoint = path / CHECKPOINT
        self._files = [path / name for name in (*FILES.values(), CHECKPOINT)]
        self._aside = Aside(path, self._files, self.checkpoint)

    @contextmanager
    def taken(self, about: Mapping[str, Any], command: list[str], force: bool) -> Iterator[None]:
        """Take the folder for a new run; ValueError if it has another.

        If the block fails, what was there before is there again; where there was nothing, the
        checkpoint stays.
        """
        if not force and any(file.exists() for file in self._files):
            go_on = " --resume to go on with it," if self.checkpoint.exists() else ""
            raise ValueError(
                f"{self.path} holds a run already. Pass{go_on} --force to replace it, or --out to "
                "name another folder."
            )
        with self._aside.taken():
            self._note(about, command, complete=False)
            yield

    def resume(self, about: Mapping[str, Any]) -> None:
        """Make sure that the checkpoint in the folder is of a run on the same rows."""
        if not self.checkpoint.exists():
            why = "no run was interrupted there"
            if (self.path / FILES["metrics"]).exists():
                why = "its run is complete"
            elif (self.path / FILES["settings"]).exists():
                why = "its run ended before anything was kept; --force begins it anew"
            raise ValueError(f"There is nothing to resume in {self.path}: {why}.")
        noted = self.noted
        kept = noted["stream"]
        # Where to end, and what to do at the next bad row, may be another from here on.
        free = ("limit", "on_error")
        different = [n for n, value in about.items() if n not in free and kept.get(n) != value]
        if different:
            raise ValueError(
                f"{self.path} was left by a run with another {', '.join(different)}: repeat that "
                "command, or pass --force instead of --resume to begin anew."
            )
        self._aside.adopt(noted.get("replaced"))

    @property
    def noted(self) -> dict[str, Any]:
        """What the folder says of its run; ValueError if it is not that of one."""
        path = self.path / FILES["settings"]
        if not path.exists():
            raise ValueError(f"There is nothing to resume in {self.path}: it has no {path.name}.")
        try:
            noted: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if not (isinstance(noted["stream"], dict) and isinstance(noted["command"], list)):
                raise TypeError
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise ValueError(f"{path} is cut short, or not what a run wrote.") from error
        return noted

    def write(
        self, result: Result, about: Mapping[str, Any], command: list[str], complete: bool
    ) -> dict[str, str]:
        """Write all files; return their paths."""
        from ..report import write_report

        # The library names a stream by its file; to repeat the run its path is needed.
        more = {"reading": dict(about), "command": shlex.join(command)}
        result = dataclasses.replace(result, settings={**result.settings, **more})
        paths = {name: self.path / file for name, file in FILES.items()}
        result.to_json(paths["metrics"])
        result.to_parquet(paths["curve"])
        result.model.save(paths["model"])
        write_report(result, paths["report"])
        self._note(about, command, complete=complete, settings=result.settings)
        if complete:
            self.checkpoint.unlink(missing_ok=True)
            self._aside.drop()
        else:
            paths["checkpoint"] = self.checkpoint
        return {name: str(path) for name, path in paths.items()}

    @property
    def replaced(self) -> Path | None:
        """Where the run lies that this one replaces, until it is done."""
        return self._aside.path

    def _note(
        self,
        about: Mapping[str, Any],
        command: list[str],
        complete: bool,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        noted = {
            "sapwood": __version__,
            "command": command,
            "stream": dict(about),
            "complete": complete,
            "replaced": None if complete or self.replaced is None else self.replaced.name,
            "run": None if settings is None else dict(settings),
        }
        text = json.dumps(noted, ensure_ascii=False, indent=1)
        write_whole(self.path / FILES["settings"], f"{text}\n".encode())
