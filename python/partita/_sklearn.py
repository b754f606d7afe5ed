"""A scikit-learn estimator: a Dirichlet process mixture with unbiased posterior expectations."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClusterMixin, DensityMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise ImportError("DPMixture needs scikit-learn 1.6 or later: install it with `pip install scikit-learn`") from None

from ._fit import fit
from ._result import Result


class DPMixture(ClusterMixin, DensityMixin, BaseEstimator):
    """Clusters rows under a Dirichlet process mixture, with error bars.

    Parameters are options of `partita.fit`; what is None is decided by the data or by a pilot.

    Parameters
    ----------
    model : str or None
        The model of a cluster: auto, known, shared, shared-columns, diagonal or full.
    prior, alpha, prior_sd, noise_sd, standardize, loss, time, precision, sampler, lag, burn_in, sweeps
        As for `partita.fit`.
    replicates : int or None
        Pairs of chains to run.
    random_state : int, RandomState or None
        The seed; None is that of `partita.fit`, so that fits can be repeated.
    covariance : str or None
        Another name for model.
    n_jobs : int or None
        Threads; -1 for all. Where joblib was given a Dask cluster, its workers run the replicates.

    Attributes
    ----------
    labels_ : the cluster of each row, numbered from 0 by size
    certainty_ : how certain that is
    n_clusters_ : how many clusters that clustering has
    co_clustering_ : the probability that two rows share a cluster
    expected_clusters_, expected_clusters_se_ : the posterior mean of the number of clusters, and its standard error
    result_ : the whole `partita.Result`

    Examples
    --------
    >>> import partita
    >>> model = partita.DPMixture(replicates=50).fit([[0.1], [0.2], [-0.1], [5.1], [4.9], [5.2]])
    >>> model.n_clusters_
    2
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        covariance: str | None = None,
        prior: str | None = None,
        alpha: float | str | None = None,
        prior_sd: float | None = None,
        noise_sd: float | None = None,
        standardize: bool | None = None,
        loss: str | None = None,
        replicates: int | None = 100,
        time: float | str | None = None,
        precision: float | None = None,
        sampler: str | None = None,
        lag: int | None = None,
        burn_in: int | None = None,
        sweeps: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.covariance = covariance
        self.prior = prior
        self.alpha = alpha
        self.prior_sd = prior_sd
        self.noise_sd = noise_sd
        self.standardize = standardize
        self.loss = loss
        self.replicates = replicates
        self.time = time
        self.precision = precision
        self.sampler = sampler
        self.lag = lag
        self.burn_in = burn_in
        self.sweeps = sweeps
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _takes_gaps(self) -> bool:
        return (self.covariance or self.model) in (None, "auto", "diagonal")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_gaps()
        return tags

    def _seed(self) -> int | None:
        if self.random_state is None or isinstance(self.random_state, (int, np.integer)):
            return None if self.random_state is None else int(self.random_state)
        from sklearn.utils import check_random_state

        return int(check_random_state(self.random_state).randint(2**31))

    def _checked(self, X: Any, reset: bool) -> np.ndarray:
        gaps = "allow-nan" if self._takes_gaps() else True
        return validate_data(
            self, X, reset=reset, dtype=np.float64, ensure_all_finite=gaps, ensure_min_samples=2 if reset else 1
        )

    def fit(self, X: Any, y: Any = None) -> DPMixture:
        """Clusters the rows of X; y is not looked at."""
        X = self._checked(X, reset=True)
        spreads = X.std(axis=0) if not np.isnan(X).any() else np.nanstd(X, axis=0)
        # A column that never varies tells rows apart no more than no column would.
        self._varying = spreads > 0
        if not self._varying.any():
            raise ValueError("every column has one value only, so that there is nothing to cluster by")
        replicates = None if self.time is not None or self.precision is not None else self.replicates
        self.result_ = self._run(X[:, self._varying], replicates)
        self.labels_ = np.asarray(self.result_.labels)
        self.certainty_ = np.asarray(self.result_.certainty)
        self.n_clusters_ = int(self.labels_.max()) + 1
        line = self.result_.to_dict()["summaries"][0]
        self.expected_clusters_, self.expected_clusters_se_ = line["mean"], line["se"]
        return self

    def _run(self, X: np.ndarray, replicates: int | None) -> Result:
        from ._joblib import placed

        return fit(
            X,
            model=self.model,
            covariance=self.covariance,
            prior=self.prior,
            alpha=self.alpha,
            prior_sd=self.prior_sd,
            noise_sd=self.noise_sd,
            standardize=self.standardize,
            loss=self.loss,
            replicates=replicates,
            time=self.time,
            precision=self.precision,
            sampler=self.sampler,
            lag=self.lag,
            burn_in=self.burn_in,
            sweeps=self.sweeps,
            seed=self._seed(),
            column_type=[f"x{at + 1}=normal" for at in range(X.shape[1])],
            progress=False,
            **placed(self.n_jobs),
        )

    @property
    def co_clustering_(self) -> np.ndarray:
        """The probability that two rows share a cluster."""
        check_is_fitted(self, "result_")
        return self.result_.co_clustering

    def _new(self, X: Any) -> np.ndarray:
        check_is_fitted(self, "result_")
        return self._checked(X, reset=False)[:, self._varying]

    def predict(self, X: Any) -> np.ndarray:
        """The cluster that each row joins most probably; -1 for a new one."""
        return np.asarray(self.result_.predict(self._new(X))) if hasattr(self, "result_") else self._new(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability that each row joins each cluster; that it opens a new one comes last."""
        return self.result_.predict_proba(self._new(X)) if hasattr(self, "result_") else self._new(X)

    def score_samples(self, X: Any) -> np.ndarray:
        """The log predictive density of each row."""
        return np.asarray(self.result_.log_density(self._new(X))) if hasattr(self, "result_") else self._new(X)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log predictive density of the rows."""
        return float(np.mean(self.score_samples(X)))
