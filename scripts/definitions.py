"""The formulas of docs/models.md and docs/numbers.md in Python, for check_models.py.

Slow and plain on purpose: standard library only, every partition enumerated, nothing shared with the program.
"""

import math
from itertools import combinations
from math import exp, lgamma, log, pi, sqrt

# --- partitions ---------------------------------------------------------------------------------------------------


def partitions(n):
    """All partitions of n items as tuples of labels, numbered in order of first appearance."""
    def grow(labels, most):
        if len(labels) == n:
            yield tuple(labels)
            return
        for label in range(most + 1):
            yield from grow(labels + [label], max(most, label + 1))
    return list(grow([], 0))


def clusters(z):
    found = {}
    for item, label in enumerate(z):
        found.setdefault(label, []).append(item)
    return list(found.values())


def rising(x, m):
    return lgamma(x + m) - lgamma(x)


# --- priors of partitions: (sigma, ln V) --------------------------------------------------------------------------


def dirichlet(alpha):
    return 0.0, lambda n, k: k * log(alpha) + lgamma(alpha) - lgamma(alpha + n)


def dirichlet_gamma(a, b):
    def log_v(n, k):
        step = 0.02
        logs = []
        for i in range(4000):
            t = -60 + i * step
            x = exp(t)
            # x^k G(x) / G(x + n) f(x) dx with dx = x dt and G(x) = G(x + 1) / x
            logs.append((k + a - 1) * t - b * x + lgamma(x + 1) - lgamma(x + n))
        top = max(logs)
        return a * log(b) - lgamma(a) + top + log(step * sum(exp(v - top) for v in logs))
    return 0.0, remembered(log_v)


def pitman_yor(sigma, theta=1.0):
    return sigma, lambda n, k: sum(log(theta + i * sigma) for i in range(1, k)) - rising(theta + 1, n - 1)


def finite(gamma=1.0, rate=4.0):
    def log_v(n, k):
        def term(c):
            weight = -rate + (c - 1) * log(rate) - lgamma(c)
            return exp(weight + lgamma(c + 1) - lgamma(c - k + 1) - rising(gamma * c, n))
        return k * log(gamma) + log(sum(term(c) for c in range(k, 400)))
    return -gamma, remembered(log_v)


def remembered(function):
    known = {}
    def look(*arguments):
        if arguments not in known:
            known[arguments] = function(*arguments)
        return known[arguments]
    return look


def log_prior(prior, z):
    sigma, log_v = prior
    parts = clusters(z)
    return log_v(len(z), len(parts)) + sum(rising(1 - sigma, len(part) - 1) for part in parts)


def places_of_one_more(prior, sizes):
    """The probabilities that one more item joins each cluster; that of a new one last."""
    sigma, log_v = prior
    n, k = sum(sizes), len(sizes)
    weights = [size - sigma for size in sizes] + [exp(log_v(n + 1, k + 1) - log_v(n + 1, k))]
    return [weight / sum(weights) for weight in weights]


# --- families: log marginal likelihood of a partition. A row is a list of cells, None where one is missing -----------


def sums(cells):
    return len(cells), sum(cells), sum(x * x for x in cells)


class Known:
    def __init__(self, rows, prior_sd=0.5, noise_sd=None):
        columns = len(rows[0])
        self.t, self.s = prior_sd**2, (noise_sd or max(1.0, round((columns / 16) ** 0.25, 2))) ** 2

    def column(self, cells):
        n, total, squares = sums(cells)
        s, t = self.s, self.t
        return -n / 2 * log(2 * pi * s) - log(1 + n * t / s) / 2 - (squares - t * total**2 / (s + n * t)) / (2 * s)

    def log_likelihood(self, parts):
        return sum(self.column(column) for part in parts for column in zip(*part))

    def log_one_more(self, parts, part, x):
        s, t, n = self.s, self.t, len(part)
        variance = s + s * t / (s + n * t)
        centres = [t * sum(row[at] for row in part) / (s + n * t) for at in range(len(x))]
        return sum(-log(2 * pi * variance) / 2 - (cell - m) ** 2 / (2 * variance) for cell, m in zip(x, centres))


