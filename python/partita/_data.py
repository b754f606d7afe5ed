"""Data as people have them, as columns or edges: arrays, frames, Arrow tables, graphs, paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NoReturn

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


def _module(data: Any) -> str:
    """The package that data are of, also where their own class is another's."""
    packages = [kind.__module__.partition(".")[0] for kind in type(data).__mro__]
    return next((name for name in packages if name in ("pandas", "polars", "pyarrow", "networkx")), packages[0])


def _is_missing(value: Any) -> bool:
    """Whether a cell is None, NaN, NaT or <NA>."""
    if value is None:
        return True
    try:
        # NaN and NaT differ from themselves.
        return bool(value != value)
    except (TypeError, ValueError, ArithmeticError):
        # Whether <NA> does, pandas does not say.
        return type(value).__name__ == "NAType"


def _word(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _texts(values: Iterable[Any]) -> list[str | None]:
    """Texts with None for what is missing, also where that has become a text."""
    texts = (None if _is_missing(value) else _word(value) for value in values)
    return [None if text in ("<NA>", "NaT", "nan") else text for text in texts]


def _refuse(name: str, what: str) -> NoReturn:
    raise ValueError(
        f"column {name!r} holds {what}, neither numbers nor categories: make columns of numbers or texts of it, "
        f"or leave it out with drop={name!r}"
    )


# Columns: their name, then numbers, or the positions of levels (-1 for missing) and the levels, or texts.


def _numbers(name: str, values: Any) -> tuple:
    return name, np.asarray(values, dtype=np.float64)


def _levels(name: str, codes: Any, levels: list) -> tuple:
    # A missing value may be one of the levels. The place at the end is that of code -1.
    kept = [at for at, level in enumerate(levels) if not _is_missing(level)]
    place = np.full(len(levels) + 1, -1)
    place[kept] = np.arange(len(kept))
    return name, place[np.asarray(codes, dtype=np.int64)], [_word(levels[at]) for at in kept]


def _truths(name: str, values: Any) -> tuple:
    return _levels(name, values, ["False", "True"])


def _object_column(name: str, values: list) -> tuple:
    """Objects as a column. Texts are never numbers, whatever they look like."""
    there = [value for value in values if not _is_missing(value)]
    truths = [isinstance(value, (bool, np.bool_)) for value in there]
    if any(truths) and all(truths):
        return _truths(name, [-1 if _is_missing(value) else int(value) for value in values])
    for value in there:
        plain = type(value).__repr__ is object.__repr__ and type(value).__str__ is object.__str__
        if plain or (isinstance(value, Iterable) and not isinstance(value, (str, bytes))):
            _refuse(name, f"cells of type {type(value).__name__}")
    if not any(truths) and not any(isinstance(value, (str, bytes)) for value in there):
        try:
            return _numbers(name, [np.nan if _is_missing(value) else _number(value) for value in values])
        except TypeError:
            pass
    return name, _texts(values)


def _number(value: Any) -> float:
    """A number; a duration is its seconds."""
    return value.total_seconds() if isinstance(value, timedelta) else float(value)


def _array_column(name: str, values: np.ndarray) -> tuple:
    if values.ndim != 1:
        raise ValueError(f"column {name!r} has {values.ndim} dimensions: give a list of its values")
    if isinstance(values, np.ma.MaskedArray):
        return _object_column(name, values.tolist()) if values.mask.any() else _array_column(name, values.data)
    kind = values.dtype.kind
    if kind == "b":
        return _truths(name, values)
    if kind in "iuf":
        return _numbers(name, values)
    if kind == "m":
        return _numbers(name, values / np.timedelta64(1, "s"))
    if kind == "M":
        return name, _texts(np.datetime_as_string(values, unit="auto"))
    if kind in "cV":
        _refuse(name, "complex numbers" if kind == "c" else "records")
    return _object_column(name, values.tolist())


def _pandas_column(name: str, values: Any) -> tuple:
    """A series or array of pandas as a column."""
    import pandas as pd

    series = pd.Series(values)
    series = series.sparse.to_dense() if isinstance(series.dtype, pd.SparseDtype) else series
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _levels(name, series.cat.codes, series.cat.categories.tolist())
    if isinstance(dtype, np.dtype):
        return _array_column(name, series.to_numpy())
    if isinstance(dtype, pd.ArrowDtype):
        import pyarrow as pa

        return _arrow_column(name, pa.array(series))
    if dtype.kind == "b":
        return _truths(name, series.astype("Int64").fillna(-1).to_numpy(dtype=np.int64))
    if dtype.kind in "iuf":
        return _numbers(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    # Intervals, periods and dates with a zone are called by their texts.
    return name, _texts(series.to_numpy(dtype=object, na_value=None))


def _arrow_column(name: str, column: Any) -> tuple:
    """An array of pyarrow, in chunks or not, as a column."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pa.chunked_array([column]) if isinstance(column, pa.Array) else column
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.unify_dictionaries().combine_chunks()
        codes = pc.fill_null(column.indices.cast(pa.int64()), -1)
        return _levels(name, codes.to_numpy(zero_copy_only=False), column.dictionary.to_pylist())
    if pa.types.is_boolean(kind):
        return _truths(name, pc.fill_null(column.cast(pa.int64()), -1).to_numpy())
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _numbers(name, column.cast(pa.float64(), safe=False).to_numpy())
    if pa.types.is_null(kind):
        return _numbers(name, np.full(len(column), np.nan))
    if pa.types.is_run_end_encoded(kind):
        return _arrow_column(name, pc.run_end_decode(column))
    if pa.types.is_nested(kind):
        _refuse(name, f"cells of type {kind}")
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_duration(kind):
        return _array_column(name, column.to_numpy())
    return name, _texts(column.to_pylist())


def _polars_column(name: str, series: Any) -> tuple:
    """A polars series as a column."""
    import polars as pl

    kind = series.dtype
    if kind in (pl.Categorical, pl.Enum):
        values = series.cast(pl.String).to_list()
        # An Enum has its levels; all Categoricals share one list, so theirs are those that are there.
        levels = kind.categories.to_list() if kind == pl.Enum else [v for v in dict.fromkeys(values) if v is not None]
        place = {level: at for at, level in enumerate(levels)}
        return _levels(name, [place.get(value, -1) for value in values], levels)
    if kind == pl.Boolean:
        return _truths(name, series.cast(pl.Int64).fill_null(-1).to_numpy())
    if kind.is_numeric() or kind == pl.Null:
        return _numbers(name, series.cast(pl.Float64).fill_null(float("nan")).to_numpy())
    if kind.is_nested():
        _refuse(name, f"cells of type {kind}")
    if kind in (pl.Date, pl.Datetime, pl.Duration):
        return _array_column(name, series.to_numpy())
    return _object_column(name, series.to_list()) if kind == pl.Object else (name, _texts(series.to_list()))


def _column(name: str, values: Any, used: bool) -> tuple:
    """One column, whoever has made it. What cannot be one is no matter where it is not used."""
    make = {"pandas": _pandas_column, "polars": _polars_column, "pyarrow": _arrow_column}.get(_module(values))
    try:
        return make(name, values) if make else _array_column(name, _array(values))
    except ValueError:
        if used:
            raise
        return name, [None] * len(values)


def _array(data: Any) -> np.ndarray:
    if isinstance(data, np.ma.MaskedArray):
        return data
    try:
        values = np.asarray(data)
        # Numbers beside texts stay numbers.
        listed = values.dtype.kind in "SU" and not hasattr(data, "dtype")
        return np.asarray(data, dtype=object) if listed else values
    except ValueError:
        raise ValueError(
            "the rows of a table have the same length, but these lists have not: fill them with None"
        ) from None


def _parts(data: Any, names: list[str] | None) -> tuple[str, list[tuple[str, Any]], Any]:
    """What data are called, the names of their columns with what is in them, and their index. `names` are for data that
    have none."""

    def named(own: list[str]) -> list[str]:
        return names if names is not None and len(names) == len(own) else own

    if _module(data) == "pandas":
        frame = data.to_frame() if data.ndim == 1 else data
        own = [str(name) for name in frame.columns]
        own = named(own) if type(frame.columns).__name__ == "RangeIndex" else own
        return "data frame", [(name, frame.iloc[:, at]) for at, name in enumerate(own)], frame.index
    if _module(data) == "polars":
        frame = data.collect() if hasattr(data, "collect") else data
        frame = frame if hasattr(frame, "get_columns") else frame.to_frame()
        return "data frame", [(series.name, series) for series in frame.get_columns()], None
    if hasattr(data, "__arrow_c_stream__"):
        try:
            import pyarrow as pa
        except ImportError:
            raise ImportError("Arrow data are read by pyarrow: install it with `pip install pyarrow`") from None
        table = pa.table({"x1": data} if isinstance(data, pa.ChunkedArray) else data)
        return "table", [(str(name), table.column(at)) for at, name in enumerate(table.column_names)], None
    if hasattr(data, "__dataframe__"):
        try:
            from pyarrow.interchange import from_dataframe
        except ImportError:
            raise ImportError("Such frames are read by pyarrow: install it with `pip install pyarrow`") from None
        return _parts(from_dataframe(data), names)
    if isinstance(data, Mapping):
        return "table", [(str(name), values) for name, values in data.items()], None
    if _module(data) == "scipy":
        raise TypeError(
            "a sparse matrix is no table: make it dense with .toarray(), or cluster a graph with partita.blocks"
        )
    values = _array(data)
    if values.dtype.names:
        return "array", [(name, values[name]) for name in values.dtype.names], None
    if values.ndim == 0:
        raise TypeError(
            f"a table is an array, a frame, columns by name or a path, but this is of type {type(data).__name__}"
        )
    values = values.reshape(-1, 1) if values.ndim == 1 else values
    if values.ndim != 2:
        raise ValueError(f"a table has rows and columns, but the array has {values.ndim} dimensions: reshape it")
    own = named([f"x{at + 1}" for at in range(values.shape[1])])
    # All at once: column by column takes longer.
    values = values.astype(np.float64, copy=False) if values.dtype.kind in "iuf" else values
    return "array", [(name, values[:, at]) for at, name in enumerate(own)], None


def columns(
    data: Any, names: list[str] | None = None, used: Callable[[str, int], bool] = lambda name, at: True
) -> tuple[str, list[tuple], Any]:
    """What data are called, their columns, and their index. `used` says which columns are, by name and position."""
    title, parts, index = _parts(data, names)
    if not parts:
        raise ValueError(f"the {title} has no columns")
    return title, [_column(name, values, used(name, at)) for at, (name, values) in enumerate(parts)], index


def _used(options: dict[str, Any]) -> Callable[[str, int], bool]:
    """Which columns options leave; a column goes by its name, or by its number from 1."""

    def said(key: str) -> list[str]:
        some = options.get(key)
        return [str(one) for one in ([some] if isinstance(some, str) or not isinstance(some, Iterable) else some)]

    def is_used(name: str, at: int) -> bool:
        either = {name, str(at + 1)}
        return either.isdisjoint(said("drop")) and (
            options.get("columns") is None or not either.isdisjoint(said("columns"))
        )

    return is_used


def _free(name: str, taken: list[str]) -> str:
    while name in taken:
        name += "_"
    return name


def table(data: Any, labels: Any, options: dict[str, Any]) -> Taken:
    """Takes a table. `labels` are known classes: one for each row, or the name of a column."""
    by_name = isinstance(labels, str)
    if is_path(data):
        if labels is not None and not by_name:
            raise ValueError("labels of a file are one of its columns: give its name, or label_column")
        return Taken(data, {"label_column": labels} if by_name else {})
    title, made, index = columns(data, used=_used(options))
    more: dict[str, Any] = {"label_column": labels} if by_name else {}
    names = [column[0] for column in made]
    if labels is not None and not by_name:
        known = _texts(np.asarray(labels, dtype=object).ravel())
        name = _free("labels", names)
        made.append((name, known))
        names.append(name)
        more["label_column"] = name
    if index is not None and options.get("id_column") is None and type(index).__name__ != "RangeIndex":
        name = _free("index", names)
        made.append((name, _texts(index)))
        more["id_column"] = name
    return Taken((title, made), more, index)


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
