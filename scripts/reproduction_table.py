#!/usr/bin/env python3
"""Writes the table at the end of docs/reproduction.md from the findings of `partita reproduce`.

    scripts/reproduction_table.py DATE RESULTS...

Each of RESULTS is a directory that `partita reproduce` has filled; rows of other studies stay as they are. Needs
Python 3.9 and nothing else.
"""
import json
import pathlib
import re
import sys

BEGIN, END = "<!-- table: begin -->\n", "<!-- table: end -->\n"
ORDER = [
    "gene", "synthetic", "seed", "abalone", "k-regular", "erdos-renyi-25", "erdos-renyi-30", "gmm-100",
    "gmm-200", "gmm-300", "split-merge-gene", "split-merge-synthetic", "metric-gene", "metric-synthetic",
    "metric-seed", "metric-k-regular", "min-iterations-seed", "min-iterations-synthetic", "kmeans-start",
    "noise-sd", "trimming", "outliers",
]
WORDS = {"confirmed": "confirmed", "not-confirmed": "**not confirmed**", "undecided": "undecided"}


def number(value, se):
    if value is None:
        return "too few estimates"
    if se:
        digits = max(0, 1 - int(f"{se:e}".split("e")[1]))
        return f"{value:.{digits}f} ± {se:.{digits}f}"
    return f"{value:.4g}"


def band(claim):
    low, high = claim.get("at_least"), claim.get("at_most")
    text = f"{low:g} to {high:g}" if None not in (low, high) else f"≥ {low:g}" if high is None else f"≤ {high:g}"
    return text + (f" (± {claim['slack']:g} s.e.)" if claim.get("slack") else "")


def rows(findings, date):
    name, scale = findings["study"], findings["scale"]
    command = f"`reproduce {name}" + ("`" if scale == 1 else f" --scale {scale:g}`")
    for verdict in findings["verdicts"]:
        claim = verdict["claim"]
        what = claim["measure"] + (f" / {claim['over']}" if claim.get("over") else "")
        text = " ".join(claim["claim"].split())
        ruling = WORDS[verdict["ruling"]]
        yield f"| {text} | {number(verdict['measured'], verdict['se'])}<br>{what} | {band(claim)} | {command}, {date} | {ruling} |"


def study(row):
    return re.search(r"\| `reproduce ([\w-]+)", row)[1]


def main():
    date, *directories = sys.argv[1:]
    found = [json.loads((pathlib.Path(d) / "findings.json").read_text()) for d in directories]
    page = pathlib.Path(__file__).parent.parent / "docs" / "reproduction.md"
    before, rest = page.read_text().split(BEGIN)
    table, after = rest.split(END)
    names = {findings["study"] for findings in found}
    lines = [row for row in table.splitlines()[2:] if study(row) not in names]
    lines += [row for findings in found for row in rows(findings, date)]
    lines.sort(key=lambda row: ORDER.index(study(row)))
    head = ["| claim of the paper | measured | expected | command, date | verdict |", "|---|---|---|---|---|"]
    page.write_text(before + BEGIN + "\n".join(head + lines) + "\n" + END + after)
    count = lambda word: sum(row.endswith(f"| {word} |") for row in lines)
    figures = ", ".join(f"{count(text)} {word}" for word, text in WORDS.items())
    print(f"{len(set(map(study, lines)))} studies: {figures}")


main()
