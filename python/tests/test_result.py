"""Answers, going on, keeping: what a result can do."""

import json
import pickle
import shutil

import numpy as np
import pytest
from conftest import QUICK, write
from test_fit import rows

import partita


def test_tables_hold_the_answers(result):
    found = result.to_dict()
    summary = result.to_pandas("summary")
    assert list(summary.columns)[:4] == ["mean", "se", "low", "high"]
    assert summary.loc["clusters", "mean"] == found["summaries"][0]["mean"]
    assert (summary["low"] <= summary["mean"]).all() and (summary["mean"] <= summary["high"]).all()
    clusters = result.to_pandas("clusters")
    assert clusters["probability"].sum() == pytest.approx(1, abs=0.05)
    replicates = result.to_pandas()
    assert len(replicates) == 60 and replicates["clusters"].mean() == pytest.approx(summary.loc["clusters", "mean"])
    assert result.to_polars().height == 60
    assert result.to_polars("summary")["summary"].to_list() == list(summary.index)
    profiles = result.to_pandas("profiles")
    assert list(profiles.columns) == ["column", "level", "mean", "se", "low", "high", "overall"]
    assert len(profiles) == len(found["profiles"]) and profiles["mean"].iloc[0] == found["profiles"][0]["mean"]
    assert set(profiles.index) == set(range(len(found["clustering"]["sizes"])))
    assert result.profiles.equals(profiles) and "pairs met" in result.reliability
    with pytest.raises(ValueError, match="replicates, summary, clusters, candidates, profiles"):
        result.to_pandas("rows")


def test_the_three_groups_are_found(result):
    assert np.bincount(result.labels).tolist() == [20, 15, 10]
    assert result.certainty.min() > 0.8 and result.certainty_se.shape == (45,)
    ball = result.credible_ball
    assert ball.radius >= 0 and len(ball.upper) == len(ball.lower) == len(ball.horizontal) == 45
    together = result.labels[:, None] == result.labels[None, :]
    assert result.co_clustering[together].mean() > 0.9 and result.co_clustering[~together].mean() < 0.1
    assert result.co_clustering_se.shape == (45, 45)


def test_states_average_to_the_estimates(result):
    replicate, weight, labels = result.draws
    together = (labels[:, 0] == labels[:, 1]).astype(float)
    # Kept states are a share of all, so this is a noisier estimate of the same matrix entry, and equal to it.
    by_hand = np.bincount(replicate.astype(int), weight * together).mean()
    assert result.co_clustering[0, 1] == pytest.approx(by_hand, abs=1e-6)


def test_meetings(result):
    assert result.meeting_times.shape == (60,) and (result.meeting_times >= 40).all()
    survival = result.survival()
    assert (np.diff(np.asarray(survival["survival"])) <= 0).all()
    bound = result.tv_bound()
    assert np.asarray(bound["bound"])[-1] < np.asarray(bound["bound"])[0]
    assert set(result.efficiency.columns) == {"times_the_work", "se", "by"}


def test_new_rows(result, points):
    assert (result.predict(points) == result.labels).all()
    probabilities = result.predict_proba(points)
    assert probabilities.shape == (45, 4) and np.allclose(probabilities.sum(axis=1), 1, atol=0.05)
    density = result.log_density(points)
    score = result.score(points)
    assert score == pytest.approx(density.mean()) and score.ci95[0] <= score <= score.ci95[1] and score.rows == 45
    assert pickle.loads(pickle.dumps(score)).ci95 == score.ci95
    assert result.log_density([[100.0, 100.0]])[0] < density.min()
    assert result.predict([[100.0, 100.0]])[0] == -1
    table = result.predictions(points)
    assert list(table.columns)[:3] == ["log_density", "log_density_se", "cluster"]
    with pytest.raises(ValueError, match="x2"):
        result.predict({"x1": [1.0]})


def test_more_goes_on_where_it_was(points, result):
    longer = result.more(replicates=40)
    assert rows(longer) == rows(partita.fit(points, **{**QUICK, "replicates": 100}))
    assert len(result.replicates_done) == 60
    timed = result.more(time=0.2)
    assert len(timed.replicates_done) > 60
    with pytest.raises(ValueError, match="give one of them"):
        result.more()


def workers_of(result):
    return int(result.notes[-1].split(" workers")[0].rsplit(" ", 1)[1])