class Shared:
    def __init__(self, rows, each_column):
        self.each_column, self.kappa, self.shape, self.rate = each_column, 1 / 3, 3 / 2, 1 / 8

    def log_likelihood(self, parts):
        every = [list(zip(*part)) for part in parts]
        width = len(every[0])
        groups = [[column] for column in range(width)] if self.each_column else [range(width)]
        total = 0.0
        for group in groups:
            d, n = len(group), sum(len(part) for part in parts)
            moments = [sums(columns[c]) for columns in every for c in group]
            q = sum(squares - s * s / (self.kappa + m) for m, s, squares in moments)
            a, b = self.shape + n * d / 2, self.rate + q / 2
            total += -n * d / 2 * log(2 * pi) + lgamma(a) - lgamma(self.shape) + self.shape * log(self.rate) - a * log(b)
            total += sum(d / 2 * log(self.kappa / (self.kappa + len(part))) for part in parts)
        return total

    def log_one_more(self, parts, part, x):
        groups = [[at] for at in range(len(x))] if self.each_column else [range(len(x))]
        kappa, rows, total = self.kappa + len(part), sum(len(part) for part in parts), 0.0
        r = kappa / (kappa + 1)
        for group in groups:
            d = len(group)
            moments = [sums([row[c] for row in other]) for other in parts for c in group]
            a = self.shape + rows * d / 2
            b = self.rate + sum(squares - s * s / (self.kappa + n) for n, s, squares in moments) / 2
            apart = sum((x[c] - sum(row[c] for row in part) / kappa) ** 2 for c in group)
            total += -d / 2 * log(2 * pi) + rising(a, d / 2) + d / 2 * log(r) + a * log(b)
            total -= (a + d / 2) * log(b + r * apart / 2)
        return total


class Mixed:
    """`diagonal`: a kind for each column, "normal", "count" or "category"."""

    def __init__(self, rows, kinds):
        self.kinds = kinds
        there = [[x for x in column if x is not None] for column in zip(*rows)]
        self.mean = [sum(c) / len(c) if k == "count" and sum(c) > 0 else 1.0 for c, k in zip(there, kinds)]
        self.levels = [len(set(c)) for c in there]
        d = kinds.count("normal")
        v = 4 ** (-1 / max(d, 1))
        self.kappa, self.shape = (1 / 3 if d == 1 else 1.0), 2 * d - 1 / 2
        self.rate = v * (self.shape - 1)

    def column(self, at, cells):
        kind = self.kinds[at]
        if kind == "normal":
            n, s, squares = sums(cells)
            kappa, a, b = self.kappa + n, self.shape + n / 2, self.rate + (squares - s * s / (self.kappa + n)) / 2
            scale = self.shape * log(self.rate) - a * log(b)
            return -n / 2 * log(2 * pi) + log(self.kappa / kappa) / 2 + lgamma(a) - lgamma(self.shape) + scale
        if kind == "count":
            n, s, b = len(cells), sum(cells), 1 / self.mean[at]
            return lgamma(1 + s) + log(b) - (1 + s) * log(b + n) - sum(lgamma(x + 1) for x in cells)
        c = 1 / self.levels[at]
        return sum(rising(c, cells.count(level)) for level in set(cells)) - lgamma(1 + len(cells))

    def log_likelihood(self, parts):
        return sum(self.column(at, there(part, at)) for part in parts for at in range(len(self.kinds)))

    def log_one_more(self, parts, part, x):
        return sum(self.log_cell(at, there(part, at), cell) for at, cell in enumerate(x) if cell is not None)

    def log_cell(self, at, cells, x):
        n = len(cells)
        if self.kinds[at] == "normal":
            _, s, squares = sums(cells)
            kappa, a = self.kappa + n, self.shape + n / 2
            b = self.rate + (squares - s * s / kappa) / 2
            return log_student(2 * a, (x - s / kappa) ** 2, b * (kappa + 1) / (a * kappa))
        if self.kinds[at] == "count":
            a, b = 1 + sum(cells), 1 / self.mean[at] + n
            return rising(a, x) - lgamma(x + 1) + a * log(b) - (a + x) * log(b + 1)
        return log((1 / self.levels[at] + cells.count(x)) / (1 + n))


