"""Writes python/partita/_fit.pyi from the options of the command; `--check` says whether it is up to date."""

import inspect
import sys
from pathlib import Path

from partita import _fit

HEAD = '''"""Types of the runs: made by scripts/python_stubs.py from the options of the command."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from ._result import Result
'''


def stub(function) -> str:
    lines, keyword = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keyword:
            lines.append("    *,")
            keyword = True
        default = "" if parameter.default is inspect.Parameter.empty else " = ..."
        lines.append(f"    {parameter.name}: {parameter.annotation}{default},")
    return f"def {function.__name__}(\n" + "\n".join(lines) + "\n) -> Result: ...\n"


def main() -> int:
    text = HEAD + "\n" + "".join(stub(f) for f in (_fit.fit, _fit.blocks, _fit.color, _fit.meet))
    path = Path(__file__).resolve().parents[1] / "python" / "partita" / "_fit.pyi"
    if "--check" in sys.argv:
        if path.read_text() != text:
            print(f"{path.name} is not that of the options: run scripts/python_stubs.py")
            return 1
        return 0
    path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
