r"""A file of several parts: a description as JSON, and bytes.

Nothing in it is code, but for the part "pickle" of a run with a model of another library.

8 bytes ``\x89SAPASK\n``, the format's number and the length of the JSON as little-endian words of
8 bytes, the JSON, the parts one after the other, and a SHA-256 of all that stands before.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from ._fields import count, of, require, require_fields

MAGIC = b"\x89SAPASK\n"
_VERSION = 1
#: What decoding raises on bytes that sapwood never wrote.
_OF_BROKEN_BYTES = (
    json.JSONDecodeError,
    UnicodeDecodeError,
    struct.error,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
)
_PIECE = 16_384  # characters that are encoded at once


def pack(
    kind: str,
    header: dict[str, Any],
    parts: dict[str, bytes],
    default: Callable[[Any], Any] | None = None,
) -> bytes:
    """Return the bytes of a file of this kind.

    Parameters
    ----------
    kind : str
        What the file holds.
    header : dict
        The description; an iterator is written as a list.
    parts : dict of bytes
        The parts by name.
    default : function, optional
        Makes what JSON does not know into what it does.
    """
    sizes = {name: len(part) for name, part in parts.items()}
    text = _json({**header, "kind": kind, "parts": sizes}, default).encode()
    body = MAGIC + struct.pack("<QQ", _VERSION, len(text)) + text
    body += b"".join(parts[name] for name in sorted(parts))  # the order of the JSON
    return body + hashlib.sha256(body).digest()


def unpack(kind: str, data: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return header and parts; ValueError says what is wrong with the bytes."""
    require(data.startswith(MAGIC), "it does not begin as one does")
    require(len(data) >= len(MAGIC) + 16 + 32, "it is truncated")
    version, length = struct.unpack_from("<QQ", data, len(MAGIC))
    if version > _VERSION:
        raise ValueError(
            f"The file has format {version}, and this version of sapwood reads up to {_VERSION}; "
            "upgrade sapwood."
        )
    sound = hashlib.sha256(data[:-32]).digest() == data[-32:]
    require(sound, "it is truncated, or some byte was changed")
    at = len(MAGIC) + 16
    header = json.loads(data[at : at + length])
    require(isinstance(header, dict), "its description is none")
    if header.get("kind") != kind:
        raise ValueError(f"The file holds a {header.get('kind')}, not a {kind}.")
    require_fields(header, {"parts": of(dict)})
    sizes = header["parts"]
    at += length
    whole = all(map(count, sizes.values())) and at + sum(sizes.values()) == len(data) - 32
    require(whole, "its parts are not as long as it says")
    parts = {}
    for name, size in sizes.items():
        parts[name] = data[at : at + size]
        at += size
    return header, parts


def _json(header: dict[str, Any], default: Callable[[Any], Any] | None) -> str:
    """Encode a header. A long list is encoded piece by piece: between two, other threads run."""
    encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=default).encode
    fields = []
    for name in sorted(header):
        value, text = header[name], ""
        if isinstance(value, (list, Iterator)):
            text = f"[{','.join(_pieces(value, encode))}]"
        fields.append(f"{encode(name)}:{text or encode(value)}")
    return f"{{{','.join(fields)}}}"


def _pieces(items: Iterable[Any], encode: Callable[[Any], str]) -> Iterator[str]:
    left, n = iter(items), 16
    while some := list(islice(left, n)):
        text = encode(some)
        yield text[1:-1]
        n = max(1, n * _PIECE // len(text))
        if len(some) > 1 and len(text) > _PIECE // 4:
            time.sleep(1e-5)  # who waits for the interpreter's lock would else wait for 5 ms


@contextmanager
def reading(path: str | os.PathLike[str] | None = None) -> Iterator[None]:
    """Let whatever is wrong with a file's bytes be a ValueError, which names the file."""
    where = "" if path is None else f"{os.fspath(path)}: "
    try:
        yield
    except _OF_BROKEN_BYTES as error:
        raise ValueError(
            f"{where}Not a readable sapwood file: it is damaged, or none of ours "
            f"({type(error).__name__}: {error})."
        ) from error
    except ValueError as error:
        if path is None:
            raise
        raise ValueError(f"{where}{error}") from error


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file as a whole or not at all: a crash leaves what was there before."""
    target = Path(path)
    temporary = target.with_name(f".sapwood-{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
