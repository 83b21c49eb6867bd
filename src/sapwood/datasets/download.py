"""Files from their public homes: by HTTP, or from the package index with pip's own client."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from .catalogue import WHEEL

__all__ = ["FetchError", "Progress", "check_wheel", "download", "download_wheel"]

Progress = Callable[[int, int | None], None]

WHEEL_SHA256 = "17842a0719992871f66f2edd475c3cf947be73d16595cb28d9ec26a79cfc58de"
_PIECE = 1 << 16


class FetchError(OSError):
    """A dataset could not be had from its source; nothing was kept."""


def download(
    url: str, target: Path, *, progress: Progress | None = None, timeout: float = 30.0
) -> Path:
    """Stream a file to a path; whatever goes wrong leaves nothing there.

    Parameters
    ----------
    url : str
        Where it is.
    target : Path
        Where it goes; it appears there only when it is whole.
    progress : callable, optional
        Called with the bytes done and, if the server tells it, the bytes in all; else None.
    timeout : float
        Seconds without an answer after which to give up.

    Returns
    -------
    Path
        The target.
    """
    # Here, since `import sapwood` should not pay for an HTTP client.
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    partial = target.with_name(target.name + ".part")
    try:
        request = Request(url, headers={"User-Agent": "sapwood"})
        with urlopen(request, timeout=timeout) as answer, partial.open("wb") as file:
            told = answer.headers.get("Content-Length")
            total = int(told) if told is not None and told.isdigit() else None
            done = 0
            while piece := answer.read(_PIECE):
                file.write(piece)
                done += len(piece)
                if progress is not None:
                    progress(done, total)
        if total is not None and done != total:
            raise FetchError(f"{url}: the transfer ended after {done} of {total} bytes")
        partial.replace(target)
    except FetchError:
        raise
    except HTTPError as error:
        error.close()
        raise FetchError(f"{url}: the server answered {error.code} {error.reason}") from error
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise FetchError(f"{url}: {str(reason) or type(error).__name__}") from error
    finally:
        partial.unlink(missing_ok=True)
    return target


def download_wheel(folder: Path, *, progress: Progress | None = None) -> Path:
    """Let pip download the wheel with two of the datasets, and check it; nothing is installed.

    pip is asked, and not a fixed address, so that the user's index, proxy and certificates hold.

    Parameters
    ----------
    folder : Path
        Where it goes.
    progress : callable, optional
        Called once, at the end: pip does not tell how far it is.

    Returns
    -------
    Path
        The wheel.
    """
    if importlib.util.find_spec("pip") is None:
        raise FetchError(f"{WHEEL}: this Python has no pip to download it with")
    # -P: a file pip.py in the current folder must not be taken for pip.
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input"]
    command += ["download", "--no-deps", "--only-binary", ":all:", "--python-version", "3.7"]
    command += ["--implementation", "cp", "--abi", "cp37m", "--platform", "manylinux1_x86_64"]
    command += ["--dest", str(folder), "scikit-multiflow==0.4.1"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    wheel = folder / WHEEL
    if ran.returncode != 0 or not wheel.is_file():
        errors = [line for line in ran.stderr.splitlines() if line.startswith("ERROR")]
        said = " ".join(errors) or ran.stderr.strip() or f"it ended with {ran.returncode}"
        raise FetchError(f"{WHEEL}: pip could not download it. {said}")
    check_wheel(wheel)
    if progress is not None:
        progress(wheel.stat().st_size, wheel.stat().st_size)
    return wheel


def check_wheel(wheel: Path) -> None:
    """Refuse a wheel that is not the one that was published."""
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != WHEEL_SHA256:
        raise FetchError(f"{WHEEL}: its SHA-256 is {found}, not {WHEEL_SHA256}")
