"""Data as people have them, as columns or edges: arrays, frames, Arrow tables, graphs, paths."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Taken:
    """What was taken from data: `native` is what the compiled half gets, `index` what rows are called outside."""

    native: Any
    #: The options that go with it: names of rows and known classes.
    options: dict[str, Any] = field(default_factory=dict)
    #: The index of a pandas frame, or the vertices of a graph; None where rows have no names.
    index: Any = None


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


def _texts(values: Any) -> list[str | None]:
    """Texts with None for what is missing."""

    def text(value: Any) -> str | None:
        # NaN differs from itself, and pandas.NA from everything.
        return None if value is None or value is not value or str(value) in ("<NA>", "NaT", "nan") else str(value)

    return [text(value) for value in values]


def _refuse_dates(name: str, kind: Any) -> None:
    raise ValueError(
        f"column {name!r} holds {kind}, neither numbers nor categories: turn them into numbers, such as days, "
        f"or leave the column out with drop={name!r}"
    )


def _array_column(name: str, values: np.ndarray) -> tuple:
    """A numpy array as a column."""
    kind = values.dtype.kind
    if kind == "b":
        return name, np.ascontiguousarray(values, dtype=np.int64), ["False", "True"]
    if kind in "iuf":
        return name, values.astype(np.float64, copy=False)
    if kind in "mM":
        _refuse_dates(name, "dates or times")
    if kind == "c":
        raise ValueError(f"column {name!r} holds complex numbers: give their parts as columns of their own")
    values = values.astype(object)
    if all(isinstance(v, (bool, np.bool_)) or v is None or v is not v for v in values) and len(values):
        codes = np.array([-1 if v is None or v is not v else int(v) for v in values], dtype=np.int64)
        return name, codes, ["False", "True"]
    try:
        return name, np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    except (TypeError, ValueError):
        return name, _texts(values)


def _pandas_column(name: str, series: Any) -> tuple:
    dtype = series.dtype
    if hasattr(series, "cat"):
        return name, series.cat.codes.to_numpy().astype(np.int64), [str(c) for c in series.cat.categories]
    if isinstance(dtype, np.dtype):
        return _array_column(name, series.to_numpy())
    kind = getattr(dtype, "kind", "O")
    if kind == "b":
        codes = series.astype("Int64").fillna(-1).to_numpy(dtype=np.int64)
        return name, codes, ["False", "True"]
    if kind in "iuf":
        return name, series.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind in "mM":
        _refuse_dates(name, "dates or times")
    return name, _texts(series.to_numpy(dtype=object, na_value=None))


def _arrow_column(name: str, column: Any) -> tuple:
    """A pyarrow chunked array as a column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.unify_dictionaries() if isinstance(column, pa.ChunkedArray) else column
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0)
        codes = pc.fill_null(column.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
        return name, np.ascontiguousarray(codes), [str(level) for level in column.dictionary.to_pylist()]
    if pa.types.is_boolean(kind):
        codes = pc.fill_null(column.cast(pa.int64()), -1).to_numpy()
        return name, np.ascontiguousarray(codes), ["False", "True"]
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        values = column.cast(pa.float64()).to_numpy()
        return name, np.asarray(values, dtype=np.float64)
    if pa.types.is_null(kind):
        return name, np.full(len(column), np.nan)
    if pa.types.is_temporal(kind):
        _refuse_dates(name, "dates or times")
    return name, _texts(column.to_pylist())


def _polars_column(series: Any) -> tuple:
    """A polars series as a column."""
    import polars as pl

    name, kind = series.name, series.dtype
    if kind in (pl.Categorical, pl.Enum):
        values = series.cast(pl.String).to_list()
        # An Enum has its levels; all Categoricals share one list, so theirs are those that are there.
        levels = kind.categories.to_list() if kind == pl.Enum else [v for v in dict.fromkeys(values) if v is not None]
        place = {level: at for at, level in enumerate(levels)}
        return name, np.array([place.get(value, -1) for value in values], dtype=np.int64), levels
    if kind == pl.Boolean:
        return name, series.cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int64), ["False", "True"]
    if kind.is_numeric():
        return name, series.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if kind.is_temporal():
        _refuse_dates(name, "dates or times")
    return name, _texts(series.to_list())


def _module(data: Any) -> str:
    return type(data).__module__.partition(".")[0]


