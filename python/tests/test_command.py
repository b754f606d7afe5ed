"""The same seed and data give the command's rows and Python's, bit for bit, over six models and more."""

import gzip

import numpy as np
import pytest
from conftest import QUICK, ROOT, write
from test_fit import mixed, rows

import partita

SETTINGS = {"lag": 12, "burn_in": 12, "sweeps": 50, "replicates": 40, "seed": 11}


def flags(options):
    words = []
    for key, value in options.items():
        if value is False:
            words.append(f"--no-{key}")
        else:
            words += [f"--{key.replace('_', '-')}", str(value)]
    return words


def same(command, tmp_path, verb, path, result, options):
    command(verb, path, "--out", tmp_path / "run", *flags({**SETTINGS, **options}))
    theirs = partita.load(tmp_path / "run")
    assert rows(theirs) == rows(result)
    assert theirs.to_dict()["summaries"] == result.to_dict()["summaries"]
    assert (theirs.labels == result.labels).all()
    # The files, too, but for the clock.
    result.save(tmp_path / "mine")
    for name in ("draws.csv", "clustering.csv", "credible_ball.csv", "co_clustering.npy", "co_clustering_se.npy"):
        assert (tmp_path / "mine" / name).read_bytes() == (tmp_path / "run" / name).read_bytes(), name


@pytest.mark.parametrize(
    "options",
    [
        {"covariance": "known", "alpha": 0.5},
        {"covariance": "shared"},
        {"covariance": "shared-columns"},
        {"covariance": "diagonal", "prior": "pitman-yor:0.3,1"},
        {"covariance": "full", "prior": "finite", "standardize": False},
    ],
    ids=lambda options: options["covariance"],
)
def test_tables_of_numbers(points, tmp_path, command, options):
    path = tmp_path / "points.csv"
    write(path, points)
    same(command, tmp_path, "fit", path, partita.fit(points, **SETTINGS, **options), options)


def test_a_mixed_table(tmp_path, command):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(mixed())
    frame.loc[[2, 9], "length"] = np.nan
    frame["tame"] = np.where(frame["tame"], "yes", "no")
    path = tmp_path / "mixed.csv.gz"
    with gzip.open(path, "wt") as file:
        frame.to_csv(file, index=False)
    same(command, tmp_path, "fit", path, partita.fit(frame, **SETTINGS), {})


def edges():
    """Two groups of eight: few edges within, many between."""
    chance = np.random.default_rng(5)
    pairs = [(a, b) for a in range(16) for b in range(a)]
    return [(a, b) for a, b in pairs if chance.random() < (0.7 if (a < 8) != (b < 8) else 0.1)]


@pytest.mark.parametrize(("verb", "options"), [("blocks", {}), ("color", {"colors": 7})])
def test_graphs(tmp_path, command, verb, options):
    path = tmp_path / "graph.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in edges()))
    result = getattr(partita, verb)(edges(), **SETTINGS, **options)
    same(command, tmp_path, verb, path, result, options)


def test_a_pilot_finds_the_same(points, tmp_path, command):
    path = tmp_path / "points.csv"
    write(path, points)
    command("fit", path, "--out", tmp_path / "run", "--replicates", 30)
    assert rows(partita.load(tmp_path / "run")) == rows(partita.fit(points, replicates=30))


def test_graphs_in_many_forms():
    sparse, nx = pytest.importorskip("scipy.sparse"), pytest.importorskip("networkx")
    pairs = edges()
    dense = np.zeros((16, 16))
    for a, b in pairs:
        dense[a, b] = dense[b, a] = 1
    graph = nx.Graph()
    graph.add_nodes_from(range(16))
    graph.add_edges_from(pairs)
    forms = [pairs, np.array(pairs), dense, sparse.csr_matrix(dense), sparse.coo_array(np.tril(dense)), graph]
    first, *rest = [rows(partita.blocks(form, **QUICK)) for form in forms]
    assert all(other == first for other in rest)
    named = nx.relabel_nodes(graph, {i: f"v{i}" for i in range(16)})
    assert partita.blocks(named, **QUICK).items[:2] == ["v0", "v1"]
    assert partita.blocks([("a", "b"), ("b", "c")], lag=2, burn_in=2, sweeps=5, replicates=4).items == ["a", "b", "c"]
    with pytest.raises(ValueError, match="itself"):
        partita.blocks([(0, 1), (1, 1)])
    met = partita.meet(pairs, colors=7, replicates=20, lag=5)
    assert met.meeting_times.shape == (20,) and len(met.to_dict()["summaries"]) == 0


def test_gene_where_it_is(command, tmp_path):
    path = ROOT.parent / "shared" / "data" / "gene.csv"
    if not path.exists():
        pytest.skip("gene.csv is not here")
    settings = {"replicates": 20, "lag": 5, "burn_in": 5, "sweeps": 20, "covariance": "known"}
    command("fit", path, "--out", tmp_path / "run", *flags(settings))
    assert rows(partita.load(tmp_path / "run")) == rows(partita.fit(path, **settings))