def there(part, at):
    return [row[at] for row in part if row[at] is not None]


def log_student(freedom, square, variance):
    """Student's t at a point whose squared distance to the centre is `square`; `variance` is its scale squared."""
    return rising(freedom / 2, 0.5) - log(freedom * pi * variance) / 2 - (freedom + 1) / 2 * log(
        1 + square / variance / freedom)


class Full:
    """`full`: a block of real columns, others beside it; `table` is (share, freedom, kappa) of a prior about the table."""

    def __init__(self, rows, kinds=None, table=None):
        self.kinds = kinds or ["normal"] * len(rows[0])
        self.beside = Mixed(rows, self.kinds)
        columns = list(zip(*rows))
        gaps = lambda at: frozenset(i for i, x in enumerate(columns[at]) if x is None)
        groups = {}
        for at, kind in enumerate(self.kinds):
            if kind == "normal":
                groups.setdefault(gaps(at), []).append(at)
        cells = lambda group: (len(rows) - len(group[0])) * len(group[1])
        self.block = max(groups.items(), key=cells)[1]  # The first of equals.
        self.others = [at for at in range(len(columns)) if at not in self.block]
        d = self.d = len(self.block)
        if table is None:
            self.kappa, self.nu, self.mean = 1 / 3, d + 2, [0.0] * d
            self.scale = [[0.25 if i == j else 0.0 for j in range(d)] for i in range(d)]
        else:
            share, freedom, self.kappa = table
            self.nu = freedom * d + 2
            whole = [[columns[at][k] for at in self.block] for k in range(len(rows)) if columns[self.block[0]][k] is not None]
            self.mean, covariance = shrunk(whole)
            factor = share ** (2 / d) * (self.nu - d - 1)
            self.scale = [[factor * x for x in row] for row in covariance]

    def cut(self, part):
        """The block of the rows that have it, less the prior mean."""
        rows = [[row[at] for at in self.block] for row in part]
        return [[x - m for x, m in zip(row, self.mean)] for row in rows if row[0] is not None]

    def log_likelihood(self, parts):
        d, kappa, nu = self.d, self.kappa, self.nu
        log_gamma_d = lambda a: sum(lgamma(a + (1 - j) / 2) for j in range(1, d + 1))
        total = sum(self.beside.column(at, there(part, at)) for part in parts for at in self.others)
        for part in map(self.cut, parts):
            n, s = len(part), [sum(x[i] for x in part) for i in range(d)]
            scale = [[self.scale[i][j] + sum(x[i] * x[j] for x in part) - s[i] * s[j] / (kappa + n)
                      for j in range(d)] for i in range(d)]
            total += -n * d / 2 * log(pi) + d / 2 * log(kappa / (kappa + n))
            total += log_gamma_d((nu + n) / 2) - log_gamma_d(nu / 2)
            total += nu / 2 * log(determinant(self.scale)) - (nu + n) / 2 * log(determinant(scale))
        return total

    def log_one_more(self, parts, part, x):
        total = sum(self.beside.log_cell(at, there(part, at), x[at]) for at in self.others if x[at] is not None)
        part = self.cut(part)
        kappa, freedom = self.kappa + len(part), self.nu + len(part) - self.d + 1
        seen = [i for i, at in enumerate(self.block) if x[at] is not None]
        if not seen:
            return total
        s = [sum(row[i] for row in part) for i in range(self.d)]
        entry = lambda i, j: self.scale[i][j] + sum(row[i] * row[j] for row in part) - s[i] * s[j] / kappa
        factor = (kappa + 1) / (kappa * freedom)
        scale = [[factor * entry(i, j) for j in seen] for i in seen]
        e = [x[self.block[i]] - self.mean[i] - s[i] / kappa for i in seen]
        d = len(seen)
        # e' M^-1 e = |M + e e'| / |M| - 1
        with_e = [[scale[i][j] + e[i] * e[j] for j in range(d)] for i in range(d)]
        square = determinant(with_e) / determinant(scale) - 1
        return total + rising(freedom / 2, d / 2) - d / 2 * log(freedom * pi) - log(determinant(scale)) / 2 - (
            freedom + d) / 2 * log(1 + square / freedom)


