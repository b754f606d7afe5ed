"""A coupled Gibbs sampler as one writes it down from the paper, with numpy and POT: what partita is set against.

The model is partita's: a Dirichlet process mixture of Gaussians, prior and noise isotropic, prior mean zero,
means integrated out. Every item-step of a pair solves one transport problem with `ot.emd`.
"""

import time

import numpy as np
import ot


class Chain:
    """Clusters as sets, their sums kept up to date."""

    def __init__(self, data, prior_sd, noise_sd, alpha):
        self.data, self.alpha = data, alpha
        self.prior, self.noise = prior_sd**2, noise_sd**2
        self.members = [set(range(len(data)))]
        self.sums = [data.sum(axis=0)]

    def take(self, item):
        """Removes an item from its cluster."""
        for k, members in enumerate(self.members):
            if item in members:
                members.remove(item)
                self.sums[k] = self.sums[k] - self.data[item]
                if not members:
                    del self.members[k], self.sums[k]
                return

    def conditional(self, item):
        """The probabilities of all clusters and of a new one for an item that was taken out."""
        x = self.data[item]
        sizes = np.array([len(members) for members in self.members] + [0])
        sums = np.vstack([*self.sums, np.zeros_like(x)])
        variance = 1 / (1 / self.prior + sizes / self.noise)
        means = variance[:, None] * sums / self.noise
        spread = variance + self.noise
        log = np.log(np.where(sizes > 0, sizes, self.alpha))
        log -= 0.5 * len(x) * np.log(spread) + 0.5 * ((x - means) ** 2).sum(axis=1) / spread
        weights = np.exp(log - log.max())
        return weights / weights.sum()

    def put(self, item, k):
        if k == len(self.members):
            self.members.append(set())
            self.sums.append(np.zeros(self.data.shape[1]))
        self.members[k].add(item)
        self.sums[k] = self.sums[k] + self.data[item]

    def sweep(self, rng):
        for item in range(len(self.data)):
            self.take(item)
            p = self.conditional(item)
            self.put(item, rng.choice(len(p), p=p))


def coupled_sweep(x, y, rng):
    """One sweep of a pair; the plan minimises the expected Hamming distance of the two partitions."""
    for item in range(len(x.data)):
        x.take(item), y.take(item)
        p, q = x.conditional(item), y.conditional(item)
        cost = np.zeros((len(p), len(q)))
        for i, a in enumerate(x.members):
            for j, b in enumerate(y.members):
                cost[i, j] = -2.0 * len(a & b)
        plan = ot.emd(p, q, cost).ravel()
        cell = rng.choice(len(plan), p=plan / plan.sum())
        x.put(item, cell // len(q)), y.put(item, cell % len(q))


def met(x, y):
    return {frozenset(m) for m in x.members} == {frozenset(m) for m in y.members}


def measure(data, model, seconds):
    """Chain-sweeps per second of processor time of one chain and of pairs before they meet, and a trace of
    the number of clusters."""
    rng = np.random.default_rng(1)
    chain = Chain(data, **model)
    for _ in range(5):
        chain.sweep(rng)
    start, trace = time.process_time(), []
    while (single := time.process_time() - start) < seconds:
        chain.sweep(rng)
        trace.append(len(chain.members))
    sweeps, spent = 0, 0.0
    while spent < seconds:
        x, y = Chain(data, **model), Chain(data, **model)
        x.sweep(rng)
        while not met(x, y) and spent < seconds:
            start = time.process_time()
            coupled_sweep(x, y, rng)
            spent += time.process_time() - start
            sweeps += 2
    return len(trace) / single, sweeps / spent, trace
