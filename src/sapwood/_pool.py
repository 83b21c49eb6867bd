"""Work done by several processes, finished piece by finished piece."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait as wait_for
from typing import TypeVar

K = TypeVar("K")
T = TypeVar("T")
R = TypeVar("R")


def finished(
    function: Callable[[T], R],
    tasks: Mapping[K, T],
    jobs: int,
    until: float | None = None,
) -> Generator[tuple[K, R], None, None]:
    """Yield the key and the result of each task, in the order in which they end.

    Close it by name (``contextlib.closing``): what is interrupted must not go on in the workers.

    Parameters
    ----------
    function : callable
        What is done with a task; importable, since it runs in other processes.
    tasks : mapping
        Tasks by key, begun in this order.
    jobs : int
        Processes at a time; 1 works in this one.
    until : float, optional
        A time of ``time.monotonic`` after which no task is begun.
    """
    jobs = min(jobs, len(tasks))

    def late() -> bool:
        return until is not None and time.monotonic() >= until

    if jobs <= 1:
        for key, task in tasks.items():
            if late():
                return
            yield key, function(task)
        return
    before = set(multiprocessing.active_children())
    # Spawned, since a process that is forked beside threads may hang.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_as_worker)
    rest = iter(tasks.items())
    running: dict[Future[R], K] = {}

    def begin() -> None:
        # One more than there are processes, so that none waits for this one.
        while len(running) <= jobs and not late():
            key, task = next(rest, (None, None))
            if task is None:
                return
            running[pool.submit(function, task)] = key  # type: ignore[assignment]

    try:
        begin()
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
            begin()
    except BaseException as error:
        # What is not finished is not waited for: it is done by the next call.
        pool.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        if isinstance(error, BrokenProcessPool):
            raise ChildProcessError(
                "A worker process was ended from outside, perhaps for want of memory: try fewer "
                "jobs."
            ) from error
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _as_worker() -> None:
    """Let Ctrl-C end a worker without a traceback, and let it not outlive its parent."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent says what happened
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)  # nobody is there to take a result
