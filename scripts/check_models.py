#!/usr/bin/env python3
"""Check the command against docs/models.md and docs/numbers.md: every model family, prior, block model and colouring.

    cargo build --release
    python3 scripts/check_models.py [PROGRAM]        # target/release/partita if left out; two minutes

Everything is computed anew by scripts/definitions.py, which has the formulas of these two pages and shares no code with
the program; standard library only. There are two kinds of comparisons:

- *truth*: the expectation of a summary by a sum over all partitions of a small table or graph, against the mean of
  REPLICATES replicates (fixed seed) in standard errors. Estimates are unbiased, so |z| is to stay below WORST: about one
  false alarm in 400 changes of the seed for the 380 or so z-scores of a run, by the normal law.
- *rest*: what follows from the files of the run without chance (means and intervals from replicates.csv; one
  clustering, its loss, certainty and ball, and predictions from draws.csv) to a relative 1e-7; and the densities of one
  more row against ratios of marginal likelihoods, which the pages give separately.

Prints a table and fails where one of them is not met.
"""

import csv
import json
import math
import subprocess
import sys
import tempfile
from math import exp, log
from pathlib import Path

import definitions as d

ROOT = Path(__file__).resolve().parents[1]
REPLICATES, WORST, TOLERANCE = 400, 4.5, 1e-7
SCHEDULE = f"--lag 10 --burn-in 10 --sweeps 100 --replicates {REPLICATES} --seed 7 --threads 1 --keep-draws 3 --force"
SUMMARIES = ["clusters", "top:2", "co:0,1", "co:2,4", "entropy"]
NAMES = ["clusters", "top:1", "top:2", "co:0,1", "co:2,4", "entropy"]

ONE = "x\n-1.3\n-0.9\n0.2\n0.4\n2.1\n2.2\n"
LABELLED = "x,kind\n-1.3,a\n-0.9,a\n0.2,b\n0.4,a\n2.1,c\n2.2,c\n"
TWO = "x,y\n0.1,11\n0.35,12.5\n-1,10.5\n2,12.2\n1.9,13\n-0.7,10.1\n"
WIDE = "\n".join([",".join(f"c{j}" for j in range(32))] + [
    ",".join(f"{math.sin(1 + 3.7 * i + 1.3 * j) + (0.9 if i % 2 else -0.4) * math.cos(j):.4f}" for j in range(32))
    for i in range(5)]) + "\n"
GAPS = "x,y,w\n0.1,11,3.5\n,12.5,2.5\n-1,,2.25\n2,12.2,NA\n1.9,13,0.5\n-0.7,?,1.75\n"
COUNTS = "n,none\n0,0\n1,0\n7,0\n2,0\n9,0\n0,0\n"
CATEGORIES = "coat,tame\nred,yes\nred,no\ngrey,yes\nblack,no\nblack,\ngrey,no\n"
MIXED = "x,y,n,coat,t\n0.1,11,0,red,0\n0.35,,3,red,1\n-1,10.5,7,grey,1\n2,12.2,1,grey,\n1.9,13,,black,0\n-0.7,10.1,12,red,1\n"
BLOCK = "x,y,w,n,coat\n0.1,11,3.5,0,red\n0.35,12.5,,3,red\n,,2.25,7,grey\n2,12.2,1.5,1,grey\n1.9,13,0.5,,black\n-0.7,10.1,1.75,12,red\n"
FOUR = "x\n-1.3\n0.2\n0.4\n2.1\n"
TRIANGLES = "a b\nb c\na c\nc d\nd e\ne f\nd f\n"
NUMBERED = "30 4\n4 10\n10 7\n7 30\n4 7\n9\n"
OCTAHEDRON = "".join(f"{i} {j}\n" for i in range(6) for j in range(i) if i + j != 5)
SEVEN = "0 1\n0 2\n1 2\n2 3\n3 4\n3 5\n4 5\n5 6\n"
DIMACS = "p edge 5 4\ne 1 2\ne 2 3\ne 3 4\ne 2 1\n"

GAMMA = d.dirichlet_gamma(2, 4)
NORMALS = lambda rows: ["normal"] * len(rows[0])


def known(**spreads):
    return lambda rows: d.Known(rows, **spreads)


def mixed(*kinds):
    return lambda rows: d.Mixed(rows, list(kinds) or NORMALS(rows))


