"""The folder of a run: what it holds, and whose it is."""

from __future__ import annotations

import dataclasses
import json
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import __version__
from ..results import Result

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
        self._new = not path.exists()
        self._aside = path / ".replaced"

    def begin(self, about: Mapping[str, Any], command: list[str], force: bool) -> None:
        """Take the folder for a new run; ValueError if it has another."""
        ours = [self.path / name for name in (*FILES.values(), CHECKPOINT)]
        there = [file for file in ours if file.exists()]
        if there and not force:
            go_on = " --resume to go on with it," if self.checkpoint.exists() else ""
            raise ValueError(
                f"{self.path} holds a run already. Pass{go_on} --force to replace it, or --out to "
                "name another folder."
            )
        # What is replaced is put aside until the new run has something to put in its place.
        for file in there:
            self._aside.mkdir(exist_ok=True)
            file.replace(self._aside / file.name)
        self.path.mkdir(parents=True, exist_ok=True)
        self._note(about, command, complete=False)

    def resume(self, about: Mapping[str, Any]) -> None:
        """Make sure that the checkpoint in the folder is of a run on the same rows."""
        if not self.checkpoint.exists():
            done = (self.path / FILES["metrics"]).exists()
            why = "its run is complete" if done else "no run was interrupted there"
            raise ValueError(f"There is nothing to resume in {self.path}: {why}.")
        kept = json.loads((self.path / FILES["settings"]).read_text(encoding="utf-8"))["stream"]
        # Where to end, and what to do at the next bad row, may be another from here on.
        free = ("limit", "on_error")
        different = [n for n, value in about.items() if n not in free and kept.get(n) != value]
        if different:
            raise ValueError(
                f"{self.path} was left by a run with another {', '.join(different)}: repeat that "
                "command, or pass --force instead of --resume to begin anew."
            )

    def write(
        self, result: Result, about: Mapping[str, Any], command: list[str], complete: bool
    ) -> dict[str, str]:
        """Write all files; return their paths."""
        from ..report import write_report

        # The library names a stream by its file; to repeat the run its path is needed.
        more = {"reading": dict(about), "command": shlex.join(command)}
        result = dataclasses.replace(result, settings={**result.settings, **more})
        paths = {name: self.path / file for name, file in FILES.items()}
        self._note(about, command, complete=complete, settings=result.settings)
        result.to_json(paths["metrics"])
        result.to_parquet(paths["curve"])
        result.model.save(paths["model"])
        write_report(result, paths["report"])
        shutil.rmtree(self._aside, ignore_errors=True)
        if complete:
            self.checkpoint.unlink(missing_ok=True)
        else:
            paths["checkpoint"] = self.checkpoint
        return {name: str(path) for name, path in paths.items()}

    def give_back(self) -> None:
        """Leave nothing behind of a run that did nothing."""
        (self.path / FILES["settings"]).unlink(missing_ok=True)
        if self._aside.exists():
            for file in self._aside.iterdir():
                file.replace(self.path / file.name)
            self._aside.rmdir()
        if self._new and self.path.exists() and not any(self.path.iterdir()):
            self.path.rmdir()

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
            "run": None if settings is None else dict(settings),
        }
        text = json.dumps(noted, ensure_ascii=False, indent=1)
        (self.path / FILES["settings"]).write_text(text + "\n", encoding="utf-8")
