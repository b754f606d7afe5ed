"""`n_jobs` as scikit-learn means it: threads, or the workers of the joblib backend that is in charge."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any


class JoblibExecutor(Executor):
    """An executor over a joblib backend: each order is a call of `Parallel`, and threads here wait for them."""

    def __init__(self, jobs: int) -> None:
        self._max_workers = jobs
        self._waiting = ThreadPoolExecutor(jobs)
        from joblib.parallel import get_active_backend

        self._backend = get_active_backend()[0]

    def submit(self, work: Any, /, *arguments: Any, **named: Any) -> Future:
        from joblib import Parallel, delayed

        def one() -> Any:
            return Parallel(n_jobs=2, backend=self._backend, batch_size=1)([delayed(work)(*arguments, **named)])[0]

        return self._waiting.submit(one)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._waiting.shutdown(wait, cancel_futures=cancel_futures)


@contextmanager
def placed(n_jobs: int | None) -> Iterator[dict[str, Any]]:
    """Where a fit runs, as options of it."""
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    jobs = effective_n_jobs(n_jobs)
    backend = get_active_backend()[0]
    ours = type(backend).__name__ in ("LokyBackend", "ThreadingBackend", "SequentialBackend")
    if ours:
        yield {"threads": max(1, min(jobs, os.cpu_count() or 1) if n_jobs is not None else 1)}
        return
    with JoblibExecutor(jobs) as executor:
        yield {"executor": executor}
