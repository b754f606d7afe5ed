"""Renders the notebooks of docs/notebooks as pages of the book, with the outputs that they hold.

    python scripts/render_notebooks.py [--run NAME ... | --check]

Each NAME.ipynb becomes NAME.md and its figures NAME-1.png, NAME-2.png, ... `--run` runs notebooks first and keeps their
outputs; `--check` writes nothing, and fails where a page is not that of its notebook.
"""

import argparse
import base64
import json
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "notebooks"


def text(source):
    return "".join(source).rstrip()


def html(source):
    """On one line, so that Markdown takes it for one block; without styles, which would be those of the whole page."""
    source = re.sub(r"<style.*?</style>", "", text(source), flags=re.DOTALL)
    return re.sub(r"\s*\n\s*", " ", source).strip()


def shown(output, picture):
    """An output in Markdown; a figure goes to the file that `picture` names."""
    data = output.get("data", {})
    if "image/png" in data:
        return f"![figure]({picture(base64.b64decode(text(data['image/png'])))})"
    if "text/html" in data:
        return html(data["text/html"])
    words = text(data.get("text/plain", output.get("text", "")))
    return f"```text\n{words}\n```" if words else ""


def page(path):
    """The page of a notebook, and its figures by name."""
    pictures = {}

    def picture(content):
        name = f"{path.stem}-{len(pictures) + 1}.png"
        pictures[name] = content
        return name

    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "markdown":
            parts.append(text(cell["source"]))
        else:
            parts.append(f"```python\n{text(cell['source'])}\n```")
            streams = [o for o in cell["outputs"] if o["output_type"] == "stream"]
            words = text("".join(text(o["text"]) + "\n" for o in streams if o["name"] == "stdout"))
            parts.append(f"```text\n{words}\n```" if words else "")
            parts += [shown(o, picture) for o in cell["outputs"] if o["output_type"] != "stream"]
    parts.append(f"From the notebook [{path.name}]({path.name}), which the tests run.")
    return "\n\n".join(part for part in parts if part) + "\n", pictures


def run(path):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=3600, kernel_name="python3").execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        # What was said on the way, such as a progress bar, is no output.
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    nbformat.write(notebook, path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--run", nargs="+", metavar="NAME", default=[])
    parser.add_argument("--check", action="store_true")
    said = parser.parse_args()
    check = said.check
    for name in said.run:
        run(FOLDER / f"{name}.ipynb")
    for path in sorted(FOLDER.glob("*.ipynb")):
        rendered, pictures = page(path)
        files = {path.with_suffix(".md"): rendered.encode(), **{FOLDER / name: png for name, png in pictures.items()}}
        for file, content in files.items():
            if check and (not file.exists() or file.read_bytes() != content):
                return f"{file.name} is not that of {path.name}: run scripts/render_notebooks.py"
            if not check:
                file.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
