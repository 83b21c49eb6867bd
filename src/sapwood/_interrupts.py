"""Ctrl-C at a moment when the run is in one piece."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from .evaluation import Evaluation


class Interrupts:
    """Ctrl-C: heard at once while rows are read, and after the rows at hand while they are learned.

    A model that is stopped amid a chunk would be ahead of its scores.
    """

    def __init__(self) -> None:
        self._learning = False
        self._came = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        # Only the main thread hears signals; in another, nothing can interrupt a chunk.
        # Who ignores the signal, as a job in the background does, goes on ignoring it.
        heard = signal.getsignal(signal.SIGINT) != signal.SIG_IGN
        if heard and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        self._came = True
        if not self._learning:
            raise KeyboardInterrupt

    def feed(self, run: Evaluation, X: Any, y: Any, times: Any = None) -> None:
        """Feed a chunk as a whole."""
        self._learning = True
        try:
            run.feed(X, y, times)
        finally:
            self._learning = False
        if self._came:
            raise KeyboardInterrupt
