"""Options, data of all sorts, errors, Ctrl-C."""

import inspect
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from conftest import QUICK

import partita
from partita import _data, _native
from partita._options import ALIASES


def rows(result):
    """The bits of all estimates and meetings, without clocks."""
    table = result._run.rows()
    table.pop("seconds")
    return {name: values.tobytes() for name, values in table.items()}


def test_arguments_are_the_options_of_the_command():
    for function, task, meetings in [
        (partita.fit, "fit", False),
        (partita.blocks, "blocks", False),
        (partita.color, "color", False),
    ]:
        keys = [key for key in _native.options_of(task, meetings) if key != "data"]
        keys += [other for other, key in ALIASES.items() if key in keys]
        arguments = list(inspect.signature(function).parameters)
        own = {"data", "graph", "labels", "likelihood", "executor", "progress", "force"}
        assert sorted(a for a in arguments if a not in own) == sorted(keys)
        for key in keys:
            if key != "colors":
                assert f"\n    {key} : " in function.__doc__
    everything = {name for name, _, _ in _native.options()}
    assert {"model", "burn_in", "keep_draws", "shard", "out"} < everything


def test_every_option_takes_a_value(points, tmp_path):
    said = dict(
        columns=["x1", "x2"],
        covariance="known",
        prior_sd=2.0,
        noise_sd=0.5,
        prior="dirichlet",
        alpha=0.5,
        coupling="optimal",
        metric="vi",
        nugget=1e-4,
        max_sweeps=1000,
        seed=np.int64(4),
        summary=["top:2", "co:0,1"],
        keep_draws=2,
        loss="binder",
        threads=2,
        out=tmp_path / "run",
        standardize=np.bool_(True),
        column_type={"x1": "normal"},
    )
    result = partita.fit(points, **said, **QUICK)
    assert result.plan["seed"] == 4 and result.plan["metric"] == "vi"
    assert list(result.to_dict()["summaries"][i]["name"] for i in range(3)) == ["top:1", "top:2", "co:0,1"]
    assert (tmp_path / "run" / "report.html").exists()
    one = partita.fit(points, summary="clusters", time=0.5, lag=5, burn_in=5, sweeps=20)
    assert one.to_dict()["rule"] == "deadline"


def test_the_device_changes_nothing(points):
    cpu = partita.fit(points, **QUICK)
    assert rows(partita.fit(points, device="auto", **QUICK)) == rows(cpu)
    with pytest.raises(ValueError, match="not one of cpu, cuda, auto"):
        partita.fit(points, device="gpu", **QUICK)


def test_options_by_their_other_names(points):
    one = partita.fit(points, covariance="known", summary="top:2", **QUICK)
    assert rows(partita.fit(points, model="known", summaries=["top:2"], **QUICK)) == rows(one)
    with pytest.raises(ValueError, match="give one of them"):
        partita.fit(points, model="known", covariance="full", **QUICK)
    # The default of the model, said.
    assert rows(partita.fit(points, model="auto", **QUICK)) == rows(partita.fit(points, **QUICK))


def test_one_table_in_many_forms_gives_the_same_bits(points, tmp_path):
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    columns = {"x1": points[:, 0], "x2": points[:, 1]}
    path = tmp_path / "points.csv"
    pd.DataFrame(columns).to_csv(path, index=False)

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table(columns).__arrow_c_stream__(requested_schema)

    forms = [
        points,
        np.asfortranarray(points),
        points[::1].tolist(),
        columns,
        pd.DataFrame(columns),
        pd.DataFrame(columns).astype("Float64"),
        pl.DataFrame(columns),
        pl.DataFrame(columns).lazy(),
        pa.table(columns),
        Stream(),
        str(path),
        path,
    ]
    first, *rest = [rows(partita.fit(form, **QUICK)) for form in forms]
    assert all(other == first for other in rest)


def mixed():
    chance = np.random.default_rng(3)
    size = 40
    return {
        "length": np.r_[chance.normal(0, 1, size), chance.normal(6, 1, size)].round(3),
        "visits": np.r_[chance.poisson(1, size), chance.poisson(9, size)],
        "colour": np.r_[["red"] * size, ["blue"] * (size - 5), ["red"] * 5].astype(object),
        "tame": np.r_[[True] * size, [False] * size],
    }