def shrunk(rows):
    """Means and covariance of rows, its correlations shrunk."""
    n, d = len(rows), len(rows[0])
    mean = [sum(column) / n for column in zip(*rows)]
    sd = [sqrt(sum((x - m) ** 2 for x in column) / n) for column, m in zip(zip(*rows), mean)]
    w = [[(x - m) / s for x, m, s in zip(row, mean, sd)] for row in rows]
    r = [[sum(x[i] * x[j] for x in w) / n for j in range(d)] for i in range(d)]
    pairs = [(i, j) for i in range(d) for j in range(i)]
    variances = sum((x[i] * x[j] - r[i][j]) ** 2 for x in w for i, j in pairs)
    squares = sum(r[i][j] ** 2 for i, j in pairs)
    by = min(max(n / (n - 1) ** 3 * variances / squares, 1e-8), 1) if squares > 0 else 1
    return mean, [[sd[i] * sd[j] * (1 if i == j else (1 - by) * r[i][j]) for j in range(d)] for i in range(d)]


def determinant(matrix):
    rows, product = [row[:] for row in matrix], 1.0
    for i in range(len(rows)):
        product *= rows[i][i]  # Positive definite: no pivoting.
        for j in range(i + 1, len(rows)):
            factor = rows[j][i] / rows[i][i]
            rows[j] = [x - factor * y for x, y in zip(rows[j], rows[i])]
    return product


def log_densities(family, rows, z, x):
    """The log density of one more row x in each cluster of z, in a new one last."""
    parts = [[rows[item] for item in part] for part in clusters(z)]
    return [family.log_one_more(parts, part, x) for part in parts + [[]]]


def log_ratios(family, rows, z, x):
    """The same as ratios of marginal likelihoods, with the row and without it."""
    parts = [[rows[item] for item in part] for part in clusters(z)]
    with_x = [parts[:j] + [part + [x]] + parts[j + 1:] for j, part in enumerate(parts)] + [parts + [[x]]]
    return [family.log_likelihood(more) - family.log_likelihood(parts) for more in with_x]


def standardised(rows, kinds):
    """The rows in the model's units, and mean and standard deviation of each column."""
    units = []
    for column, kind in zip(zip(*rows), kinds):
        there = [x for x in column if x is not None]
        mean = sum(there) / len(there) if kind == "normal" else 0.0
        sd = (sum((x - mean) ** 2 for x in there) / len(there)) ** 0.5 if kind == "normal" else 1.0
        units.append((mean, sd))
    return [in_units(row, kinds, units) for row in rows], units


def in_units(row, kinds, units):
    normal = lambda x, kind: x is not None and kind == "normal"
    return [(x - m) / sd if normal(x, k) else x for x, k, (m, sd) in zip(row, kinds, units)]


# --- graphs ----------------------------------------------------------------------------------------------------------


def log_blocks(edges, z, present, absent):
    beta = lambda a, b: lgamma(a) + lgamma(b) - lgamma(a + b)
    parts, total = clusters(z), 0.0
    for c, part in enumerate(parts):
        for d in range(c, len(parts)):
            pairs = list(combinations(part, 2)) if c == d else [(u, v) for u in part for v in parts[d]]
            e = sum((u, v) in edges or (v, u) in edges for u, v in pairs)
            total += beta(present + e, absent + len(pairs) - e) - beta(present, absent)
    return total


def log_coloring(edges, z, colors):
    k = max(z) + 1
    if k > colors or any(z[u] == z[v] for u, v in edges):
        return -math.inf
    return sum(log(colors - i) for i in range(k))


# --- summaries and distances -----------------------------------------------------------------------------------------


def overlaps(x, y):
    return [len(set(a) & set(b)) for a in clusters(x) for b in clusters(y)]


