"""Runs: cluster a table, find blocks of a graph, colour it, or watch chains meet."""

from __future__ import annotations

from typing import Any

from . import _data, _native
from ._executor import courier, refuse_executor
from ._options import OPTIONS, by_their_names, command, documented, said
from ._result import Result, finished
from ._watch import Watch

_FILE_ONLY = ("delimiter", "header")


def _start(
    name: str,
    task: str,
    taken: _data.Taken | None,
    options: dict[str, Any],
    executor: Any,
    progress: Any,
    force: bool,
    meetings_only: bool = False,
    likelihood: Any = None,
) -> Result:
    options = by_their_names(options)
    for key in options:
        if key not in OPTIONS or key == "data":
            said({key: options[key]})
            _unknown(key)
    if taken is not None:
        if not _data.is_path(taken.native):
            for key in _FILE_ONLY:
                if options.get(key) is not None:
                    raise ValueError(f"{key} is for tables in text files: leave it out")
        for key, value in taken.options.items():
            if options.get(key) is not None:
                raise ValueError(f"{key} and labels both name known classes: give one of them")
            options = {**options, key: value}
    watch = Watch(progress)
    try:
        native = None if taken is None else taken.native
        outcome = _native.Run.start(
            task,
            meetings_only,
            said(options),
            native,
            likelihood,
            courier(executor),
            watch,
            command(name, options),
            force,
        )
    finally:
        watch.close()
    return finished(outcome, None if taken is None else taken.index)


def _unknown(key: str) -> None:
    import difflib

    near = difflib.get_close_matches(key, OPTIONS, 1)
    raise TypeError(f"there is no option {key}" + (f"; did you mean {near[0]}?" if near else ""))


@documented("fit")
def fit(
    data: Any = None,
    *,
    labels: Any = None,
    likelihood: Any = None,
    executor: Any = None,
    progress: Any = "auto",
    force: bool = False,
    **options: Any,
) -> Result:
    """Clusters the rows of a table.

    Parameters
    ----------
    data
        A numpy array, a pandas or polars frame, an Arrow table or anything with `__arrow_c_stream__`, a mapping of
        names to columns, or a path. NaN, None and <NA> are missing. Default: the built-in penguins.
    labels
        Known classes to compare with: one for each row, or the name of a column.
    likelihood
        A user-defined likelihood for the rows, in place of a family's: an object with five methods, or with compiled
        functions (see docs/python.md). `data` may then be left out.
    executor
        A `concurrent.futures.Executor` to run replicates on; the results are the same. Default: threads of this
        process.
    progress
        Whether a bar is shown (with tqdm). "auto": in terminals and notebooks.
    force
        Overwrite a directory `out` that is in use.

    Returns
    -------
    Result
        The answers, with their errors.

    Examples
    --------
    >>> import partita
    >>> points = [[0.1], [0.3], [-0.2], [5.1], [4.9], [5.2], [5.0]]
    >>> result = partita.fit(points, replicates=100, lag=10, burn_in=10, sweeps=50)
    >>> result.labels.tolist()
    [1, 1, 1, 0, 0, 0, 0]
    """
    options = by_their_names(options)
    if likelihood is not None:
        refuse_executor(likelihood, executor)
        for key in ("model", "prior_sd", "noise_sd", "standardize", "column_type"):
            if options.get(key) is not None:
                raise ValueError(f"{key} cannot be used with a user-defined likelihood: leave it out")
        data = {"item": range(len(likelihood))} if data is None else data
        # Code of Python's runs one call at a time, whatever the threads.
        compiled = hasattr(likelihood, "__partita_likelihood__")
        options = {"threads": None if compiled else 1, **options, "standardize": False}
    taken = None if data is None else _data.table(data, labels, options)
    return _start("fit", "fit", taken, options, executor, progress, force, likelihood=likelihood)


@documented("blocks")
def blocks(graph: Any, *, executor: Any = None, progress: Any = "auto", force: bool = False, **options: Any) -> Result:
    """Finds the blocks of a graph: vertices that play the same part, by a stochastic block model.

    Parameters
    ----------
    graph
        Pairs of vertices, an adjacency matrix (numpy or scipy sparse), a networkx graph, or a path.
    executor, progress, force
        As for `fit`.

    Returns
    -------
    Result
        The answers, with their errors.

    Examples
    --------
    >>> import partita
    >>> edges = [(a, b) for a in range(4) for b in range(4, 8)]
    >>> result = partita.blocks(edges, replicates=50, lag=20, burn_in=20, sweeps=100)
    >>> result.labels.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    return _start("blocks", "blocks", _data.graph(graph), options, executor, progress, force)


@documented("color")
def color(
    graph: Any,
    colors: int,
    *,
    executor: Any = None,
    progress: Any = "auto",
    force: bool = False,
    **options: Any,
) -> Result:
    """Samples proper colourings of a graph, all alike likely, as partitions of its vertices.

    Parameters
    ----------
    graph
        As for `blocks`.
    colors
        How many colours may be used.
    executor, progress, force
        As for `fit`.

    Returns
    -------
    Result
        The answers, with their errors.

    Examples
    --------
    >>> import partita
    >>> square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    >>> result = partita.color(square, 3, replicates=200, lag=5, burn_in=5, sweeps=50)
    >>> len(result.replicates_done)
    200
    """
    options = {"colors": colors, **options}
    return _start("color", "color", _data.graph(graph), options, executor, progress, force)


@documented("fit", "color", "blocks", meetings_only=True)
def meet(
    data: Any = None,
    *,
    labels: Any = None,
    executor: Any = None,
    progress: Any = "auto",
    force: bool = False,
    **options: Any,
) -> Result:
    """Watches chains meet, and estimates nothing: meeting times, their survival curve, the bound on total variation.

    Parameters
    ----------
    data
        A table, as for `fit`; a graph, as for `blocks`, where `colors` or `edge_prior` is given.
    labels, executor, progress, force
        As for `fit`.

    Returns
    -------
    Result
        With `meeting_times`, `survival()` and `tv_bound()`.

    Examples
    --------
    >>> import partita
    >>> met = partita.meet([[0.1], [0.3], [4.9], [5.2]], replicates=100, lag=5)
    >>> bool((met.meeting_times >= 5).all())
    True
    """
    if options.get("colors") is not None:
        task, taken = "color", _data.graph(data)
    elif options.get("edge_prior") is not None:
        task, taken = "blocks", _data.graph(data)
    else:
        task, taken = "fit", None if data is None else _data.table(data, labels, options)
    return _start("meet", task, taken, options, executor, progress, force, meetings_only=True)