def columns(data: Any, names: list[str] | None = None) -> tuple[str, list[tuple], Any]:
    """What data are called, their columns, and their index."""
    if _module(data) == "pandas":
        if data.ndim == 1:
            data = data.to_frame()
        made = [_pandas_column(str(name), data.iloc[:, at]) for at, name in enumerate(data.columns)]
        if all(isinstance(name, (int, np.integer)) for name in data.columns):
            made = [(f"x{at + 1}", *column[1:]) for at, column in enumerate(made)]
        return "data frame", made, data.index
    if _module(data) == "polars":
        frame = data.collect() if hasattr(data, "collect") else data
        frame = frame if hasattr(frame, "get_columns") else frame.to_frame()
        return "data frame", [_polars_column(series) for series in frame.get_columns()], None
    if hasattr(data, "__arrow_c_stream__"):
        try:
            import pyarrow as pa
        except ImportError:
            raise ImportError("Arrow data are read by pyarrow: install it with `pip install pyarrow`") from None
        table = pa.table(data)
        made = [_arrow_column(str(name), table.column(at)) for at, name in enumerate(table.column_names)]
        return "table", made, None
    if hasattr(data, "__dataframe__"):
        try:
            from pyarrow.interchange import from_dataframe
        except ImportError:
            raise ImportError("Such frames are read by pyarrow: install it with `pip install pyarrow`") from None
        return columns(from_dataframe(data))
    if isinstance(data, Mapping):
        made = [_array_column(str(name), np.asarray(values)) for name, values in data.items()]
        return "columns", made, None
    if _module(data) == "scipy":
        raise TypeError(
            "a sparse matrix is no table: make it dense with .toarray(), or cluster a graph with partita.blocks"
        )
    values = np.asarray(data)
    if values.ndim == 1:
        values = values.reshape(-1, 1)
    if values.ndim != 2:
        raise ValueError(f"a table has rows and columns, but the array has {values.ndim} dimensions: reshape it")
    if names is None or len(names) != values.shape[1]:
        names = [f"x{at + 1}" for at in range(values.shape[1])]
    if values.dtype.kind in "iuf":
        values = values.astype(np.float64, copy=False)
    return "array", [_array_column(name, values[:, at]) for at, name in enumerate(names)], None


def _free(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


def table(data: Any, labels: Any = None, id_column: str | None = None) -> Taken:
    """Takes a table. `labels` are known classes: one for each row, or the name of a column."""
    by_name = isinstance(labels, str)
    if is_path(data):
        if labels is not None and not by_name:
            raise ValueError("labels of a file are one of its columns: give its name, or label_column")
        return Taken(data, {"label_column": labels} if by_name else {})
    title, made, index = columns(data)
    options: dict[str, Any] = {"label_column": labels} if by_name else {}
    names = [column[0] for column in made]
    if labels is not None and not by_name:
        known = _texts(np.asarray(labels, dtype=object).ravel())
        name = _free("labels", names)
        made.append((name, known))
        names.append(name)
        options["label_column"] = name
    if index is not None and id_column is None and type(index).__name__ != "RangeIndex":
        name = _free("index", names)
        made.append((name, _texts(index)))
        options["id_column"] = name
    return Taken((title, made), options, index)


def graph(data: Any) -> Taken:
    """Takes a graph: a path, a networkx graph, a scipy sparse or dense adjacency matrix, or pairs of vertices."""
    if is_path(data):
        return Taken(data)
    if _module(data) == "networkx":
        vertices = list(data.nodes)
        place = {vertex: at for at, vertex in enumerate(vertices)}
        pairs = [(place[u], place[v]) for u, v in data.edges()]
        return _edges([str(vertex) for vertex in vertices], pairs, vertices)
    if _module(data) == "scipy":
        matrix = data.tocoo()
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"an adjacency matrix is square, but this one has shape {matrix.shape}")
        there = matrix.data != 0
        edges = np.column_stack([matrix.row[there], matrix.col[there]])
        return _edges([str(at) for at in range(matrix.shape[0])], edges)
    values = np.asarray(data)
    if values.ndim == 2 and values.shape[1] != 2 and values.shape[0] == values.shape[1]:
        return _edges([str(at) for at in range(len(values))], np.argwhere(values != 0))
    if values.ndim != 2 or values.shape[1] != 2:
        raise ValueError("a graph is pairs of vertices, an adjacency matrix, a networkx graph or a path")
    if values.dtype.kind in "iu":
        numbered, places = np.unique(values, return_inverse=True)
        return _edges([str(vertex) for vertex in numbered.tolist()], places, numbered)
    named = list(dict.fromkeys(values.ravel().tolist()))
    place = {vertex: at for at, vertex in enumerate(named)}
    return _edges([str(vertex) for vertex in named], [place[vertex] for vertex in values.ravel().tolist()], named)


def _edges(names: list[str], edges: Any, index: Any = None) -> Taken:
    pairs = np.ascontiguousarray(np.asarray(edges, dtype=np.uint32).reshape(-1, 2))
    return Taken(("graph", names, pairs), index=index)
