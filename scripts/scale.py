"""What more workers give: a simulation from measured times of replicates. Prints the table of docs/scale.md.

Measures on a table of 10^3 rows how long single replicates take, and takes them for a hundred times as long on 10^5;
then hands them out to so many workers as `executor=` does, batch by batch, and adds what is sent.
"""

import heapq
import pickle

import numpy as np

import partita

#: Bytes of a second on a network of one gigabit, and seconds that one message takes.
BYTES, MESSAGE = 125e6, 0.5e-3
#: As the executor does it: an order is fifty times what it costs to send it, between these.
ORDER = (0.25, 5.0)


def table(rows, columns=5, clusters=8):
    chance = np.random.default_rng(1)
    centres = chance.normal(0, 3, (clusters, columns))
    return centres[chance.integers(clusters, size=rows)] + chance.normal(size=(rows, columns))


def measured(rows, replicates):
    result = partita.fit(table(rows), replicates=replicates, progress=False, keep_draws=1, threads=2)
    seconds = result._run.rows()["seconds"]
    pilot = result.pilot["seconds"] if result.pilot else 0.0
    size = rows * 5 * 8
    back = len(pickle.dumps(result._run.rows())) / replicates + 4 * rows
    return seconds, pilot, size, back


def simulated(seconds, workers, replicates, pilot, size, back, seed=1):
    """Wall time of a run: the data go out, orders are worked off, the last one ends it."""
    chance = np.random.default_rng(seed)
    times = chance.choice(seconds, replicates)
    mean = times.mean()
    batch = max(1, int(np.clip(50 * MESSAGE, *ORDER) / mean))
    batch = min(batch, max(1, replicates // (2 * workers)))
    # The data go from one machine to all, one after the other.
    ready = [pilot + (at + 1) * size / BYTES for at in range(min(workers, replicates))]
    heapq.heapify(ready)
    end, sender = 0.0, 0.0
    for first in range(0, replicates, batch):
        free = heapq.heappop(ready)
        sender = max(sender + MESSAGE, free)
        done = sender + times[first : first + batch].sum() + min(batch, replicates) * back / BYTES + MESSAGE
        end = max(end, done)
        heapq.heappush(ready, done)
    return end


def main():
    print(
        "| rows | replicate, median; slowest | workers | replicates | eight processors | all workers | speed-up "
        "| pilot's share | sent to each | back, each replicate |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    measured_rows, count = 1000, 80
    known = measured(measured_rows, count)
    for rows in (measured_rows, 100_000):
        # A sweep takes time in proportion to the rows; the pilot has a budget, and gets no longer.
        times = rows / measured_rows
        seconds, pilot, size, back = known[0] * times, known[1], known[2] * times, known[3] * times
        for workers in (10, 1000, 180_000):
            replicates = max(10_000, workers)
            alone = simulated(seconds, 8, replicates, pilot, 0, 0)
            many = simulated(seconds, workers, replicates, pilot, size, back)
            print(
                f"| {rows:,} | {np.median(seconds):.3g} s; {seconds.max():.3g} s | {workers:,} | {replicates:,} "
                f"| {alone:,.0f} s | {many:,.0f} s | {alone / many:,.1f} | {100 * pilot / many:.0f} % "
                f"| {size / 1e6:.2f} MB | {back / 1e3:.0f} kB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
