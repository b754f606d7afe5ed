"""The notebooks run, with short settings."""

import os

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PARTITA_SETTINGS", '{"replicates": 8, "lag": 20, "burn_in": 20, "sweeps": 60}')
    notebook = nbformat.read(path, as_version=4)
    kernel = os.environ.get("PARTITA_KERNEL", "python3")
    nbclient.NotebookClient(notebook, timeout=600, kernel_name=kernel).execute()
