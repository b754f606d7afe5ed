"""Unbiased Bayesian clustering with error bars, from many short pairs of coupled chains.

>>> import partita
>>> result = partita.fit(partita.datasets.penguins(), replicates=50)  # doctest: +SKIP
>>> result.summary  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from . import datasets
from ._compare import Comparison, compare
from ._fit import blocks, color, fit, meet
from ._native import Interrupted, PartitaError, __version__
from ._result import CredibleBall, Result, Score, load, merge, resume
from ._table import Table

if TYPE_CHECKING:
    from ._sklearn import DPMixture

__all__ = [
    "Comparison",
    "CredibleBall",
    "DPMixture",
    "Interrupted",
    "PartitaError",
    "Result",
    "Score",
    "Table",
    "__version__",
    "blocks",
    "color",
    "compare",
    "datasets",
    "fit",
    "load",
    "meet",
    "merge",
    "resume",
]


def __getattr__(name: str):
    # scikit-learn is imported with the estimator, and not before.
    if name == "DPMixture":
        from ._sklearn import DPMixture

        return DPMixture
    raise AttributeError(f"module 'partita' has no attribute {name!r}")
