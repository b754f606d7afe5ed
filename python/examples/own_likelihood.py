"""A likelihood of one's own in Python: waiting times that are geometric, with a rate for each cluster.

Five methods make a model. A cluster is any value, such as a tuple: `insert` and `remove` return a new one. Every
density is a call of Python's, some hundred times slower than a compiled one: fine for some hundred items.
"""

from math import lgamma

import partita


class Waiting:
    """Item i waits x[i] failures for its success; the success probability of a cluster is Beta(1, 1)."""

    def __init__(self, x):
        self.x = x

    def __len__(self):
        return len(self.x)

    def empty(self):
        return (1.0, 1.0)

    def insert(self, cluster, item):
        a, b = cluster
        return (a + 1, b + self.x[item])

    def remove(self, cluster, item):
        a, b = cluster
        return (a - 1, b - self.x[item])

    def log_predictive(self, cluster, item):
        a, b = cluster
        x = self.x[item]
        return lgamma(a + 1) + lgamma(b + x) - lgamma(a + b + x + 1) - lgamma(a) - lgamma(b) + lgamma(a + b)


def main():
    """Three impatient, three patient."""
    settings = {
        "replicates": 500,
        "lag": 5,
        "burn_in": 5,
        "sweeps": 50,
        "alpha": 1.0,
        "start": "prior",
        "sampler": "gibbs",
    }
    result = partita.fit(likelihood=Waiting([0.0, 1.0, 0.0, 40.0, 55.0, 38.0]), **settings)
    print(result.summary)
    print(result.labels)
    return result


if __name__ == "__main__":
    main()
