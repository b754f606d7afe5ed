#!/usr/bin/env bash
# Builds the wheel and tests it: alone in a clean environment, then with all that it can work with.
# SLOW=1 starts Dask clusters and MPI ranks, too. With the argument `install` it fetches what it needs, and that is all.
set -euo pipefail
cd "$(dirname "$0")/.."

room=target/python
mkdir -p "$room"
python=${PYTHON:-python3}
[ -x "$room/tools/bin/pip" ] || "$python" -m venv "$room/tools"
[ -x "$room/clean/bin/pip" ] || "$python" -m venv "$room/clean"
packages="maturin nbclient nbformat ipykernel numpy pandas polars pyarrow scipy networkx matplotlib tqdm scikit-learn joblib arviz pytest mypy ruff"
[ -z "${SLOW:-}" ] || packages="$packages distributed mpi4py mpich"
"$room/tools/bin/pip" install --quiet --disable-pip-version-check $packages
[ "${1:-}" != install ] || exit 0

# With the profile of the tests, whose libraries are there already; a release has the same bits.
rm -f "$room"/*.whl
"$room/tools/bin/maturin" build --profile dev --quiet --out "$room"

# The wheel alone, with numpy and nothing else, and without Rust.
"$room/clean/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$room"/partita-*.whl
"$room/clean/bin/pip" install --quiet --disable-pip-version-check numpy
(cd / && env PATH=/usr/bin:/bin "$OLDPWD/$room/clean/bin/python" -c '
import partita
print(partita.fit(partita.datasets.penguins(), replicates=20).summary)
assert partita.Table is not None
try:
    partita.DPMixture
except ImportError as sentence:
    print(sentence)
')

"$room/tools/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$room"/partita-*.whl
rm -rf "$room/tests" && cp -r python/tests "$room/tests"
bin=$PWD/$room/tools/bin
export PATH="$bin:$PATH" PARTITA_ROOT=$PWD
scripts="scripts/python_stubs.py scripts/render_notebooks.py scripts/compare_python.py scripts/measure_python.py"
ruff check --quiet python $scripts
ruff format --quiet --check python $scripts
python scripts/python_stubs.py --check
python scripts/render_notebooks.py --check
# From elsewhere, so that the installed package is what is tested.
cd "$room"
python -m mypy.stubtest partita --mypy-config-file "$PARTITA_ROOT/pyproject.toml"
python -m pytest -q --doctest-modules --pyargs partita
python -m pytest -q -c "$PARTITA_ROOT/pyproject.toml" --rootdir tests tests ${SLOW:+--slow}
