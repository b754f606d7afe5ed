"""Models compared on rows held out: the command's numbers, on data in memory."""

import inspect
import json
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from conftest import write

import partita
from partita import _native

SHORT = {"replicates": 12, "seed": 3}


def test_the_numbers_of_the_command(points, tmp_path, command):
    write(tmp_path / "points.csv", points)
    theirs = json.loads(
        command(
            "compare", tmp_path / "points.csv", "--model", "known,diagonal", "--replicates", 12, "--seed", 3, "--json"
        )
    )
    ours = partita.compare(points, model=["known", "diagonal"], **SHORT)
    assert ours.to_dict() == theirs
    assert partita.compare(tmp_path / "points.csv", model="known,diagonal", **SHORT).to_dict() == theirs
    table = ours.to_pandas()
    assert list(table.index) == ["known", "diagonal"] and ours.best in table.index
    assert table["score"].idxmax() == ours.best and np.isnan(table.loc[ours.best, "behind"])
    other = table.drop(index=ours.best).iloc[0]
    assert other["low"] < other["behind"] < other["high"]
    assert ours.rows == 36 and ours.held_out == 9
    assert "9 held-out rows" in repr(ours) and "<table>" in ours._repr_html_()
    assert ours.to_polars()["model"].to_list() == ["known", "diagonal"]


def test_its_options_are_those_of_the_command():
    names = set(inspect.signature(partita.compare).parameters)
    assert names == {"data", "model", "hold_out", "executor", "progress", *_native.options_of_compare()}
    assert _native.compare_defaults() == (["diagonal", "full"], 0.2)


def test_an_executor_changes_nothing(points):
    here = partita.compare(points, model=["known", "diagonal"], **SHORT)
    with ProcessPoolExecutor(2) as pool:
        there = partita.compare(points, model=["known", "diagonal"], executor=pool, **SHORT)
    assert there.to_dict() == here.to_dict()


def test_mistakes(points):
    with pytest.raises(ValueError, match="hold_out must leave"):
        partita.compare(points, hold_out=1.5, **SHORT)
    with pytest.raises(ValueError, match="model"):
        partita.compare(points, model="round", **SHORT)
    with pytest.raises(ValueError, match="needs models"):
        partita.compare(points, model=[], **SHORT)