def test_a_timed_run_goes_on_by_workers(points, tmp_path):
    result = partita.fit(points, time=0.6, lag=5, burn_in=5, sweeps=20)
    workers = workers_of(result)
    longer = result.more(time=0.8)
    assert len(longer.replicates_done) > len(result.replicates_done)
    # What was there stays, row by row; further workers begin after a gap.
    both = [{n: row for n, *row in r.replicates.to_numpy().tolist()} for r in (result, longer)]
    assert all(both[1][n] == row for n, row in both[0].items())
    more_workers = workers_of(longer)
    assert more_workers > workers
    assert longer.plan["time"] == "1.4s"
    # The mean is that of the workers' means, where a worker's numbers follow each other.
    numbers, values = longer.replicates_done.tolist(), longer.to_pandas()["clusters"].tolist()
    worker_of, found = {}, {}
    for n, value in sorted(zip(numbers, values, strict=True)):
        worker_of[n] = worker_of.get(n - workers, n)
        found.setdefault(worker_of[n], []).append(value)
    assert len(found) == more_workers
    by_hand = np.mean([np.mean(of_worker) for of_worker in found.values()])
    assert longer.to_dict()["summaries"][0]["mean"] == pytest.approx(by_hand)
    # It is kept and read like any other, and goes on from there, too.
    longer.save(tmp_path / "run")
    back = partita.load(tmp_path / "run")
    assert back.to_dict() == longer.to_dict() and rows(back) == rows(longer)
    assert len(back.more(time=0.2).replicates_done) > len(longer.replicates_done)
    with pytest.raises(ValueError, match="can only be extended by"):
        result.more(replicates=3)


def test_the_model_and_what_else_was_tried(points, result):
    assert result.model == "diagonal" and len(result.candidates) == 0
    chosen = partita.fit(points, replicates=20)
    tried = chosen.to_pandas("candidates")
    assert tried["taken"].sum() == 1 and tried.index[tried["taken"]][0] == chosen.model
    assert {"diagonal", "full"} <= set(tried.index) and np.isfinite(tried["score"]).any()
    assert chosen.to_dict()["candidates"][0]["score"] == tried["score"].iloc[0]
    assert chosen.to_polars("candidates").height == len(tried)
    assert partita.blocks([(0, 1), (1, 2), (2, 0)], replicates=5, lag=2, burn_in=2, sweeps=5).model is None


def test_shards_merge_to_the_whole(points, result):
    shards = [partita.fit(points, shard=f"{i}/3", keep_draws=result.plan["keep_draws"], **QUICK) for i in (1, 2, 3)]
    whole = partita.merge(*shards)
    assert rows(whole) == rows(result)
    assert whole.summary.equals(result.summary) and (whole.labels == result.labels).all()
    assert rows(shards[0].merge(shards[2], shards[1])) == rows(result)
    with pytest.raises(ValueError, match="overlap"):
        partita.merge(shards[0], shards[0])
    with pytest.raises(ValueError, match="different data"):
        partita.merge(shards[0], partita.fit(points + 1, shard="2/3", keep_draws=1, **QUICK))


def test_pickles(result):
    again = pickle.loads(pickle.dumps(result))
    assert rows(again) == rows(result) and again.summary.equals(result.summary)
    assert (again.labels == result.labels).all() and again.to_dict() == result.to_dict()
    assert (again.co_clustering == result.co_clustering).all()