def test_kinds_and_gaps_are_taken_at_their_word():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    table = mixed()
    frame = pd.DataFrame(table)
    frame["visits"] = frame["visits"].astype("Int64")
    frame.loc[[0, 50], "visits"] = pd.NA
    frame.loc[3, "length"] = np.nan
    frame.loc[7, "colour"] = None
    frame["colour"] = frame["colour"].astype(pd.CategoricalDtype(["red", "blue", "green"]))
    frame["tame"] = frame["tame"].astype("boolean")
    frame.loc[9, "tame"] = pd.NA
    result = partita.fit(frame, **QUICK)
    assert result.columns == {"length": "normal", "visits": "count", "colour": "category", "tame": "category"}
    assert len(set(result.labels)) >= 2
    arrow = pa.Table.from_pandas(frame)
    assert rows(partita.fit(arrow, **QUICK)) == rows(result)
    polars = pl.from_pandas(frame).with_columns(pl.col("colour").cast(pl.Enum(["red", "blue", "green"])))
    assert rows(partita.fit(polars, **QUICK)) == rows(result)
    # An unused level is a level: without it the model is another one.
    fewer = frame.assign(colour=frame["colour"].cat.remove_unused_categories())
    assert rows(partita.fit(fewer, **QUICK)) != rows(result)


def test_names_are_kept(points):
    pd = pytest.importorskip("pandas")
    names = [f"bird {i}" for i in range(len(points))]
    frame = pd.DataFrame(points, columns=["wing", "tail"], index=names)
    result = partita.fit(frame, labels=["a"] * 20 + ["b"] * 15 + [None] * 10, **QUICK)
    assert result.items == names and list(result.columns) == ["wing", "tail"]
    assert list(result.labels.index) == names and list(result.certainty.index) == names
    assert list(result.credible_ball.upper.index) == names
    assert list(result.predict(frame[:4]).index) == names[:4]
    assert "reference:ari" in result.summary.index
    assert result.to_dict()["clustering"]["reference_missing"] == 10
    filtered = partita.fit(frame.reset_index(drop=True)[5:], **QUICK)
    assert list(filtered.labels.index) == list(range(5, len(points)))


@pytest.mark.parametrize(
    ("data", "options", "error", "words"),
    [
        (
            [[1.0], [2.0]],
            {"max_sweep": 3},
            TypeError,
            "there is no option max_sweep; did you mean max_sweeps?",
        ),
        ([[1.0], [2.0]], {"covariance": "diagnal"}, ValueError, "model: `diagnal` is not one of"),
        (
            [[1.0], [2.0]],
            {"burn_in": 9, "sweeps": 3},
            ValueError,
            "sweeps (3) must be at least burn_in (9)",
        ),
        (
            [[1.0], [2.0]],
            {"replicates": 9, "time": "3s"},
            ValueError,
            "replicates, time and precision each say",
        ),
        ([[1.0], [2.0]], {"header": True}, ValueError, "header is for tables in text files"),
        ([[1.0], [2.0]], {"colors": 3}, ValueError, "colors"),
        ([[1.0], [np.inf]], {}, ValueError, 'array, row 2, column "x1"'),
        (
            [[1.0], [np.nan], [2.0]],
            {"covariance": "shared"},
            ValueError,
            "model='diagonal' takes missing values",
        ),
        (np.zeros((2, 2, 2)), {}, ValueError, "3 dimensions"),
        ({"a": [1, 2], "b": [1, 2, 3]}, {}, ValueError, "give all columns the same length"),
        ("nowhere.csv", {}, ValueError, "nowhere.csv"),
        ([[1 + 2j], [2j]], {}, ValueError, "complex"),
        ([["a"], ["b"], ["c"]], {}, ValueError, "column_type='x1=category'"),
        ([[1.0], [2.0]], {"executor": 3}, TypeError, "has no submit"),
    ],
)
def test_mistakes_get_a_sentence(data, options, error, words):
    with pytest.raises(error) as caught:
        partita.fit(data, **options)
    assert words in str(caught.value)
    assert "--" not in str(caught.value) and " = " not in str(caught.value)


