"""Executes the notebooks beside this file and writes them, with their outputs, into a directory.

Run by scripts/notebooks, which makes the data first (environment variable TABULA_DATA).
"""

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

LARGEST = 400_000  # bytes: what is kept in the repository stays small


def run(source: Path, target: Path) -> bool:
    began = time.monotonic()
    notebook = nbformat.read(source, as_version=4)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        startup_timeout=180,
        timeout=300,
        record_timing=False,
        resources={"metadata": {"path": str(source.parent)}},
    )
    try:
        client.execute()
    except CellExecutionError as error:
        print(f"{source.name}: {error}", file=sys.stderr)
        return False
    # What differs from one machine to the next is no part of the notebook.
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{number:02}"
    nbformat.write(notebook, target)
    size = target.stat().st_size
    if size > LARGEST:
        print(f"{source.name}: {size} bytes with outputs, more than {LARGEST}", file=sys.stderr)
        return False
    print(f"{source.name}: {len(notebook.cells)} cells in {time.monotonic() - began:.1f} s, {size // 1000} kB")
    return True


def main() -> int:
    here, out = Path(__file__).parent, Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    sources = sorted(here.glob("[0-9]*.ipynb"))
    if not sources:
        print(f"no notebooks in {here}", file=sys.stderr)
        return 1
    results = [run(source, out / source.name) for source in sources]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
