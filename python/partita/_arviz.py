"""A result as ArviZ has it."""

from __future__ import annotations

from typing import Any

import numpy as np


def tree(result: Any) -> Any:
    """Kept states with their weights as one chain of draws, and the estimates of single replicates beside them."""
    try:
        import arviz as az
    except ImportError:
        raise ImportError("to_arviz needs ArviZ: install it with `pip install arviz`") from None
    replicate, weight, labels = result.draws
    rows = result._run.rows()
    names = [line["name"] for line in result._found["summaries"]]
    posterior = {
        "labels": labels[None].astype(np.int64),
        "clusters": np.array([[len(np.unique(state)) for state in labels]]),
    }
    groups: dict[str, Any] = {
        "posterior": posterior,
        "sample_stats": {"weight": weight[None], "replicate": replicate[None].astype(np.int64)},
        # Independent and unbiased: their mean estimates the posterior expectation.
        "unbiased": {name: rows[name][None] for name in names},
    }
    items = result.items
    if int(az.__version__.partition(".")[0]) > 0:
        return az.from_dict(groups, coords={"item": items}, dims={"labels": ["item"]})
    # ArviZ before 1.0 takes groups by name, and its functions read InferenceData, not trees.
    unbiased = groups.pop("unbiased")
    made = az.from_dict(**groups, coords={"item": items}, dims={"labels": ["item"]})
    made.add_groups({"unbiased": az.dict_to_dataset(unbiased)})
    return made
