"""Models compared on purpose: each is fitted to most rows of a table and scored on the rest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from . import _data, _native
from ._executor import courier
from ._options import said
from ._result import _ends, _known
from ._table import Table, frame
from ._watch import Watch

MODELS, HOLD_OUT = _native.compare_defaults()


class Comparison:
    """Models by how well they predict rows held out."""

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    @property
    def table(self) -> Any:
        """One row per model: its log density per held-out row with its error, and how far it is behind the best.

        Errors hold the choice of rows and the error of the runs; differences are taken row by row.
        """
        return self._table(frame)

    def _table(self, make: Any) -> Any:
        lines = self._found["models"]
        behind = [line["behind"] or {} for line in lines]
        columns = {
            "score": [_known(line["score"]) for line in lines],
            "se": [_known(line["se"]) for line in lines],
            "behind": [_known(one.get("mean")) for one in behind],
            "behind_se": [_known(one.get("se")) for one in behind],
            "low": [_ends(one.get("ci95"))[0] for one in behind],
            "high": [_ends(one.get("ci95"))[1] for one in behind],
            "prior": [line["prior"] or "" for line in lines],
            "replicates": [line["replicates"] for line in lines],
            "censored": [line["censored"] for line in lines],
            "unknown": [line["unknown"] for line in lines],
        }
        return make(columns, [line["model"] for line in lines], "model")

    @property
    def best(self) -> str:
        """The model with the largest score."""
        return self._found["models"][self._found["best"]]["model"]

    @property
    def rows(self) -> int:
        """Rows that the models were fitted to."""
        return self._found["rows"]

    @property
    def held_out(self) -> int:
        """Rows held out."""
        return self._found["held_out"]

    def to_dict(self) -> dict[str, Any]:
        """All of it, as `partita compare --json` prints it."""
        return json.loads(json.dumps(self._found))

    def to_pandas(self) -> Any:
        """The table as a pandas frame."""
        return self._table(Table).to_pandas()

    def to_polars(self) -> Any:
        """The table as a polars frame."""
        return self._table(Table).to_polars()

    def __repr__(self) -> str:
        head = f"log predictive density per row, on {self.held_out} held-out rows (fitted to {self.rows})"
        return f"{head}\n{self._table(Table)!r}"

    def _repr_html_(self) -> str:
        head = f"<p>Log density per row of {self.held_out} rows held out, fitted to {self.rows}</p>"
        return head + self._table(Table)._repr_html_()


def compare(
    data: Any,
    *,
    model: str | Sequence[str] | None = None,
    hold_out: float | None = None,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    id_column: str | None = None,
    column_type: Any = None,
    cluster_prior: str | None = None,
    time: float | str | None = None,
    replicates: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    executor: Any = None,
    progress: Any = "auto",
) -> Comparison:
    """Compares models of a table by how well they predict rows held out.

    Each model is fitted to the same rows, by a run of its own, and scored by the log predictive density of the others.

    Parameters
    ----------
    data
        A table, as for `fit`.
    model
        The models: any of auto, known, shared, shared-columns, diagonal and full. Default: diagonal and full.
    hold_out
        The share of the rows that is held out. Default: a fifth.
    columns, drop, id_column, column_type, cluster_prior
        As for `fit`, for all models; a prior of covariance matrices is for `full` alone.
    time, replicates
        How long each model runs, or for how many replicates.
    seed
        The seed; it also draws the rows held out.
    threads, executor, progress
        As for `fit`.

    Returns
    -------
    Comparison
        Scores with errors, and differences from the best.

    Examples
    --------
    >>> import partita
    >>> points = [[0.1 * i + 9 * (i % 2)] for i in range(20)]
    >>> found = partita.compare(points, model=["known", "diagonal"], replicates=10)
    >>> found.rows, found.held_out, len(found.table)
    (16, 4, 2)
    """
    options = {
        "columns": columns,
        "drop": drop,
        "id_column": id_column,
        "column_type": column_type,
        "cluster_prior": cluster_prior,
        "time": time,
        "replicates": replicates,
        "seed": seed,
        "threads": threads,
    }
    models = MODELS if model is None else [model] if isinstance(model, str) else [str(one) for one in model]
    taken = _data.table(data, None, options)
    watch = Watch(progress)
    try:
        found = _native.compare(
            [word for words in models for word in words.split(",")],
            HOLD_OUT if hold_out is None else hold_out,
            said({**options, **taken.options}),
            taken.native,
            courier(executor),
            watch,
        )
    finally:
        watch.close()
    return Comparison(json.loads(found))
