"""Options of the command as arguments: their names, kinds and sentences come from the compiled half."""

from __future__ import annotations

import inspect
import json
import numbers
import os
from collections.abc import Iterable
from typing import Any

from . import _native

# What a kind of value is in Python, by its name in Rust; all else is a text in the command's words.
_KINDS = {
    "f64": "float",
    "u64": "int",
    "usize": "int",
    "bool": "bool",
    "Duration": "float | str",
    "Alpha": "float | str",
    "Pca": "int | str",
    "PathBuf": "str | PathLike[str]",
    "Vec<ColumnType>": "str | Sequence[str] | Mapping[str, str]",
}


class Option:
    """An option: its name, its type in Python, and what it is, in a sentence."""

    def __init__(self, name: str, kind: str, about: str) -> None:
        self.name, self.about = name, about
        several = kind.startswith("Vec<")
        self.annotation = _KINDS.get(kind, "str | Sequence[str]" if several else "str") + " | None"


#: Every option of the command, in its order.
OPTIONS = {name: Option(name, kind, about) for name, kind, about in _native.options()}


#: Other names of options, as the command has them, and what they stand for.
ALIASES = {"covariance": "model", "summaries": "summary"}


def by_their_names(options: dict[str, Any]) -> dict[str, Any]:
    """Options with other names turned into their own."""
    for other, name in ALIASES.items():
        if other in options:
            options = dict(options)
            value = options.pop(other)
            if value is not None and options.get(name) is not None:
                raise ValueError(f"{other} and {name} are names of the same option: give one of them")
            options[name] = options.get(name) if value is None else value
    return options


def options_of(task: str, meetings_only: bool = False) -> list[str]:
    """The options that are of use in a kind of run, without its data."""
    return [name for name in _native.options_of(task, meetings_only) if name != "data"]


def documented(*tasks: str, meetings_only: bool = False):
    """Gives a function its signature and the list of its options, made from the options of the command."""

    def names() -> list[str]:
        used = [set(options_of(task, meetings_only)) for task in tasks]
        return [name for name in OPTIONS if any(name in some for some in used)]

    def give(function):
        own = inspect.signature(function).parameters
        fixed = [p for p in own.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        keyword = inspect.Parameter.KEYWORD_ONLY
        offered = [name for name in names() if name not in own]
        offered += [other for other, name in ALIASES.items() if name in offered]
        said = [
            inspect.Parameter(name, keyword, default=None, annotation=OPTIONS[ALIASES.get(name, name)].annotation)
            for name in offered
        ]
        function.__signature__ = inspect.Signature(fixed + said, return_annotation="Result")
        lines = []
        for name in names():
            default = _native.default(name, tasks[0])
            lines.append(f"    {name} : {OPTIONS[name].annotation.removesuffix(' | None')}")
            lines.append(f"        {OPTIONS[name].about}" + (f" Default: {default}." if default else ""))
        for other, name in ALIASES.items():
            if other in offered:
                lines.append(f"    {other} : {OPTIONS[name].annotation.removesuffix(' | None')}")
                lines.append(f"        Another name for {name}.")
        head, _, tail = (function.__doc__ or "").partition("\n    Returns\n")
        function.__doc__ = head.rstrip() + "\n" + "\n".join(lines) + "\n\n    Returns\n" + tail
        return function

    return give


def _toml(name: str, value: Any) -> str:
    """A value as a TOML file writes it."""
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    if isinstance(value, dict):
        return _toml(name, [f"{key}={kind}" for key, kind in value.items()])
    try:
        return "[" + ", ".join(_toml(name, one) for one in value) + "]"
    except TypeError:
        raise TypeError(f"{name}: {value!r} is no value for an option") from None


def said(options: dict[str, Any]) -> list[tuple[str, str]]:
    """Options that were given, each written as in a TOML file."""
    several = {name for name, option in OPTIONS.items() if "Sequence" in option.annotation}
    pairs = []
    for name, value in options.items():
        if value is None:
            continue
        if name in several and not isinstance(value, dict):
            # One, or several; columns of a frame may be called by numbers.
            alone = isinstance(value, str) or not isinstance(value, Iterable)
            value = [str(one) for one in ([value] if alone else value)]
        pairs.append((name, _toml(name, value)))
    return pairs


def command(task: str, options: dict[str, Any]) -> str:
    """The call in words, for the report."""
    given = "".join(f", {name}={value!r}" for name, value in options.items() if value is not None)
    return f"partita.{task}(data{given})"
