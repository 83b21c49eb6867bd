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


def new_lock() -> Any:
    """Return a lock that is free in every child."""
    lock = threading.RLock()
    with _listing:
        _locks.add(lock)
    return lock


def _hold() -> None:
    _listing.acquire()
    _held.append(_listing)
    for lock in list(_locks):
        lock.acquire()
        _held.append(lock)


def _let_go() -> None:
    """In the parent and in the child: the thread that forked is the same in both."""
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)
