"""Figures of a result, by matplotlib: each draws into axes and returns them."""

from __future__ import annotations

from typing import Any

import numpy as np

INK, BLUE, PALE, RED = "#222222", "#1f5a96", "#9cc3e4", "#b2322c"
#: Colours that stay apart for most eyes (Okabe, Ito), then again lighter.
CLUSTERS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5f3f", "#5a5a5a"]


def _axes(ax: Any, size: tuple[float, float] = (4.6, 3.2)) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("figures need matplotlib: install it with `pip install matplotlib`") from None
    return plt.subplots(figsize=size, layout="constrained")[1]


def _plain(ax: Any) -> None:
    """Two thin axes, and nothing that is not data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_linewidth(0.8)
    ax.tick_params(width=0.8, length=3, labelsize=9)
    ax.xaxis.label.set_size(10)
    ax.yaxis.label.set_size(10)


def clusters(result: Any, ax: Any) -> Any:
    ax = _axes(ax)
    lines = result._found["cluster_count"]
    names = [line["clusters"] for line in lines]
    heights = np.array([line["probability"] for line in lines])
    ends = np.array([line["ci95"] or [np.nan, np.nan] for line in lines], dtype=float)
    where = np.arange(len(lines))
    ax.bar(where, np.maximum(heights, 0), color=PALE, width=0.72)
    errors = np.abs(np.vstack([heights - ends[:, 0], ends[:, 1] - heights])) if len(lines) else np.zeros((2, 0))
    ax.errorbar(where, heights, errors, fmt="none", ecolor=INK, elinewidth=1, capsize=2.5)
    ax.set_xticks(where, names)
    ax.set(xlabel="number of clusters", ylabel="posterior probability")
    ax.set_ylim(bottom=0)
    _plain(ax)
    return ax


def co_clustering(result: Any, ax: Any) -> Any:
    ax = _axes(ax, (4.6, 4.0))
    shown = result._page["co_clustering"]
    if shown is None:
        raise ValueError("the run has kept no states, so there is no matrix: run it with keep_draws=1 or more")
    side = len(shown["names"])
    matrix = np.array(shown["matrix"]).reshape(side, side)
    image = ax.imshow(matrix, cmap="Blues", vmin=0, vmax=1, interpolation="nearest", aspect="equal")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, pad=0.03)
    bar.set_label("probability of sharing a cluster", size=10)
    bar.ax.tick_params(labelsize=9, width=0.8, length=3)
    bar.outline.set_linewidth(0.8)
    # Where one cluster of the point clustering ends.
    edges = np.flatnonzero(np.diff(shown["clusters"])) + 0.5
    for edge in edges:
        ax.axhline(edge, color=INK, lw=0.5)
        ax.axvline(edge, color=INK, lw=0.5)
    named = side <= 30 and shown["names"] != [str(i) for i in range(side)]
    if named:
        ax.set_xticks(range(side), shown["names"], rotation=90, fontsize=7)
        ax.set_yticks(range(side), shown["names"], fontsize=7)
    else:
        ax.set(xticks=[], yticks=[])
        ax.set_xlabel(f"{side} items, by cluster", size=10)
    ax.spines[:].set_linewidth(0.8)
    return ax


def meeting(result: Any, ax: Any) -> Any:
    ax = _axes(ax)
    lag = result._found["lag"]
    steps = result._page["survival"]
    if steps:
        time, alive, low, high = (np.array(column, dtype=float) for column in zip(*steps, strict=True))
        time, alive = np.r_[0, time - lag], np.r_[1, alive]
        low, high = np.r_[1, low], np.r_[1, high]
        ax.fill_between(time, low, high, step="post", color=PALE, alpha=0.6, lw=0)
        ax.step(time, alive, where="post", color=BLUE, lw=1.4, label="pairs that have not met, 95% interval")
    bound = np.array(result._found["tv_bound"], dtype=float)
    if len(bound):
        ax.step(
            bound[:, 0],
            np.minimum(bound[:, 1], 1),
            where="post",
            color=RED,
            lw=1.2,
            ls=(0, (4, 2)),
            label="bound on total variation",
        )
    ax.set(xlabel="sweeps", ylabel="proportion, or distance")
    ax.set_ylim(0, 1.03)
    ax.set_xlim(left=0)
    ax.legend(frameon=False, fontsize=9)
    _plain(ax)
    return ax


def data(result: Any, ax: Any) -> Any:
    page = result._page
    if page["density"]:
        ax = _axes(ax)
        shown = page["density"]
        if shown["low"]:
            ax.fill_between(shown["x"], shown["low"], shown["high"], color=PALE, alpha=0.6, lw=0)
        ax.plot(shown["x"], shown["value"], color=BLUE, lw=1.4, label="estimate, 95% interval")
        ax.plot(shown["data"], np.zeros(len(shown["data"])), "|", color=INK, ms=7, mew=0.6, label="data")
        ax.set(xlabel=shown["axis"], ylabel="predictive density")
        ax.set_ylim(bottom=0)
        ax.legend(frameon=False, fontsize=9)
        _plain(ax)
        return ax
    shown = page["scatter"]
    if shown is None:
        raise ValueError("these data have no coordinates to show: use plot_co_clustering")
    ax = _axes(ax, (4.4, 3.8))
    x, y, cluster = (np.array(shown[key]) for key in ("x", "y", "clusters"))
    markers = ["o", "s", "^", "D"]
    for at in range(int(cluster.max()) + 1):
        mine = cluster == at
        ax.plot(
            x[mine],
            y[mine],
            markers[at // len(CLUSTERS) % len(markers)],
            color=CLUSTERS[at % len(CLUSTERS)],
            ms=4,
            mew=0.3,
            mec="white",
            alpha=0.9,
            label=f"{at} ({int(mine.sum())})",
            ls="none",
        )
    ax.set(xlabel=shown["axes"][0], ylabel=shown["axes"][1])
    if cluster.max() < 12:
        ax.legend(
            title="cluster (items)",
            frameon=False,
            fontsize=8,
            title_fontsize=8,
            loc="center left",
            bbox_to_anchor=(1.0, 0.5),
            handletextpad=0.1,
        )
    _plain(ax)
    return ax


def estimates(result: Any, summary: str | None, ax: Any) -> Any:
    ax = _axes(ax)
    names = [line["name"] for line in result._found["summaries"]]
    if not names:
        raise ValueError("the run has estimated nothing: use plot_meeting")
    name = names[0] if summary is None else summary
    if name not in names:
        raise ValueError(f"{name!r} was not estimated: there are {', '.join(names)}")
    line = result._found["summaries"][names.index(name)]
    rows = result._run.rows()
    ax.plot(rows["replicate"], rows[name], "o", color=BLUE, ms=3, alpha=0.45, mew=0, label="one replicate")
    if line["ci95"]:
        ax.axhspan(*line["ci95"], color=RED, alpha=0.25, lw=0)
    ax.axhline(line["mean"], color=RED, lw=1.3, label="mean, 95% interval")
    ax.set(xlabel="replicate", ylabel=name)
    ax.legend(frameon=False, fontsize=9)
    _plain(ax)
    return ax
