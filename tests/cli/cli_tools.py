"""What the tests of the command line share."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from typer.testing import CliRunner

from sapwood.cli.app import app

SOURCE = str(Path(sys.modules["sapwood"].__file__).resolve().parents[1])
RUNNER = CliRunner(env={"COLUMNS": "200", "TERMINAL_WIDTH": "200", "NO_COLOR": "1", "TERM": "dumb"})


def call(*words, code=0, text=None):
    """Run the command line in this process; return the result after a check of the exit code."""
    done = RUNNER.invoke(app, [str(word) for word in words], input=text)
    assert done.exit_code == code, (done.output, done.exception)
    return done


def answer(*words, code=0, text=None):
    """Return the JSON that the command line prints."""
    return json.loads(call(*words, code=code, text=text).stdout)


@contextmanager
def process(*words, **options):
    """Start the command line as a user would; PYTHONPATH only matters if it is not installed."""
    found = os.pathsep.join(filter(None, [SOURCE, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": found, **options.pop("env", {})}
    command = [sys.executable, "-m", "sapwood", *map(str, words)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, **{**pipes, **options}) as started:
        try:
            yield started
        finally:
            started.kill()  # nothing if it has ended


def interrupt(started, number=signal.SIGINT):
    """Send a signal, Ctrl-C mostly, when all that was written is read, and the process waits.

    Python hears a signal when a read that waits is broken off; one that comes just before it begins
    to wait is heard at the next.
    """
    import fcntl
    import termios

    started.stdin.flush()
    waiting = b"\1"
    while any(waiting):
        waiting = fcntl.ioctl(started.stdin.fileno(), termios.FIONREAD, b"\0" * 4)
        time.sleep(0.05)
    time.sleep(0.5)
    started.send_signal(number)


def same(found, wanted):
    """Whether two sets of metrics are equal but for the time they took."""
    names = set(wanted) - {"seconds"}
    return {n: found[n] for n in names} == {n: wanted[n] for n in names}
