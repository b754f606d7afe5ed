"""Data that come with partita."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np

from . import _native
from ._table import frame


def penguins(*, species: bool = False) -> Any:
    """344 penguins of three species, measured near Palmer Station, Antarctica (Gorman, Williams, Fraser 2014; CC0).

    Four measurements of the body, island and sex, some of them missing. The species, which a clustering should find,
    come along where they are asked for, as known classes: `fit(penguins(species=True), labels="species")`.

    Examples
    --------
    >>> import partita
    >>> list(partita.datasets.penguins())[:2]
    ['island', 'bill_length_mm']
    """
    rows = list(csv.DictReader(_native.PENGUINS.splitlines()))
    away = {"year"} if species else {"species", "year"}
    return frame({name: _column(rows, name) for name in rows[0] if name not in away})


def _column(rows: list[dict[str, str]], name: str) -> np.ndarray:
    cells = [None if row[name] in ("", "NA") else row[name] for row in rows]
    try:
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    except ValueError:
        return np.array(cells, dtype=object)