def hamming(x, y):
    square = lambda z: sum(len(part) ** 2 for part in clusters(z))
    return square(x) + square(y) - 2 * sum(m * m for m in overlaps(x, y))


def vi(x, y):
    f = lambda m: m * log(m) if m else 0.0
    sizes = lambda z: sum(f(len(part)) for part in clusters(z))
    return (sizes(x) + sizes(y) - 2 * sum(f(m) for m in overlaps(x, y))) / len(x)


def ari(x, y):
    if hamming(x, y) == 0:
        return 1.0
    c = lambda m: m * (m - 1) / 2
    a, b = (sum(c(len(part)) for part in clusters(z)) for z in (x, y))
    e = a * b / c(len(x))
    return (sum(c(m) for m in overlaps(x, y)) - e) / ((a + b) / 2 - e)


def summary(name, z):
    """The value of a summary that depends on the partition alone."""
    what, _, rest = name.partition(":")
    sizes = sorted((len(part) for part in clusters(z)), reverse=True)
    n = len(z)
    if what == "clusters":
        return len(sizes)
    if what == "top":
        return sum(sizes[: int(rest)]) / n
    if what == "co":
        i, j = map(int, rest.split(","))
        return float(z[i] == z[j])
    if what == "entropy":
        return -sum(s / n * log(s / n) for s in sizes)
    raise KeyError(name)


# --- one sample: means and intervals -------------------------------------------------------------------------------------


def student_quantile(freedom, p=0.975):
    def below(t):
        # P(T < t) by Simpson's rule in the angle: t = sqrt(freedom) tan(u), density proportional to cos(u)^(freedom - 1).
        end, steps = math.atan(t / freedom**0.5), 2000
        f = lambda u: math.cos(u) ** (freedom - 1)
        h = end / steps
        inner = sum((4 if i % 2 else 2) * f(i * h) for i in range(1, steps))
        area = h / 3 * (f(0) + inner + f(end))
        return 0.5 + area * exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / pi**0.5
    low, high = 0.0, 20.0
    while high - low > 1e-11:
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < p else (low, middle)
    return low


def average(values):
    n = len(values)
    mean = math.fsum(values) / n
    return mean, (math.fsum((v - mean) ** 2 for v in values) / (n * (n - 1))) ** 0.5


def interval(values):
    n = len(values)
    mean, se = average(values)
    squares = math.fsum((v - mean) ** 2 for v in values)
    if squares == 0:
        return mean, mean
    a = math.fsum((v - mean) ** 3 for v in values) / squares**1.5
    kurtosis = n * math.fsum((v - mean) ** 4 for v in values) / squares**2
    t = student_quantile(min(n - 1, 2 * n / (kurtosis - 1)) if kurtosis > 1 else n - 1)
    cube_root = lambda x: math.copysign(abs(x) ** (1 / 3), x)
    undone = lambda y: 3 / a * (cube_root(1 + a * (y - a / 6)) - 1) if abs(a) > 1e-9 else y
    return mean - max(t, undone(t)) * se, mean + max(t, -undone(-t)) * se


def trimmed(values):
    n, cut = len(values), len(values) // 200
    if cut == 0:
        return average(values)[0], interval(values)
    ordered = sorted(values)
    kept = ordered[cut:n - cut]
    value, h = math.fsum(kept) / len(kept), len(kept)
    winsorised = [kept[0]] * cut + kept + [kept[-1]] * cut
    centre = math.fsum(winsorised) / n
    s = (math.fsum((v - centre) ** 2 for v in winsorised) / (h * (h - 1))) ** 0.5
    own, plain = student_quantile(h - 1) * s, interval(values)
    return value, (min(value - own, plain[0]), max(value + own, plain[1]))


def median_of_means(values, blocks=25):
    n, blocks = len(values), min(blocks, len(values))
    cut = [values[i * n // blocks:(i + 1) * n // blocks] for i in range(blocks)]
    means = sorted(math.fsum(block) / len(block) for block in cut)
    return (means[(blocks - 1) // 2] + means[blocks // 2]) / 2