# Name, table, options, family, prior, kinds of columns, new rows in the units of the file; tables with --no-standardize stay
# as they are.
TABLES = [
    ("known, defaults", TWO, "--covariance known --alpha 1", known(), d.dirichlet(1), None, [[0.2, 12], [5, 9]]),
    ("known, units of the file", ONE, "--prior-sd 1.3 --noise-sd 0.7 --no-standardize --alpha 0.7",
     known(prior_sd=1.3, noise_sd=0.7), d.dirichlet(0.7), None, [[0.2], [4]]),
    ("known, default spreads in them", ONE, "--covariance known --no-standardize --alpha 2", known(), d.dirichlet(2),
     None, [[1]]),
    ("known, 32 columns", WIDE, "--covariance known", known(), GAMMA, None, [[0.3] * 32]),
    ("known labels", LABELLED, "--covariance known --label-column kind --alpha 1 --loss binder", known(),
     d.dirichlet(1), None, [[0.2]]),
    ("shared", TWO, "--covariance shared", lambda rows: d.Shared(rows, False), GAMMA, None, [[0.2, 12], [5, 9]]),
    ("shared, one column", ONE, "--covariance shared", lambda rows: d.Shared(rows, False), GAMMA, None, [[0.2]]),
    ("shared-columns", TWO, "--covariance shared-columns", lambda rows: d.Shared(rows, True), GAMMA, None,
     [[0.2, 12], [5, 9]]),
    ("diagonal, one column", ONE, "", mixed(), GAMMA, None, [[0.2], [9]]),
    ("diagonal, two columns", TWO, "--loss binder", mixed(), GAMMA, None, [[0.2, 12], [5, 9]]),
    ("diagonal, gaps", GAPS, "", mixed(), GAMMA, None, [[0.2, None, 3], [None, None, None]]),
    ("full", TWO, "--covariance full", d.Full, GAMMA, None, [[0.2, 12], [5, 9]]),
    ("full, a prior of the table", TWO, "--cluster-prior table:0.3,2,0.5", lambda rows: d.Full(rows, None, (0.3, 2, 0.5)),
     GAMMA, None, [[0.2, 12], [5, 9]]),
    ("full, a block beside columns", BLOCK, "--covariance full --column-type coat=category",
     lambda rows: d.Full(rows, ["normal", "normal", "normal", "count", "category"]), GAMMA,
     ["normal", "normal", "normal", "count", "category"], [[0.2, 11, 3, 4, "grey"], [None, None, 2.5, None, "red"]]),
    ("counts, a column of zeros", COUNTS, "--column-type n=count,none=count", mixed("count", "count"), GAMMA,
     ["count", "count"], [[3, 0], [0, 2]]),
    ("categories", CATEGORIES, "--column-type coat=category", mixed("category", "category"), GAMMA,
     ["category", "category"], [["red", "yes"], [None, "no"]]),
    ("mixed, gaps", MIXED, "--column-type coat=category", mixed("normal", "normal", "count", "category", "category"),
     GAMMA, ["normal", "normal", "count", "category", "category"], [[0.2, None, 4, "grey", "1"]]),
    ("mixed, units of the file", MIXED, "--column-type coat=category --no-standardize",
     mixed("normal", "normal", "count", "category", "category"), GAMMA,
     ["normal", "normal", "count", "category", "category"], [[0.2, 11, None, None, "0"]]),
    ("alpha 2.5", ONE, "--alpha 2.5", mixed(), d.dirichlet(2.5), None, [[0.2]]),
    ("alpha gamma:1,0.5", ONE, "--alpha gamma:1,0.5", mixed(), d.dirichlet_gamma(1, 0.5), None, [[0.2]]),
    ("pitman-yor:0.3,0.5", ONE, "--prior pitman-yor:0.3,0.5", mixed(), d.pitman_yor(0.3, 0.5), None, [[0.2]]),
    ("pitman-yor:0.25", ONE, "--prior pitman-yor:0.25", mixed(), d.pitman_yor(0.25), None, [[0.2]]),
    ("finite", ONE, "--prior finite", mixed(), d.finite(), None, [[0.2]]),
    ("finite:0.5,2", ONE, "--prior finite:0.5,2", mixed(), d.finite(0.5, 2), None, [[0.2]]),
    ("finite:1,4, split-merge", TWO, "--prior finite:1,4 --sampler split-merge", mixed(), d.finite(1, 4), None, [[0, 11]]),
]

