"""Ctrl-C at a moment when the run is in one piece."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from .evaluation import Evaluation


class Interrupts:
    """Ctrl-C: heard at once while rows are read, and between two rows while they are learned.

    A model that is stopped elsewhere would be ahead of its scores. SIGTERM is treated alike where
    the program handles it, as the command line does.
    """

    def __init__(self) -> None:
        self._learning = False
        self._came: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        # Only the main thread hears signals; in another, nothing can interrupt a chunk.
        if threading.current_thread() is not threading.main_thread():
            return self
        for number in (signal.SIGINT, signal.SIGTERM):
            # Who ignores a signal, as a job in the background does, goes on ignoring it; and one
            # that ends the process by itself, as SIGTERM mostly does, goes on to do so.
            if callable(before := signal.getsignal(number)):
                self._before[number] = before
                signal.signal(number, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self._came = number
        if not self._learning:
            self._stop(number, frame)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        self._before[number](number, frame)

    def feed(self, run: Evaluation, X: Any, y: Any, times: Any = None) -> None:
        """Feed a chunk, or its first rows."""
        self._learning = True
        try:
            run.feed(X, y, times, stop=lambda: self._came is not None)
        finally:
            self._learning = False
        if self._came is not None:
            number, self._came = self._came, None
            self._stop(number, None)
