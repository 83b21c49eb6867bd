"""The text of ``--help``."""

from __future__ import annotations


def helped(what: str, *examples: str, more: str = "") -> str:
    r"""Return the help of a verb: what it does, examples that can be pasted, and what else to know.

    A paragraph that begins with ``\b`` keeps its lines.
    """
    lines = "\n".join(f"  {example}" for example in examples)
    parts = [what, f"\b\nExamples:\n{lines}", more]
    return "\n\n".join(part for part in parts if part).replace("[", "\\[")