def test_a_run_directory_in_both_directions(points, result, tmp_path, command):
    result.save(tmp_path / "mine")
    back = partita.load(tmp_path / "mine")
    assert rows(back) == rows(result) and back.to_dict() == result.to_dict()
    assert (back.labels == result.labels).all()
    with pytest.raises(ValueError, match="already in use"):
        result.save(tmp_path / "mine")
    result.save(tmp_path / "mine", force=True)
    # The command reads what Python saved, data included, and makes the same answers of it.
    before = {
        name: (tmp_path / "mine" / name).read_bytes() for name in ("replicates.csv", "draws.csv", "clustering.csv")
    }
    shown = json.loads(command("report", tmp_path / "mine", "--json"))
    assert shown["summaries"] == result.to_dict()["summaries"]
    assert before == {name: (tmp_path / "mine" / name).read_bytes() for name in before}
    write(tmp_path / "new.csv", points[:5])
    predicted = json.loads(command("predict", tmp_path / "mine", tmp_path / "new.csv", "--json"))
    assert [p["log_density"] for p in predicted["predictions"]] == pytest.approx(
        list(result.log_density(points[:5])), abs=1e-9
    )
    # And Python reads what the command wrote, to the last byte.
    write(tmp_path / "points.csv", points)
    command("fit", tmp_path / "points.csv", "--out", tmp_path / "theirs", *flags(QUICK))
    theirs = partita.load(tmp_path / "theirs")
    assert rows(theirs) == rows(result)
    theirs.save(tmp_path / "copy")
    for name in ("replicates.csv", "draws.csv", "clustering.csv", "credible_ball.csv", "co_clustering.npy"):
        assert (tmp_path / "copy" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name


def test_data_go_where_a_run_is_saved(points, result, tmp_path):
    result.save(tmp_path / "first")
    longer = partita.load(tmp_path / "first").more(replicates=10)
    for again in (partita.load(tmp_path / "first"), longer):
        again.save(tmp_path / "copy", force=True)
    longer.save(tmp_path / "first", force=True)
    shutil.rmtree(tmp_path / "first")
    back = partita.load(tmp_path / "copy")
    assert rows(back) == rows(longer) and (back.predict(points) == result.predict(points)).all()


def flags(options):
    return [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", str(value))]


def test_a_directory_that_was_left_is_resumed(points, tmp_path):
    whole = partita.fit(points, out=tmp_path / "run", **QUICK)
    rows_file = tmp_path / "run" / "replicates.csv"
    lines = rows_file.read_text().splitlines(keepends=True)
    rows_file.write_text("".join(lines[:20]))
    (tmp_path / "run" / "summary.json").unlink()
    assert not partita.load(tmp_path / "run").complete
    # Where it is now, not where it was.
    (tmp_path / "run").rename(tmp_path / "moved")
    again = partita.resume(tmp_path / "moved")
    assert rows(again) == rows(whole)
    assert partita.load(tmp_path / "moved").complete and not (tmp_path / "run").exists()


def test_the_report_and_the_card(result, tmp_path):
    result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and "partita.fit(data" in page
    card = result._repr_html_()
    assert "data:image/png;base64," in card and "Probability of each number of clusters" in card
    assert "60 replicates" in repr(result)


def test_pictures(result):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    for draw in (
        result.plot_clusters,
        result.plot_co_clustering,
        result.plot_meeting,
        result.plot_data,
        result.plot_estimates,
    ):
        axes = draw()
        assert axes.figure is not None
        own = plt.figure().add_subplot()
        assert draw(ax=own) is own
    plt.close("all")


def test_without_states_there_is_no_clustering(points):
    result = partita.fit(points, keep_draws=0, **QUICK)
    for ask in ("labels", "certainty", "co_clustering", "credible_ball"):
        with pytest.raises(ValueError, match="keep_draws=1"):
            getattr(result, ask)


def test_the_small_table_stands_in_for_pandas(monkeypatch, result):
    table = result._summary_table(partita.Table)
    assert "clusters" in repr(table) and "<table>" in table._repr_html_()
    assert table["mean"][0] == result.to_pandas("summary")["mean"].iloc[0]
    assert table.shape == (len(table.index), 7)


def test_arviz(result):
    az = pytest.importorskip("arviz")
    tree = result.to_arviz()
    # Its own functions read it, whatever its version.
    assert type(tree).__name__ == ("InferenceData" if az.__version__.startswith("0.") else "DataTree")
    known = az.summary(tree, group="unbiased", round_to="none")["mean"]
    for line in result.to_dict()["summaries"]:
        assert float(known[line["name"]]) == pytest.approx(line["mean"])
    assert az.extract(tree, num_samples=7).sizes["sample"] == 7
    assert tree["posterior"].sizes["draw"] == len(result.draws[0])
    # ArviZ averages single estimates to the mean of the run, and weighs states with their weights.
    assert float(tree["unbiased"]["clusters"].mean()) == pytest.approx(result.to_dict()["summaries"][0]["mean"])
    weighed = (tree["posterior"]["clusters"] * tree["sample_stats"]["weight"]).sum() / len(result.replicates_done)
    assert float(weighed) == pytest.approx(float(tree["unbiased"]["clusters"].mean()), abs=0.5)
