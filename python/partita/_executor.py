"""Work on other machines: any `concurrent.futures.Executor` runs orders, and data travel once per worker."""

from __future__ import annotations

import hashlib
import itertools
import logging
import os
import queue
from concurrent.futures import CancelledError
from typing import Any

from . import _native

log = logging.getLogger("partita")


def width_of(executor: Any) -> int:
    """How many orders an executor works on at once, as far as it tells."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "ncores"):
        return max(1, sum(client.ncores().values()))
    for name in ("_max_workers", "num_workers", "max_workers"):
        workers = getattr(executor, name, None)
        if isinstance(workers, int) and workers > 0:
            return workers
    return os.cpu_count() or 1


def work(key: str, order: bytes, origin: bytes | None = None) -> tuple[bytes, float] | None:
    """Does an order, in a worker. None where the worker does not know the data yet."""
    return _native.work(key, order, origin)


class Courier:
    """Takes orders to an executor and brings deliveries back."""

    def __init__(self, executor: Any, width: int | None = None) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise TypeError(
                f"executor: {executor!r} has no submit: give a concurrent.futures.Executor, such as "
                "ProcessPoolExecutor(), Client.get_executor() of Dask or MPIPoolExecutor() of mpi4py"
            )
        self.executor = executor
        self.width = width or width_of(executor)
        #: How often data travelled.
        self.sent = 0
        self._numbers = itertools.count(1)
        self._orders: dict[int, tuple[str, bytes, bytes]] = {}
        self._futures: dict[int, Any] = {}
        self._done: queue.SimpleQueue = queue.SimpleQueue()
        self._introduced: dict[str, int] = {}

    def send(self, origin: bytes, order: bytes) -> int | None:
        """Hands an order in; None where the executor takes no more."""
        key = hashlib.sha256(origin).hexdigest()
        number = next(self._numbers)
        # The first orders take the data along; a worker that has not got them asks.
        new = self._introduced.setdefault(key, 0) < self.width
        self._introduced[key] += new
        return number if self._submit(number, key, order, origin, bool(new)) else None

    def _submit(self, number: int, key: str, order: bytes, origin: bytes, data: bool) -> bool:
        try:
            future = self.executor.submit(work, key, order, origin if data else None)
        except RuntimeError as error:
            log.warning("the executor takes no more work (%s): the rest runs here", error)
            return False
        self.sent += data
        self._orders[number] = (key, order, origin)
        self._futures[number] = future
        future.add_done_callback(lambda future: self._done.put((number, future)))
        return True

    def receive(self) -> list[tuple[int, tuple[bytes, float] | None]]:
        """What has come back: an order's number with its delivery, or with None where it is lost."""
        came: list[tuple[int, tuple[bytes, float] | None]] = []
        try:
            done = [self._done.get(timeout=0.1)]
            while not self._done.empty():
                done.append(self._done.get())
        except queue.Empty:
            return came
        for number, future in done:
            if number not in self._orders or self._futures[number] is not future:
                continue
            key, order, origin = self._orders[number]
            delivery = None
            try:
                delivery = future.result()
                if delivery is None and self._submit(number, key, order, origin, True):
                    continue
            except (ValueError, _native.PartitaError, TypeError, ImportError):
                # A mistake, which another worker would make, too.
                raise
            except (Exception, CancelledError) as error:
                log.warning("an order was lost (%s: %s): its replicates run again", type(error).__name__, error)
            del self._orders[number], self._futures[number]
            came.append((number, None if delivery is None else (bytes(delivery[0]), delivery[1])))
        return came

    def give_up(self) -> None:
        """Takes back what has not begun."""
        for future in self._futures.values():
            future.cancel()
        self._orders.clear()
        self._futures.clear()


def refuse_executor(likelihood: Any, executor: Any) -> None:
    """A user-defined likelihood runs where it is: an executor would do nothing."""
    if likelihood is not None and executor is not None:
        raise ValueError(
            "executor cannot be used with a user-defined likelihood, which runs in this process: leave it out, or fit "
            "a shard in each process and merge them"
        )


def courier(executor: Any) -> Courier | None:
    """The courier of an executor; None where there is none."""
    if executor is None or isinstance(executor, Courier):
        return executor
    return Courier(executor)
