"""The paper's experiments, to be repeated: ``sapwood reproduce``, or :func:`reproduce`.

One part per figure (``synthetic``, ``full``, ``active``, ``theorems``), with its runs, figures,
tables and verdicts; the sizes are in ``settings``, and the paper's own numbers in ``paper``.
"""

from __future__ import annotations

from .reproduction import PARTS, reproduce
from .settings import SCALES

__all__ = ["PARTS", "SCALES", "reproduce"]
