"""The result of a run: answers with their errors, and ways to extend, save, plot and query it."""

from __future__ import annotations

import functools
import html
import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _data, _native
from ._executor import courier, refuse_executor
from ._table import Table, frame
from ._watch import Watch


@dataclass(frozen=True)
class CredibleBall:
    """The smallest ball around the point estimate that holds 95% of the posterior, and the states that bound it."""

    radius: float
    #: The fewest clusters in the ball, the most, and the farthest state; None where a run has one replicate.
    upper: Any
    lower: Any
    horizontal: Any


class Score(float):
    """The mean log density of new rows, with its 95% interval, the sum, and the number of rows."""

    ci95: tuple[float, float] | None
    sum: float
    sum_ci95: tuple[float, float] | None
    rows: int

    def __new__(cls, found: dict[str, Any]) -> Score:
        self = super().__new__(cls, float("nan") if found["mean"] is None else found["mean"])
        pair = lambda ends: None if ends is None else tuple(ends)  # noqa: E731
        self.ci95, self.sum_ci95 = pair(found["mean_ci95"]), pair(found["sum_ci95"])
        self.sum = float("nan") if found["sum"] is None else found["sum"]
        self.rows = found["rows"]
        return self

    def __reduce__(self):
        mean = None if self != self else float(self)
        return Score, (
            {
                "mean": mean,
                "mean_ci95": self.ci95,
                "sum_ci95": self.sum_ci95,
                "sum": self.sum,
                "rows": self.rows,
            },
        )


def _known(value: float | None) -> float:
    return float("nan") if value is None else value


def _ends(ends: list[float] | None) -> tuple[float, float]:
    return (float("nan"), float("nan")) if ends is None else (ends[0], ends[1])


def finished(outcome: tuple[_native.Run, bool], index: Any) -> Result:
    """The result of a run; after Ctrl-C, an exception that holds it."""
    run, interrupted = outcome
    result = Result(run, index)
    if interrupted or not run.complete:
        stop = _native.Interrupted(
            f"interrupted: {len(result.replicates_done)} replicates are kept; `result.resume()` of this error goes on"
        )
        stop.result = result
        raise stop
    return result


