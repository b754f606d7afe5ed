"""The estimator: scikit-learn's own checks, pipelines, searches, joblib."""

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.metrics import adjusted_rand_score  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import partita  # noqa: E402

QUICK = {"replicates": 6, "sampler": "sams+gibbs", "lag": 30, "burn_in": 40, "sweeps": 80}


@parametrize_with_checks([partita.DPMixture(**QUICK)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_three_groups(points):
    truth = np.repeat([0, 1, 2], [20, 15, 10])
    model = partita.DPMixture(replicates=30)
    assert adjusted_rand_score(truth, model.fit_predict(points)) > 0.95
    assert model.n_clusters_ == 3 and model.labels_.shape == model.certainty_.shape == (45,)
    assert model.co_clustering_.shape == (45, 45)
    assert 2.9 < model.expected_clusters_ < 3.6 and model.expected_clusters_se_ > 0
    assert (model.predict(points) == model.labels_).all()
    assert model.predict_proba(points).shape == (45, 4)
    assert model.score(points) == pytest.approx(model.score_samples(points).mean())


def test_habits(points):
    model = partita.DPMixture("full", replicates=10, random_state=5)
    again = clone(model).set_params(covariance="diagonal")
    assert again.get_params()["covariance"] == "diagonal" and again.random_state == 5
    first, second = clone(model).fit(points), clone(model).fit(points)
    assert first.result_.to_dict()["summaries"] == second.result_.to_dict()["summaries"]
    pipe = make_pipeline(StandardScaler(), partita.DPMixture(replicates=10, standardize=False))
    assert len(set(pipe.fit_predict(points))) == 3
    gaps = points.copy()
    gaps[3, 0] = np.nan
    assert len(partita.DPMixture(replicates=10).fit(gaps).labels_) == 45


def test_models_are_chosen_by_held_out_score(points):
    search = GridSearchCV(partita.DPMixture(replicates=10), {"covariance": ["known", "diagonal"]}, cv=2)
    search.fit(points)
    assert search.best_params_["covariance"] in ("known", "diagonal")
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_jobs_do_not_change_results(points):
    summaries = [
        partita.DPMixture(replicates=12, n_jobs=jobs).fit(points).result_.to_dict()["summaries"]
        for jobs in (None, 1, 2, -1)
    ]
    assert all(other == summaries[0] for other in summaries)
