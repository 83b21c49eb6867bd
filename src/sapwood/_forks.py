"""Locks that a fork waits for, so that its child finds nobody amid a call.

The core's own are held by the core (``locks.hpp``).
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

_listing = threading.RLock()  # nobody makes a lock while a fork goes through them
_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_held: list[Any] = []
_missed: list[Any] = []
_PATIENCE = 10.0  # seconds: two threads that fork amid their calls would wait for each other


def new_lock() -> Any:
    """Return a lock that is free in every child."""
    lock = threading.RLock()
    with _listing:
        _locks.add(lock)
    return lock


def _hold() -> None:
    _take(_listing)
    for lock in list(_locks):
        _take(lock)


def _take(lock: Any) -> None:
    (_held if lock.acquire(timeout=_PATIENCE) else _missed).append(lock)


def _let_go() -> None:
    """In the parent, and in the child: the thread that forked is the same in both."""
    _missed.clear()
    while _held:
        _held.pop().release()


def _begin_anew() -> None:
    """In the child: who holds a lock that could not be had is not there to let it go."""
    for lock in _missed:
        lock._at_fork_reinit()
    _let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_begin_anew)
