"""Labelled streams: files, tables and generators, read in chunks.

>>> from sapwood import streams
>>> stream = streams.open(([[0.5], [1.5], [2.5]], ["no", "yes", "yes"]))
>>> [len(y) for _, y in stream.chunks(rows=2)]
[2, 1]
"""

from .errors import BadRow, LabelError, StreamError, StreamWarning
from .opening import open
from .stream import Stream

__all__ = ["BadRow", "LabelError", "Stream", "StreamError", "StreamWarning", "open"]