class Result:
    """A run: its answers, and everything they are computed from.

    Tables are pandas frames where pandas is installed, and a `partita.Table` otherwise. What belongs to rows carries
    the index of the frame that was given.
    """

    def __init__(self, run: _native.Run, index: Any = None) -> None:
        self._run = run
        self._index = index

    # What was found.

    @functools.cached_property
    def _found(self) -> dict[str, Any]:
        return json.loads(self._run.summary())

    @functools.cached_property
    def _page(self) -> dict[str, Any]:
        return json.loads(self._run.page())

    @property
    def complete(self) -> bool:
        """Whether the run has all its replicates, and therefore answers."""
        return self._run.complete

    @functools.cached_property
    def summary(self) -> Any:
        """The estimates: mean, its standard error and 95% interval, and the trimmed mean with its interval."""
        return self._summary_table(frame)

    def _summary_table(self, make: Any) -> Any:
        lines = self._found["summaries"]
        ends = [_ends(line["ci95"]) for line in lines]
        trimmed = [_ends(line["trimmed_ci95"]) for line in lines]
        columns = {
            "mean": [line["mean"] for line in lines],
            "se": [_known(line["se"]) for line in lines],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
            "trimmed": [line["trimmed"] for line in lines],
            "trimmed_low": [low for low, _ in trimmed],
            "trimmed_high": [high for _, high in trimmed],
        }
        return make(columns, [line["name"] for line in lines], "summary")

    @functools.cached_property
    def clusters(self) -> Any:
        """The distribution of the number of clusters, with 95% intervals; unbiased, so they can fall outside [0, 1]."""
        return self._clusters_table(frame)

    def _clusters_table(self, make: Any) -> Any:
        lines = self._found["cluster_count"]
        ends = [_ends(line["ci95"]) for line in lines]
        columns = {
            "probability": [line["probability"] for line in lines],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
        }
        return make(columns, [line["clusters"] for line in lines], "clusters")

    @functools.cached_property
    def profiles(self) -> Any:
        """What each cluster of the point estimate is like: the expected mean of every column or frequency of every
        level, with standard error and 95% interval, beside that of the whole table (`overall`)."""
        return self._profiles_table(frame)

    def _profiles_table(self, make: Any) -> Any:
        lines = self._found["profiles"]
        ends = [_ends(line["ci95"]) for line in lines]
        columns = {
            "column": [line["column"] for line in lines],
            "level": [line["level"] or "" for line in lines],
            "mean": [line["mean"] for line in lines],
            "se": [_known(line["se"]) for line in lines],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
            "overall": [line["overall"] for line in lines],
        }
        return make(columns, [line["cluster"] for line in lines], "cluster")

    @property
    def reliability(self) -> str:
        """Whether the answers can be relied on, in one sentence."""
        return self._found["reliability"]

    @property
    def notes(self) -> list[str]:
        """Warnings about the run, in sentences."""
        return self._found["notes"]

    @property
    def answer(self) -> list[str]:
        """The answer in sentences."""
        return self._page["answer"]

    @functools.cached_property
    def _labels(self) -> tuple:
        found = self._run.labels()
        if found is None:
            raise ValueError("the run has kept no states, so there is no clustering: run it with keep_draws=1 or more")
        return found

    def _by_row(self, values: np.ndarray, name: str) -> Any:
        """One value per row, under the index of the frame that was given."""
        if self._index is None or not hasattr(self._index, "to_series"):
            return values
        import pandas as pd

        return pd.Series(values, index=self._index, name=name)

    @property
    def labels(self) -> Any:
        """The cluster of each row in the point estimate, numbered from 0 by size."""
        return self._by_row(self._labels[0], "cluster")

    @property
    def certainty(self) -> Any:
        """How certain that is: the probability that a row shares a cluster with another member of its own."""
        return self._by_row(self._labels[1], "certainty")

    @property
    def certainty_se(self) -> Any:
        """The standard errors of the certainties."""
        return self._by_row(self._labels[2], "certainty_se")

    @functools.cached_property
    def credible_ball(self) -> CredibleBall:
        """The 95% credible ball around the point estimate (Wade, Ghahramani 2018)."""
        bounds = self._labels[3] or [None, None, None]
        names = ("upper", "lower", "horizontal")
        made = [None if b is None else self._by_row(b, n) for b, n in zip(bounds, names, strict=True)]
        return CredibleBall(self._found["clustering"]["ball"]["radius"], *made)

    @functools.cached_property
    def _matrices(self) -> tuple[np.ndarray, np.ndarray]:
        found = self._run.co_clustering()
        if found is None:
            raise ValueError("the run has kept no states, so there is no matrix: run it with keep_draws=1 or more")
        return found

    @property
    def co_clustering(self) -> np.ndarray:
        """The co-clustering probabilities: for every two rows, that they are in the same cluster."""
        return self._matrices[0]

    @property
    def co_clustering_se(self) -> np.ndarray:
        """The standard errors of those probabilities."""
        return self._matrices[1]

    # How it was found.

    @functools.cached_property
    def replicates_done(self) -> np.ndarray:
        """The numbers of the replicates."""
        return self._run.rows()["replicate"]

    @functools.cached_property
    def replicates(self) -> Any:
        """One row per replicate, as `replicates.csv` has it; `tau` is missing where a pair has not met."""
        return self._replicates_table(frame)

    def _replicates_table(self, make: Any) -> Any:
        rows = self._run.rows()
        rows["tau"] = np.where(rows["met"], rows["tau"], np.nan)
        return make(rows)

    @functools.cached_property
    def draws(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Kept states: the replicate of each, its weight (of either sign), and its labels, one row per state.

        The sum of weight times f(labels) over the states of one replicate is an unbiased estimate of f.
        """
        return self._run.draws()

    @property
    def meeting_times(self) -> np.ndarray:
        """When each pair met; missing where it did not."""
        rows = self._run.rows()
        return np.where(rows["met"], rows["tau"], np.nan)

    def survival(self) -> Any:
        """The Kaplan-Meier curve of meeting times, with its 95% interval."""
        time, alive, low, high = (
            (list(c) for c in zip(*self._page["survival"], strict=True)) if self._page["survival"] else ([],) * 4
        )
        return frame({"time": time, "survival": alive, "low": low, "high": high})

    def tv_bound(self) -> Any:
        """A bound on the total variation distance between one chain and the posterior, after so many sweeps."""
        sweeps, bound = (
            (list(c) for c in zip(*self._found["tv_bound"], strict=True)) if self._found["tv_bound"] else ([], [])
        )
        return frame({"sweeps": sweeps, "bound": bound})

    @functools.cached_property
    def plan(self) -> dict[str, Any]:
        """What the run did, with nothing left open: options that repeat it."""
        return {key: value for key, value in json.loads(self._run.plan()[0]).items() if value is not None}

    @functools.cached_property
    def pilot(self) -> dict[str, Any] | None:
        """What the pilot found; None where none ran."""
        return json.loads(self._run.plan()[1])

    @property
    def model(self) -> str | None:
        """The model of the table: what was asked for, or what the pilot took; None for graphs."""
        return self._found["model"]

    @functools.cached_property
    def candidates(self) -> Any:
        """The models scored by the pilot; no rows if the model was given.

        `score` is the mean over rows of the log density of a row given all others, `met` the share of pairs that met in
        the trial, `left` the reason where a model was not tried or not taken.
        """
        return self._candidates_table(frame)

    def _candidates_table(self, make: Any) -> Any:
        lines = self._found["candidates"]
        columns = {
            "prior": [line["prior"] or "" for line in lines],
            "score": [_known(line["score"]) for line in lines],
            "se": [_known(line["se"]) for line in lines],
            "met": [_known(line["met"]) for line in lines],
            "seconds": [line["seconds"] for line in lines],
            "taken": np.array([line["taken"] for line in lines], dtype=bool),
            "left": [line["left"] or "" for line in lines],
        }
        return make(columns, [line["model"] for line in lines], "model")

    @property
    def efficiency(self) -> Any:
        """The cost relative to one long chain of the same accuracy: at 1 both cost the same."""
        lines = self._found["summaries"]
        columns = {
            "times_the_work": [_known(line["inefficiency"]) for line in lines],
            "se": [_known(line["inefficiency_se"]) for line in lines],
            "by": [(line["long_chain"] or {}).get("by", "") for line in lines],
        }
        return frame(columns, [line["name"] for line in lines], "summary")

    @property
    def seconds(self) -> float:
        """Wall time of the replicates alone."""
        return self._found["seconds"]

    @property
    def likelihood(self) -> Any:
        """The user-defined likelihood; None for the models of partita."""
        return self._run.likelihood

    @property
    def items(self) -> list[str]:
        """The names of the rows, or of the vertices."""
        return self._run.items()

    @property
    def columns(self) -> dict[str, str]:
        """The columns of the data, and the type of each: normal, count or category."""
        return dict(self._run.columns())

    def to_dict(self) -> dict[str, Any]:
        """The whole answer, as `summary.json` has it."""
        return json.loads(self._run.summary())

    # Questions about new rows.

    def _predictions(self, new: Any, loss: str | None = None) -> tuple[dict[str, Any], Any]:
        if _data.is_path(new):
            return json.loads(self._run.predict(new, loss)), None
        names = list(self.columns)
        title, made, index = _data.columns(new, names, lambda name, at: name in names)
        if not len(made[0][1]):
            raise ValueError(f"the {title} has no rows to predict")
        return json.loads(self._run.predict((title, made), loss)), index

    def _of_new(self, values: np.ndarray, index: Any, name: str) -> Any:
        if index is None:
            return values
        import pandas as pd

        return pd.Series(values, index=index, name=name)

    def predict(self, new: Any, loss: str | None = None) -> Any:
        """The cluster that each new row joins most probably; -1 for a new one."""
        found, index = self._predictions(new, loss)
        clusters = [-1 if p["cluster"] is None else p["cluster"] for p in found["predictions"]]
        return self._of_new(np.array(clusters, dtype=np.int64), index, "cluster")

    def predict_proba(self, new: Any, loss: str | None = None) -> np.ndarray:
        """The expected probability that each new row joins each cluster; that it opens a new one comes last.

        Estimates are unbiased, so they may leave [0, 1] by chance.
        """
        found, _ = self._predictions(new, loss)
        return np.array([p["joins"] for p in found["predictions"]], dtype=np.float64)

    def log_density(self, new: Any) -> Any:
        """The log predictive density of each new row, in the units of the data.

        Missing where its unbiased estimate is not positive.
        """
        found, index = self._predictions(new)
        values = np.array([_known(p["log_density"]) for p in found["predictions"]])
        return self._of_new(values, index, "log_density")

    def predictions(self, new: Any, loss: str | None = None) -> Any:
        """Predictions of new rows, with standard errors: the table that `partita predict` writes."""
        found, index = self._predictions(new, loss)
        rows, names = found["predictions"], [f"p{c}" for c in range(found["clusters"])] + ["new"]
        columns: dict[str, Any] = {
            "log_density": [_known(p["log_density"]) for p in rows],
            "log_density_se": [_known(p["log_density_se"]) for p in rows],
            "cluster": [-1 if p["cluster"] is None else p["cluster"] for p in rows],
        }
        columns |= {name: [p["joins"][at] for p in rows] for at, name in enumerate(names)}
        columns |= {f"{name}_se": [_known(p["joins_se"][at]) for p in rows] for at, name in enumerate(names)}
        return frame(columns, index if index is not None else [p["row"] for p in rows], "row")

    def score(self, new: Any) -> Score:
        """How well the run predicts new rows: their mean log density, with its interval."""
        return Score(self._predictions(new)[0]["score"])

    # Going on, and keeping.

    def more(
        self,
        *,
        replicates: int | None = None,
        time: str | float | None = None,
        executor: Any = None,
        progress: Any = "auto",
    ) -> Result:
        """The same run with more replicates: so many more, or as many as take about so long.

        A run that `time` has ended goes on by `time`: more workers get the time that each worker of it had. This result
        stays as it is.
        """
        refuse_executor(self.likelihood, executor)
        watch = Watch(progress)
        try:
            said = None if time is None else str(time)
            outcome = self._run.more(replicates, said, courier(executor), watch)
        finally:
            watch.close()
        return finished(outcome, self._index)

    def resume(
        self, *, executor: Any = None, threads: int | None = None, device: str | None = None, progress: Any = "auto"
    ) -> Result:
        """Continues a run that was interrupted."""
        refuse_executor(self.likelihood, executor)
        watch = Watch(progress)
        try:
            outcome = self._run.resume(courier(executor), watch, threads, device)
        finally:
            watch.close()
        return finished(outcome, self._index)

    def merge(self, *others: Result) -> Result:
        """This shard and others of the same run, as one run."""
        return merge(self, *others)

    def save(self, directory: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the run directory, which the command can read as well.

        The directory of a run with a user-defined likelihood is read by `partita.load(directory, likelihood=...)`.
        """
        self._run.save(directory, force)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report, one HTML file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._run.report())

    def __reduce__(self):
        return _unpacked, (self._run.to_bytes(), self._index, self._run.likelihood)

    # Other shapes.

    def _table(self, what: str) -> Table:
        tables = {
            "replicates": self._replicates_table,
            "summary": self._summary_table,
            "clusters": self._clusters_table,
            "candidates": self._candidates_table,
            "profiles": self._profiles_table,
        }
        if what not in tables:
            raise ValueError(f"{what!r} is no table: use one of {', '.join(tables)}")
        return tables[what](Table)

    def to_pandas(self, what: str = "replicates") -> Any:
        """A table as a pandas frame: `replicates`, `summary`, `clusters`, `candidates` or `profiles`."""
        return self._table(what).to_pandas()

    def to_polars(self, what: str = "replicates") -> Any:
        """A table as a polars frame: `replicates`, `summary`, `clusters`, `candidates` or `profiles`."""
        return self._table(what).to_polars()

    def to_arviz(self) -> Any:
        """Kept states with their weights, and the estimates of replicates, as ArviZ has them.

        A DataTree for ArviZ 1 and later, InferenceData before: what its own functions read.
        """
        from ._arviz import tree

        return tree(self)

    # Pictures.

    def plot_clusters(self, ax: Any = None) -> Any:
        """The distribution of the number of clusters."""
        from . import _plot

        return _plot.clusters(self, ax)

    def plot_co_clustering(self, ax: Any = None) -> Any:
        """The co-clustering matrix."""
        from . import _plot

        return _plot.co_clustering(self, ax)

    def plot_meeting(self, ax: Any = None) -> Any:
        """When pairs meet, and how near one chain is to the posterior."""
        from . import _plot

        return _plot.meeting(self, ax)

    def plot_data(self, ax: Any = None) -> Any:
        """The data in two coordinates, coloured by cluster."""
        from . import _plot

        return _plot.data(self, ax)

    def plot_estimates(self, summary: str | None = None, ax: Any = None) -> Any:
        """The estimates of single replicates, with their mean and its interval."""
        from . import _plot

        return _plot.estimates(self, summary, ax)

    def __repr__(self) -> str:
        if not self.complete:
            return f"<partita.Result: interrupted after {len(self.replicates_done)} replicates; resume() goes on>"
        first = "; ".join(f"{line['name']} {line['mean']:.4g}" for line in self._found["summaries"][:3])
        return f"<partita.Result: {self._found['replicates']} replicates; {first}>"

    def _repr_html_(self) -> str:
        from ._card import card

        return card(self) if self.complete else f"<p>{html.escape(repr(self))}</p>"


def _unpacked(run: bytes, index: Any, likelihood: Any = None) -> Result:
    return Result(_native.Run.from_bytes(run, likelihood), index)


def merge(*shards: Result) -> Result:
    """Merges the shards of one run. Starts no chains: `resume()` then measures the cost relative to one long chain."""
    watch = Watch(False)
    return finished(_native.Run.merge([shard._run for shard in shards], watch), shards[0]._index if shards else None)


def load(directory: str | os.PathLike[str], *, likelihood: Any = None) -> Result:
    """Reads a run directory, of the command or of `Result.save`.

    A directory holds data but no code: the user-defined likelihood of a run has to be given again. Another one is
    refused.
    """
    return Result(_native.Run.open(directory, likelihood))


def resume(directory: str | os.PathLike[str], *, likelihood: Any = None, **options: Any) -> Result:
    """Continues the run of a directory after Ctrl-C or a crash; `likelihood` as for `load`."""
    result = load(directory, likelihood=likelihood)
    return result if result.complete else result.resume(**options)
