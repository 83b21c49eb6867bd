"""Looking inside a tree: its size, its importances, and the tree as text, table and picture."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from . import _core, drawing
from .explain import Certificate


class Inspection:
    """The methods of a tree that only look."""

    __slots__ = ("__dict__", "__weakref__", "_model")  # a slot is found faster, in each single call

    _model: _core.Model | None  # from the first row on
    _waiting: float = 0  # rows that ``advance`` counted before

    def __new__(cls, *_: object, **__: object) -> Self:
        """Make a tree without a model."""
        self = super().__new__(cls)
        self._model = None
        return self

    @property
    def n_leaves_(self) -> int:
        """Number of leaves; 1 before the first split."""
        return 1 if self._model is None else self._model.n_leaves

    @property
    def depth_(self) -> int:
        """Depth of the deepest leaf; 0 for a single leaf."""
        return 0 if self._model is None else self._model.depth

    @property
    def t_(self) -> float:
        """The clock: rows learned, and rows counted by ``advance``."""
        return self._waiting if self._model is None else self._model.t

    @property
    def n_unmatched_(self) -> int:
        """Rows asked about by name, without any known column, since it was made or loaded."""
        return 0 if self._model is None else self._model.n_unmatched

    @property
    def nbytes_(self) -> int:
        """Bytes that the model holds, names included."""
        return 0 if self._model is None else self._model.nbytes

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the impurity removed, each split weighted by its traffic."""
        model = self._model
        if model is None or not model.columns:
            raise AttributeError("feature_importances_ is not defined before the first row.")
        nodes = model.nodes()
        splits = model.splits()[: len(nodes) // 2]  # another thread may have made more since
        columns = {name: j for j, name in enumerate(model.columns)}
        traffic = [float(node.get("learned", 0.0)) for node in nodes]
        for node in reversed(nodes):  # children stand after their parent
            if not node["is_leaf"]:
                own = float(splits[node["split"]]["m"])
                traffic[node["node"]] = own + traffic[node["left"]] + traffic[node["right"]]
        importances = np.zeros(len(columns))
        for split in splits:
            importances[columns[split["feature"]]] += split["gain"] * traffic[split["node"]]
        total = importances.sum()
        return importances / total if total > 0 else importances

    def to_dataframe(self) -> Any:
        """Return a pandas DataFrame with a row per node: its place, its split or its leaf."""
        import pandas

        if self._model is None:
            return pandas.DataFrame()
        nodes, rows = self._model.nodes(), []
        splits, classes = self._model.splits(), self._model.classes
        listed = [label for label in self._model.sorted_classes if label in classes]
        for node in nodes:
            votes = [*node["votes"], *[0] * (len(classes) - len(node["votes"]))]
            row: dict[str, Any] = {
                "node": node["node"],
                "parent": node["parent"],
                "depth": node["depth"],
                "is_leaf": node["is_leaf"],
                "left": node.get("left"),
                "right": node.get("right"),
            }
            split = None if node["is_leaf"] else splits[node["split"]]
            for field in Certificate.__dataclass_fields__:
                if field != "depth":
                    row[field] = None if split is None else split[field]
            row["gain"] = None if split is None else split["gain"]
            row["learned"] = node.get("learned")
            row["collecting"] = node.get("collecting")
            row["prediction"] = classes[int(np.argmax(votes))] if classes else None
            counts = dict(zip(classes, votes, strict=True))
            row |= {f"votes_{label}": counts[label] for label in listed}
            rows.append(row)
        return pandas.DataFrame(rows)

    def export_text(self, *, certificates: bool = True) -> str:
        """Return the tree as indented text, each split with its evidence."""
        return drawing.as_text(self._model, certificates=certificates)

    def to_svg(self) -> str:
        """Return the tree as a self-contained SVG picture; needs no other program."""
        return drawing.as_svg(self._model)

    def plot(self, ax: Any = None) -> Any:
        """Draw the tree with matplotlib; returns the axes."""
        return drawing.plot(self._model, ax)
