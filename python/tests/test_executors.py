"""Other workers, the same bytes: pools of processes, Dask with a killed worker, MPI ranks, joblib."""

import concurrent.futures
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import QUICK
from test_fit import rows

import partita
from partita._executor import Courier

MANY = {**QUICK, "replicates": 200}


@pytest.fixture(scope="module")
def here(points):
    return partita.fit(points, **MANY)


def test_threads_as_an_executor(points, here):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        result = partita.fit(points, executor=pool, **MANY)
    assert rows(result) == rows(here) and result.to_dict()["summaries"] == here.to_dict()["summaries"]
    assert (result.labels == here.labels).all() and (result.draws[2] == here.draws[2]).all()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools_of_processes(points, here, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        courier = Courier(pool)
        result = partita.fit(points, executor=courier, **MANY)
        assert rows(result) == rows(here)
        # The run and the pairs for its yardstick: the data travel once a worker, or twice where one was asleep.
        assert courier.width == 2 and courier.sent <= 4
        more = result.more(replicates=50, executor=pool)
    assert rows(more) == rows(here.more(replicates=50))


def test_a_pilot_and_a_clock_elsewhere(points):
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = partita.fit(points, executor=pool, replicates=10)
        timed = partita.fit(points, executor=pool, time=2.5, lag=5, burn_in=5, sweeps=20)
    assert rows(found) == rows(partita.fit(points, replicates=10))
    assert timed.to_dict()["rule"] == "deadline" and len(timed.replicates_done) >= 8


class Careless(concurrent.futures.Executor):
    """Loses every third order, and forgets all it knew."""

    _max_workers = 3

    def __init__(self):
        self.pool, self.orders = concurrent.futures.ThreadPoolExecutor(3), 0

    def submit(self, work, *arguments):
        self.orders += 1
        if self.orders % 3 == 1:
            future = concurrent.futures.Future()
            future.set_exception(ConnectionError("the worker is gone"))
            return future
        return self.pool.submit(work, *arguments)


def test_what_is_lost_runs_again(points, here):
    careless = Careless()
    assert rows(partita.fit(points, executor=careless, **MANY)) == rows(here)
    assert careless.orders > 3


def test_a_pool_that_breaks_costs_its_batch(points, here, caplog):
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        pool.submit(os.getpid).result()
        victim = next(iter(pool._processes))
        threading.Timer(0.3, os.kill, (victim, signal.SIGKILL)).start()
        result = partita.fit(points, executor=pool, **{**MANY, "replicates": 2000})
    assert "the rest runs here" in caplog.text
    assert rows(result) == rows(here.more(replicates=1800))


def test_an_interrupt_of_work_elsewhere(points):
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        # Workers that have begun already: what is interrupted is work, and not their start.
        partita.fit(points, executor=pool, **QUICK)
        threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        with pytest.raises(partita.Interrupted) as caught:
            partita.fit(points, executor=pool, **{**MANY, "replicates": 500_000})
        assert time.monotonic() - begin < 2.5
        assert len(caught.value.result.replicates_done) > 0


def test_sending_costs_little(points):
    """Orders grow to some quarter of a second of work, whatever a replicate takes on this machine just now."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        courier = Courier(pool)
        busy = []
        receive = courier.receive

        def noted():
            came = receive()
            busy.extend(parcel[1] for _, parcel in came if parcel is not None)
            return came

        courier.receive = noted
        partita.fit(points, executor=courier, **{**QUICK, "replicates": 1000, "keep_draws": 0})
    # The first and last ones of each stage are short.
    assert busy and sum(busy) > 0.1 * (len(busy) - 10)


@pytest.mark.slow
def test_dask_with_a_killed_worker(points, here):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor()
        assert Courier(executor).width == 3
        assert rows(partita.fit(points, executor=executor, **MANY)) == rows(here)
        pid = client.submit(os.getpid, pure=False).result()
        killed = []

        def kill():
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)

        threading.Timer(0.7, kill).start()
        result = partita.fit(points, executor=executor, **{**MANY, "replicates": 3000})
        assert killed, "the run was over before the worker was killed"
    assert rows(result) == rows(here.more(replicates=2800))


@pytest.mark.slow
def test_four_ranks_of_mpi(points, here, tmp_path):
    pytest.importorskip("mpi4py")
    mpiexec = shutil.which("mpiexec", path=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
    if mpiexec is None:
        pytest.skip("no mpiexec here")
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            f"""
            import pickle, sys
            from mpi4py.futures import MPIPoolExecutor
            import numpy as np, partita

            if __name__ == "__main__":
                points = np.load({str(tmp_path / "points.npy")!r})
                with MPIPoolExecutor() as pool:
                    result = partita.fit(points, executor=pool, **{MANY!r})
                    workers = pool.num_workers
                with open({str(tmp_path / "result.pkl")!r}, "wb") as file:
                    pickle.dump((workers, result), file)
            """
        )
    )
    import pickle

    import numpy as np

    np.save(tmp_path / "points.npy", points)
    arguments = [mpiexec, "-n", "4", sys.executable, "-m", "mpi4py.futures", str(program)]
    subprocess.run(arguments, check=True, timeout=180)
    workers, result = pickle.loads((tmp_path / "result.pkl").read_bytes())
    assert workers == 3 and rows(result) == rows(here)


def test_a_backend_of_joblib(points):
    joblib = pytest.importorskip("joblib")
    pytest.importorskip("sklearn")
    from sklearn.model_selection import cross_val_score

    alone = partita.DPMixture(replicates=12).fit(points)
    with joblib.parallel_config("loky", n_jobs=2):
        assert rows(partita.DPMixture(replicates=12).fit(points).result_) == rows(alone.result_)
        scores = cross_val_score(partita.DPMixture(replicates=6), points, cv=2)
    assert (scores == cross_val_score(partita.DPMixture(replicates=6), points, cv=2)).all()


@pytest.mark.slow
def test_dask_as_a_backend_of_joblib(points):
    distributed = pytest.importorskip("distributed")
    joblib = pytest.importorskip("joblib")
    alone = partita.DPMixture(replicates=12).fit(points)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        assert rows(partita.DPMixture(replicates=12, n_jobs=-1).fit(points).result_) == rows(alone.result_)
