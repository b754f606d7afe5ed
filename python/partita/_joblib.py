"""`n_jobs` as scikit-learn means it: threads of this process, or the workers of Dask where joblib was given those."""

from __future__ import annotations

import os
from typing import Any


def placed(n_jobs: int | None) -> dict[str, Any]:
    """Where a fit runs, as options of it. Results are the same everywhere."""
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    client = getattr(get_active_backend()[0], "client", None)
    if client is not None:
        return {"executor": client.get_executor()}
    # Threads of ours release the interpreter: processes would gain nothing.
    return {"threads": max(1, min(effective_n_jobs(n_jobs), os.cpu_count() or 1))}
