"""Tables that come back: pandas frames where pandas is installed, else a small table that prints and converts."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np


class Table(Mapping):
    """Columns of equal length by name, with a name for each row where there are any."""

    def __init__(self, columns: Mapping[str, Any], index: Any = None, index_name: str | None = None) -> None:
        self._columns = {name: np.asarray(values) for name, values in columns.items()}
        self.index = None if index is None else list(index)
        self.index_name = index_name

    def __getitem__(self, name: str) -> np.ndarray:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        rows = len(next(iter(self._columns.values()))) if self._columns else 0
        return rows, len(self._columns)

    def to_pandas(self) -> Any:
        """As a pandas frame."""
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("pandas is not installed: install it with `pip install pandas`") from None

        frame = pd.DataFrame(dict(self._columns), index=self.index)
        frame.index.name = self.index_name
        return frame

    def to_polars(self) -> Any:
        """As a polars frame; names of rows become its first column."""
        try:
            import polars as pl
        except ImportError:
            raise ImportError("polars is not installed: install it with `pip install polars`") from None

        columns: dict[str, Any] = dict(self._columns)
        if self.index is not None:
            columns = {self.index_name or "index": self.index, **columns}
        return pl.DataFrame({name: list(values) for name, values in columns.items()})

    def _cells(self) -> list[list[str]]:
        def cell(value: Any) -> str:
            return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)

        rows = range(self.shape[0])
        names = [[]] if self.index is None else [[self.index_name or "", *map(str, self.index)]]
        body = [[name, *(cell(values[row]) for row in rows)] for name, values in self._columns.items()]
        return [column for column in names + body if column]

    def __repr__(self) -> str:
        columns = self._cells()
        wide = [max(map(len, column)) for column in columns]
        lines = zip(*columns, strict=True)
        return "\n".join("  ".join(text.rjust(width) for text, width in zip(line, wide, strict=True)) for line in lines)

    def _repr_html_(self) -> str:
        head, *body = zip(*self._cells(), strict=True)

        def row(cells, tag):
            return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in cells) + "</tr>"

        return f"<table>{row(head, 'th')}{''.join(row(cells, 'td') for cells in body)}</table>"


def frame(columns: Mapping[str, Any], index: Any = None, index_name: str | None = None) -> Any:
    """A pandas frame where pandas is installed, else a `Table`."""
    table = Table(columns, index, index_name)
    try:
        return table.to_pandas()
    except ImportError:
        return table