# Name, file, command and options, names of the vertices in their order, log weight of a partition.
GRAPHS = [
    ("blocks", TRIANGLES, "blocks", "abcdef", lambda e, z: d.log_prior(GAMMA, z) + d.log_blocks(e, z, 1, 1)),
    ("blocks, numbered", NUMBERED, "blocks --edge-prior 0.5,2 --prior pitman-yor:0.25", ["4", "7", "9", "10", "30"],
     lambda e, z: d.log_prior(d.pitman_yor(0.25), z) + d.log_blocks(e, z, 0.5, 2)),
    ("colourings, octahedron", OCTAHEDRON, "color --colors 4", "012345", lambda e, z: d.log_coloring(e, z, 4)),
    ("colourings, six colours", OCTAHEDRON, "color --colors 6", "012345", lambda e, z: d.log_coloring(e, z, 6)),
    ("colourings, kempe alone", SEVEN, "color --colors 4 --sampler kempe", "0123456", lambda e, z: d.log_coloring(e, z, 4)),
    ("colourings, seven vertices", SEVEN, "color --colors 3", "0123456", lambda e, z: d.log_coloring(e, z, 3)),
    ("colourings, greedy starts", TRIANGLES, "color --colors 4 --start greedy", "abcdef",
     lambda e, z: d.log_coloring(e, z, 4)),
    ("colourings, DIMACS", DIMACS, "color --colors 9", ["1", "2", "3", "4", "5"], lambda e, z: d.log_coloring(e, z, 9)),
]


class Check:
    """The comparisons of one case."""

    def __init__(self, name):
        self.name, self.scores, self.exact, self.worst, self.wrong = name, [], 0, 0.0, []

    def estimate(self, name, truth, line):
        mean, se = line["mean"], line["se"]
        z = (mean - truth) / se if se > 1e-12 else 0.0 if abs(mean - truth) < 1e-9 else math.inf
        self.scores.append(z)
        if abs(z) > WORST:
            self.wrong.append(f"{name}: {mean} ± {se}, but the truth is {truth} (z {z:.1f})")

    def same(self, name, expected, found):
        if isinstance(expected, (list, tuple)):
            found = [] if found is None else found
            for at, pair in enumerate(zip(expected, found, strict=True)):
                self.same(f"{name}[{at}]", *pair)
            return
        if isinstance(expected, (str, bool, type(None))) or found is None:
            off = 0.0 if expected == found else math.inf
        else:
            off = abs(expected - found) / max(1e-3, abs(expected))
        self.exact += 1
        self.worst = max(self.worst, off)
        if not off <= TOLERANCE:
            self.wrong.append(f"{name}: {found}, but should be {expected}")

    def row(self):
        n = max(len(self.scores), 1)
        rms, worst = (sum(z * z for z in self.scores) / n) ** 0.5, max(map(abs, self.scores), default=0.0)
        state = "ok" if not self.wrong else "FAILED"
        return f"{self.name:32} {len(self.scores):4} {rms:6.2f} {worst:6.2f}   {self.exact:6} {self.worst:9.1e}   {state}"


def command(program, words):
    ran = subprocess.run([program, *words.split()], capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"`partita {words}` failed: {ran.stderr}")
    return json.loads(ran.stdout)


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def expectations(check, answer, weights, functions):
    """Estimates against sums over all partitions; `weights` has their log weights."""
    top = max(weights.values())
    law = {z: exp(w - top) for z, w in weights.items() if w > -math.inf}
    total = math.fsum(law.values())
    expected = lambda f: math.fsum(p * f(z) for z, p in law.items()) / total
    found = {line["name"]: line for line in answer["summaries"]}
    check.same("names", sorted(functions), sorted(found))
    for name, function in functions.items():
        check.estimate(name, expected(function), found[name])
    counts = {line["clusters"]: line for line in answer["cluster_count"]}
    for k in range(1, len(next(iter(law))) + 1):
        line = counts.get(str(k))
        truth = expected(lambda z: float(max(z) + 1 == k))
        if line is None:
            if truth > 30 / REPLICATES:
                check.wrong.append(f"{k} clusters never came, with probability {truth}")
        elif line["ci95"][0] < line["ci95"][1]:
            yield f"clusters={k}", truth, line


