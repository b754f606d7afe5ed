"""What more workers give: a simulation from measured times of replicates. Prints the table of docs/scale.md.

Pairs of chains are run on tables of 10^3 and 10^5 rows, under the model, the moves and the start that the pilot takes
on the smaller one. What a sweep of one chain takes is measured in time on a processor, so that it does not matter what
else the machine does; how many sweeps a replicate takes follows from when its pair meets, under the pilot's schedule.
Replicates are then handed out to so many workers as `executor=` does it, order by order, and what is sent is added.
"""

import heapq
import sys
import time

import numpy as np

import partita

#: Bytes of a second on a network of one gigabit, and seconds that one message takes.
BYTES, MESSAGE = 125e6, 0.5e-3
#: As the executor does it: an order is fifty times what it costs to send it, between these.
ORDER = (0.25, 5.0)
#: What the pilot takes for the table of 10^3 rows.
MODEL = {"covariance": "full", "cluster_prior": "columns:0.1,2,0.3", "sampler": "sams*5+gibbs", "start": "sequential"}
LAG, SWEEPS = 84, 168
#: Processor seconds of that pilot; it has a budget, and takes no longer on more rows.
PILOT = 61.0
#: Rows, and how many pairs are run on them, up to how many sweeps.
MEASURED = ((1_000, 40, 300), (100_000, 4, 60))


def table(rows, columns=5, clusters=8):
    chance = np.random.default_rng(1)
    centres = chance.normal(0, 3, (clusters, columns))
    return centres[chance.integers(clusters, size=rows)] + chance.normal(size=(rows, columns))


def pairs(data, count, cap):
    """Processor seconds of some pairs, the sweeps of their chains, and when they met; the cap where they did not."""
    begin = time.process_time()
    met = partita.meet(data, replicates=count, lag=1, max_sweeps=cap, progress=False, threads=2, **MODEL)
    calls = int(met._run.rows()["kernel_calls"].sum())
    return time.process_time() - begin, calls, np.nan_to_num(met.meeting_times, nan=cap)


def measured(rows, count, cap):
    """Seconds of a sweep, and when pairs meet after the lag."""
    data = table(rows)
    # Reading and starting cost the same in both, and go out.
    (some, few, _), (seconds, calls, tau) = pairs(data, 2, 2), pairs(data, count, cap)
    return (seconds - some) / (calls - few), tau - 1


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
    known = [(rows, *measured(rows, *how)) for rows, *how in MEASURED]
    for rows, cost, after in known:
        words = f"{rows:,} rows: {1e3 * cost:.3g} ms a sweep, meetings after {np.sort(after).astype(int).tolist()}"
        print(words, file=sys.stderr, flush=True)
    print(
        "| rows | replicate, median; slowest | workers | replicates | eight processors | all workers | speed-up "
        "| pilot's share | sent to each | back, each replicate |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for rows, cost, after in known:
        # One chain goes to the end of the schedule, or until they meet; the other one until they meet.
        seconds = cost * (np.maximum(SWEEPS, LAG + after) + after)
        pilot = PILOT / 2
        # Numbers of a row and a label an item of one kept state; the table as it is sent.
        size, back = rows * 5 * 8, 300 + 4 * rows
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