def test_sentences_are_in_pythons_words():
    for library, python in [
        ("Raise `max_sweeps`.", "Raise max_sweeps."),
        ("`start = prior` or `lag = 3`", "start='prior' or lag=3"),
        ("say `header = true` or `header = false`", "say header=True or header=False"),
        ("continue with `resume(my run, 2)`", "continue with partita.resume('my run, 2')"),
        ("use `color(a.txt, colors = Q)`", "use partita.color('a.txt', colors=Q)"),
        ("and `meet` makes none; `force`", "and partita.meet() makes none; force"),
        ("`x` is no `alpha` and ` is alone", "`x` is no alpha and ` is alone"),
    ]:
        assert _native.in_python(library) == python


def test_what_is_said_goes_to_logging_and_nothing_is_printed(points, caplog, capfd):
    with caplog.at_level(logging.INFO, "partita"):
        partita.fit(points, **QUICK)
    assert "array: 45 rows, 2 columns" in caplog.text
    assert "(standardize=False keeps their units)" in caplog.text
    assert capfd.readouterr() == ("", "")


def test_a_bar_is_shown_where_it_is_asked_for(points, capfd):
    pytest.importorskip("tqdm")
    partita.fit(points, progress=True, **{**QUICK, "replicates": 300})
    assert "pair" in capfd.readouterr().err


def interrupt_after(seconds):
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    return time.monotonic() + seconds


def test_an_interrupt_keeps_what_is_finished(points):
    settings = {**QUICK, "replicates": 200_000}
    at = interrupt_after(1.0)
    with pytest.raises(partita.Interrupted) as caught:
        partita.fit(points, **settings)
    assert time.monotonic() - at < 1.0
    assert isinstance(caught.value, KeyboardInterrupt)
    kept = caught.value.result
    done = kept.replicates_done
    assert 0 < len(done) < 200_000 and not kept.complete
    with pytest.raises(ValueError, match="not complete"):
        _ = kept.summary


def test_an_interrupted_run_goes_on_to_the_same_bits(points):
    settings = {**QUICK, "replicates": 400}
    whole = partita.fit(points, **settings)
    interrupt_after(0.2)
    try:
        result = partita.fit(points, **settings)
    except partita.Interrupted as stop:
        assert stop.result is not None
        result = stop.result.resume()
    assert rows(result) == rows(whole)
    assert result.summary.equals(whole.summary)


def test_the_interpreter_is_free_while_chains_run(points):
    ticks = []
    over = threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.005)

    other = threading.Thread(target=tick)
    other.start()
    partita.fit(points, **{**QUICK, "replicates": 300})
    over.set()
    other.join()
    assert len(ticks) > 5


def test_one_thread_in_a_forked_worker(points):
    if not hasattr(os, "fork"):
        pytest.skip("no fork")
    partita.fit(points, **QUICK)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        ok = len(partita.fit(points, threads=1, **QUICK).replicates_done) == 60
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_import_is_quick_and_asks_for_nothing():
    code = (
        "import time, sys; import numpy; begin = time.perf_counter(); import partita;"
        "print(time.perf_counter() - begin, [m for m in ('pandas', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    best = min(
        (
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
            for _ in range(3)
        ),
        key=lambda out: float(out.split()[0]),
    )
    assert float(best.split()[0]) < 0.2 and best.strip().endswith("[]"), best


def test_a_table_of_strings_with_labels_by_name():
    table = mixed()
    result = partita.fit(table, labels="colour", **QUICK)
    assert "colour" not in result.columns and "reference:ari" in result.to_dict()["summaries"][-1]["name"]
    assert _data.table(table, "colour", {}).options == {"label_column": "colour"}


def test_an_interrupt_before_anything_is_finished_has_no_result():
    assert partita.Interrupted("early").result is None and issubclass(partita.Interrupted, KeyboardInterrupt)