def sample(check, answer, out, pending):
    """What follows from replicates.csv alone; then the estimates of `pending`, whose errors are only there."""
    rows = rows_of(out / "replicates.csv")
    lag, sweeps = answer["lag"], answer["sweeps"]
    taus = [int(row["tau"]) for row in rows]
    check.same("kernel calls", [max(sweeps, tau) + tau - lag for tau in taus], [int(r["kernel_calls"]) for r in rows])
    for line in answer["summaries"]:
        values, name = [float(row[line["name"]]) for row in rows], line["name"]
        mean, se = d.average(values)
        value, ends = d.trimmed(values)
        check.same(f"{name} mean", [mean, se], [line["mean"], line["se"]])
        check.same(f"{name} ci95", d.interval(values), line["ci95"])
        check.same(f"{name} trimmed", value, line["trimmed"])
        check.same(f"{name} trimmed_ci95", ends, line["trimmed_ci95"])
        check.same(f"{name} median of means", d.median_of_means(values), line["median_of_means"])
        if line["long_chain"]:
            n, v, variance = len(values), line["long_chain"]["variance"], se * se * len(values)
            ratio = sum(int(r["kernel_calls"]) for r in rows) / n * variance / v
            fourth = math.fsum((x - mean) ** 4 for x in values) / n
            error = (max(0, fourth / variance**2 - 1) / n + (line["long_chain"]["se"] / v) ** 2) ** 0.5
            check.same(f"{name} inefficiency", [ratio, ratio * error], [line["inefficiency"], line["inefficiency_se"]])
    for name, truth, line in pending:
        values = [float(row[name]) for row in rows]
        mean, se = d.average(values)
        check.same(name, [mean, *d.interval(values)], [line["probability"], *line["ci95"]])
        check.estimate(name, truth, {"mean": mean, "se": se})
    survival = lambda t: sum(tau > t for tau in taus) / len(taus)
    steps = sorted(set(taus))
    check.same("survival", [[t, survival(t)] for t in steps], answer["meeting"]["survival"])
    quantile = lambda p: next(t for t in steps if survival(t) <= 1 - p + 1e-12)
    check.same("quantiles", [quantile(p) for p in (0.5, 0.95, 0.99)], [answer["meeting"][q] for q in ("median", "q95", "q99")])
    bound = lambda t: min(1.0, sum(survival(t + j * lag) for j in range(1, max(taus) // lag + 2)))
    check.same("tv bound", [[t, bound(t)] for t, _ in answer["tv_bound"]], answer["tv_bound"])
    check.same("tv sweeps", next(t for t in range(max(taus) + 1) if bound(t) <= 0.01 + 1e-12), answer["tv_sweeps"])


def units_of(out):
    units = {}
    for row in rows_of(out / "draws.csv"):
        z = tuple(int(label) for name, label in row.items() if name.startswith("z"))
        units.setdefault(int(row["replicate"]), []).append((float(row["weight"]), z))
    return [units[replicate] for replicate in sorted(units)]


def clustering(check, answer, out):
    """One clustering, its loss, certainty and ball, from draws.csv."""
    units = units_of(out)
    found = rows_of(out / "clustering.csv")
    c, told = tuple(int(row["cluster"]) for row in found), answer["clustering"]
    n, loss = len(c), told["loss"]
    distance = d.remembered(d.vi if loss == "vi" else lambda x, y: d.hamming(x, y) / n**2)
    search, judges = units[0::2], units[1::2]
    states = {}
    for w, z in (atom for unit in search for atom in unit):
        states[z] = states.get(z, 0.0) + w
    mass, allowed = sum(states.values()), 0
    while sum(w for z, w in states.items() if max(z) + 1 <= allowed) < (0.975 - 1e-9) * mass:
        allowed += 1
    score = lambda c: sum(w * distance(c, z) for z, w in states.items())
    best = min(score(z) for z in d.partitions(n) if max(z) + 1 <= allowed)
    if max(c) + 1 <= allowed:
        check.same("smallest loss", best, score(c))
    check.same("sizes", sorted((len(part) for part in d.clusters(c)), reverse=True), told["sizes"])
    b = score(c) / mass
    losses = [b + sum(w * (distance(c, z) - b) for w, z in unit) for unit in judges]
    check.same("expected loss", [*d.average(losses), *d.interval(losses)],
               [told["expected_loss"], told["se"], *told["ci95"]])
    chosen = search[:: -(-len(search) // 200)]
    for item, row in enumerate(found):
        others = [i for i in range(n) if c[i] == c[item] and i != item]
        def share(z):
            if others:
                return sum(z[i] == z[item] for i in others) / len(others)
            return float(z.count(z[item]) == 1)
        weights = sum(w for unit in chosen for w, _ in unit)
        b = sum(w * share(z) for unit in chosen for w, z in unit) / weights
        values = [b + sum(w * (share(z) - b) for w, z in unit) for unit in judges]
        check.same(f"certainty of {item}", d.average(values), [float(row["certainty"]), float(row["certainty_se"])])
    atoms = sorted((distance(c, z), w, max(z) + 1) for unit in judges for w, z in unit)
    mass = sum(w for _, w, _ in atoms)
    radius = next(r for r, _, _ in atoms if sum(w for e, w, _ in atoms if e <= r + 1e-12) >= (0.95 - 1e-9) * mass)
    inside = [(r, k) for r, w, k in atoms if r <= radius + 1e-12 and w > 0]
    ball = [radius, min(k for _, k in inside), max(k for _, k in inside), max(r for r, _ in inside)]
    check.same("ball", ball, [told["ball"][name] for name in ("radius", "upper", "lower", "horizontal")])
    return units, c


def predictions(check, case, program, out, units, c):
    _, table, _, _, prior, kinds, new = case
    rows, family, scaling, names, kinds = case_of(case)
    (out / "new.csv").write_text(",".join(names) + "\n" + "".join(
        ",".join("" if x is None else str(x) for x in row) + "\n" for row in new))
    told = command(program, f"predict {out} {out / 'new.csv'} --json")
    if "predictions" not in told:
        sys.exit(f"no predictions in {told}")
    width, influences = max(c) + 1, [0.0] * len(units)
    for row, line in zip(new, told["predictions"], strict=True):
        x = d.in_units([str(v) if k == "category" and v is not None else v for v, k in zip(row, kinds)], kinds, scaling)
        def look(z):
            parts = d.clusters(z)
            logs = [log(p) + f for p, f in zip(d.places_of_one_more(prior, [len(p) for p in parts]),
                                               d.log_densities(family, rows, z, x))]
            weights = [exp(v) for v in logs]
            total = sum(weights)
            joins = [sum(w / total * sum(c[i] == k for i in part) for part, w in zip(parts, weights)) / c.count(k)
                     for k in range(width)]
            return total, joins + [weights[-1] / total]
        check.same(f"densities at {row}", d.log_ratios(family, rows, c, x), d.log_densities(family, rows, c, x))
        look = d.remembered(look)
        densities = [sum(w * look(z)[0] for w, z in unit) for unit in units]
        mean, se = d.average(densities)
        units_of_file = sum(log(sd) for v, k, (_, sd) in zip(row, kinds, scaling) if k == "normal" and v is not None)
        check.same(f"density of {row}", log(mean) - units_of_file, line["log_density"])
        check.same(f"its error, {row}", se / mean, line["log_density_se"])
        joins = [d.average([sum(w * look(z)[1][k] for w, z in unit) for unit in units]) for k in range(width + 1)]
        check.same(f"joins of {row}", [m for m, _ in joins], line["joins"])
        check.same(f"errors of {row}", [s for _, s in joins], line["joins_se"])
        largest = next(k for k, (m, _) in enumerate(joins) if m >= max(m for m, _ in joins) - 1e-9)
        check.same(f"cluster of {row}", None if largest == width else largest, line["cluster"])
        influences = [i + f / mean - 1 for i, f in zip(influences, densities)]
    total, ends = sum(line["log_density"] for line in told["predictions"]), d.interval(influences)
    score = told["score"]
    check.same("score", [total, total / len(new)], [score["sum"], score["mean"]])
    check.same("score's interval", [total + e for e in ends], score["sum_ci95"])


def case_of(case):
    """Rows in the model's units, the family, mean and deviation of each column, its names and kinds."""
    _, table, options, family, _, kinds, _ = case
    header, *lines = [line.split(",") for line in table.strip().split("\n")]
    width = len(header) - ("--label-column" in options)
    header, lines = header[:width], [line[:width] for line in lines]
    kinds = kinds or ["normal"] * width
    missing = lambda cell: cell in ("", "NA", "?")
    cell = lambda text, kind: None if missing(text) else text if kind == "category" else float(text)
    rows = [[cell(x, kind) for x, kind in zip(line, kinds)] for line in lines]
    if "--no-standardize" in options:
        scaling = [(0.0, 1.0)] * width
    else:
        rows, scaling = d.standardised(rows, kinds)
    return rows, family(rows), scaling, header, kinds


def check_table(program, case, folder):
    name, table, options, _, prior, _, _ = case
    check, out = Check(name), folder / "run"
    rows, family, scaling, _, kinds = case_of(case)
    (folder / "table.csv").write_text(table)
    functions = {s: (lambda z, s=s: d.summary(s, z)) for s in NAMES}
    asked = SUMMARIES[:]
    if kinds == ["normal"]:
        asked.append("density:-2,4,3")
        mean, sd = scaling[0]
        def density(z, x):
            places = d.places_of_one_more(prior, [len(part) for part in d.clusters(z)])
            return sum(p * exp(f) for p, f in zip(places, d.log_densities(family, rows, z, [(x - mean) / sd]))) / sd
        functions |= {f"density:{x}": (lambda z, x=x: density(z, x)) for x in (-2, 1, 4)}
    if "--label-column" in options:
        labels = tuple("abc".index(line.split(",")[-1]) for line in table.strip().split("\n")[1:])
        compare = {"hamming": d.hamming, "vi": d.vi, "ari": d.ari}
        functions |= {f"reference:{k}": (lambda z, f=f: f(z, labels)) for k, f in compare.items()}
    wanted = " ".join(f"--summary {s}" for s in asked)
    answer = command(program, f"fit {folder / 'table.csv'} {options} {wanted} {SCHEDULE} --json --out {out}")
    weight = lambda z: d.log_prior(prior, z) + family.log_likelihood([[rows[i] for i in p] for p in d.clusters(z)])
    weights = {z: weight(z) for z in d.partitions(len(rows))}
    sample(check, answer, out, list(expectations(check, answer, weights, functions)))
    units, c = clustering(check, answer, out)
    if "--label-column" in options:
        told = answer["clustering"]
        check.same("with labels", [d.ari(c, labels), d.vi(c, labels)], [told["reference_ari"], told["reference_vi"]])
    predictions(check, case, program, out, units, c)
    return check


def check_graph(program, case, folder):
    name, text, words, order, weight = case
    check, out, file = Check(name), folder / "run", folder / ("g.col" if text.startswith("p ") else "g.txt")
    file.write_text(text)
    place = {vertex: at for at, vertex in enumerate(order)}
    lines = [line.split()[-2:] for line in text.strip().split("\n") if not line.startswith("p ")]
    edges = {tuple(sorted(place[v] for v in line)) for line in lines if len(line) == 2}
    asked = " ".join(f"--summary {s}" for s in SUMMARIES)
    task, _, options = words.partition(" ")
    answer = command(program, f"{task} {file} {options} {asked} {SCHEDULE} --json --out {out}")
    functions = {s: (lambda z, s=s: d.summary(s, z)) for s in NAMES}
    weights = {z: weight(edges, z) for z in d.partitions(len(order))}
    check.same("connected", True, answer["connected"])
    sample(check, answer, out, list(expectations(check, answer, weights, functions)))
    clustering(check, answer, out)
    return check


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/partita")
    print(f"{'':32} z-scores: truth       rest: files\n{'case':32}    n    rms  worst   numbers  worst off")
    wrong, scores = [], []
    for case in TABLES + GRAPHS:
        with tempfile.TemporaryDirectory() as folder:
            check = (check_table if len(case) == 7 else check_graph)(program, case, Path(folder))
        print(check.row(), flush=True)
        wrong += [f"{check.name}: {sentence}" for sentence in check.wrong]
        scores += check.scores
    rms = (sum(z * z for z in scores) / len(scores)) ** 0.5
    print(f"{len(scores)} z-scores, rms {rms:.2f}, worst {max(map(abs, scores)):.2f} (bound {WORST})")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
