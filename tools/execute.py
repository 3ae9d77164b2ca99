"""Turn the chapters' sources into executed notebooks with stable bytes.

``notebooks/NN-name.md``, ``questions.md`` and ``appendix-name.md`` (MyST,
edited by hand) become the ``.ipynb`` beside them (executed, committed).  A
source runs again when it, the package or its own notebook has changed since
the last run on this machine; file times say nothing after a checkout, so
hashes in ``.execute-cache.json`` decide.

    python tools/execute.py            what is stale
    python tools/execute.py --all      every chapter
    python tools/execute.py 07         the chapters whose name starts so
"""

import argparse
import hashlib
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parents[1]
TIMEOUT = 600  # seconds for one cell; a chapter has 60 in all

# Set order and the order of a parallel sum would otherwise differ by run.
KERNEL_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}

# No versions: a newer Python must not change a committed file.
METADATA = {
    "kernelspec": {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    },
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}


# It finds in the other notebooks where each claim is settled: it runs last.
LINKING = "18-the-court"


class ChapterError(Exception):
    """A chapter that must not be written, and why."""


def digest(*parts):
    """Return the SHA-256 of some bytes, as hexadecimal text."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def package_digest(root):
    """Return one hash over the package's code and data."""
    package = root / "rope_edu"
    files = [
        path
        for path in sorted(package.rglob("*"))
        if path.suffix in {".py", ".js", ".json", ".txt"}
    ]
    names = [path.relative_to(root).as_posix().encode() for path in files]
    return digest(*names, *(path.read_bytes() for path in files))


def state(source, package):
    """Return the hash of all that a chapter's notebook comes from and is."""
    read = {source, source.with_suffix(".ipynb")}
    if source.stem == LINKING:
        read |= {*source.parent.glob("*.md"), *source.parent.glob("*.ipynb")}
    parts = [path.read_bytes() for path in sorted(read) if path.exists()]
    return digest(package.encode(), *parts)


def name_cells(notebook):
    """Give each cell an id that follows from its source alone."""
    seen = Counter()
    for cell in notebook.cells:
        key = digest(cell.cell_type.encode(), cell.source.encode())[:12]
        seen[key] += 1
        cell.id = key if seen[key] == 1 else f"{key}-{seen[key]}"


def read_source(source):
    """Return a chapter's source as a notebook without outputs."""
    notebook = jupytext.read(source, fmt="md:myst")
    extra = {
        key: value
        for key, value in notebook.metadata.items()
        if key not in {"jupytext", *METADATA}
    }
    notebook.metadata = nbformat.from_dict({**extra, **METADATA})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    name_cells(notebook)
    return notebook


def tags(cell):
    """Return a cell's tags."""
    return cell.metadata.get("tags", [])


def shorten_traceback(output):
    """Keep the last line of a traceback: the frames name local paths."""
    if output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]


def refuse(cell, output, root):
    """Raise ChapterError for an output that must not be committed."""
    if output.get("name") == "stderr" and "stderr-ok" not in tags(cell):
        raise ChapterError(
            f"the cell\n{cell.source}\nwrites to stderr:\n{output.text}\n"
            "mend it, or give the cell the tag stderr-ok"
        )
    text = json.dumps(output, ensure_ascii=False)
    for folder in {str(root), str(Path.home()), sys.prefix}:
        if f"{folder}/" in text:
            raise ChapterError(
                f"the cell\n{cell.source}\nshows a path of this machine: "
                f"{folder}"
            )


def clean(notebook, root):
    """Remove from the outputs what depends on the machine."""
    notebook.metadata.update(nbformat.from_dict(METADATA))
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            shorten_traceback(output)
            refuse(cell, output, root)


def run(source, root):
    """Return a chapter, executed in its own folder."""
    notebook = read_source(source)
    NotebookClient(
        notebook,
        timeout=TIMEOUT,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],  # no word about its sockets
        resources={"metadata": {"path": str(source.parent)}},
    ).execute()
    clean(notebook, root)
    return notebook


def write(notebook, path):
    """Write a notebook and return whether its bytes changed."""
    nbformat.validate(notebook)
    text = nbformat.writes(notebook).rstrip("\n") + "\n"
    before = path.read_text("utf-8") if path.exists() else None
    path.write_text(text, "utf-8")
    return text != before


def execute(source, root):
    """Execute and write one chapter; say so, and return success."""
    print(f"{source.stem:<28}", end="", flush=True)
    start = time.perf_counter()
    try:
        changed = write(run(source, root), source.with_suffix(".ipynb"))
    except (CellExecutionError, ChapterError) as error:
        print(f"failed\n{error}", flush=True)
        return False
    seconds = time.perf_counter() - start
    print(f"{seconds:6.1f} s  {'changed' if changed else 'same bytes'}")
    return True


def read_cache(path):
    """Return the state of each chapter at its last run here."""
    return json.loads(path.read_text()) if path.exists() else {}


def sources(root):
    """Return the files to execute: chapters, questions, appendices, the court."""
    folder = root / "notebooks"
    kinds = ("[0-9][0-9]-*.md", "questions.md", "appendix-*.md")
    found = [path for kind in kinds for path in sorted(folder.glob(kind))]
    return sorted(found, key=lambda path: path.stem == LINKING)


def execute_stale(root, everything=False, names=("",)):
    """Execute the chapters that need it and return how many failed."""
    cache_file = root / ".execute-cache.json"
    cache, package, failed = read_cache(cache_file), package_digest(root), 0
    for source in sources(root):
        if not source.stem.startswith(tuple(names)):
            continue
        if not everything and cache.get(source.stem) == state(source, package):
            print(f"{source.stem:<28}up to date")
        elif execute(source, root):
            cache[source.stem] = state(source, package)
            cache_file.write_text(json.dumps(cache, indent=1) + "\n")
        else:
            failed += 1
    return failed


def main():
    """Read the command line and execute what it asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
    )
    parser.add_argument("names", nargs="*", help="such as 07; default: all")
    parser.add_argument("--all", action="store_true", help="also if fresh")
    arguments = parser.parse_args()
    os.environ.update(KERNEL_ENVIRONMENT)
    names = arguments.names or [""]
    stems = [source.stem for source in sources(ROOT)]
    for name in names:
        if not any(stem.startswith(name) for stem in stems):
            parser.error(f"no notebook begins with {name!r}, as 07-clock-dials")
    sys.exit(execute_stale(ROOT, arguments.all, names) and 1)


if __name__ == "__main__":
    main()
