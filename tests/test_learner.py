"""Notebooks for learners: plain, with folded answers, and run from the zip."""

import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import numpy
import pytest
from book import HTML, NOTEBOOKS, each_notebook, gated, page, require_html, toc_files
from labels import LINK, Book
from learner import GATE, INSTALL, Plain, written
from nbclient import NotebookClient
from packed import packed

FOLDER = HTML / "_sources" / "notebooks"
NAMES = {notebook.notebook_path.name: notebook for notebook in NOTEBOOKS}
MYST = re.compile(
    r"\{[a-z:]+\}`|^(`{3,}|:{3,})\{|^\([\w-]+\)=$|\]\(\.\./book|\)\{\.", re.M
)
CHECK = re.compile(r'exercises\.check\("([\d.]+)", *\S')


@pytest.fixture(scope="module")
def archive():
    """Open the zip that the first page offers."""
    require_html()
    (link,) = page(HTML / "book" / "index.html").select("a[href$='.zip']")
    data = (HTML / "book" / link["href"]).resolve().read_bytes()
    return zipfile.ZipFile(io.BytesIO(data))


@pytest.fixture(scope="module")
def unpacked(archive, tmp_path_factory):
    """Unpack the zip and return its folder."""
    folder = tmp_path_factory.mktemp("zip")
    archive.extractall(folder)
    return folder / "clock-dials"


def plain(notebook):
    """Return the notebook that a page offers."""
    require_html()
    return nbformat.read(FOLDER / notebook.notebook_path.name, as_version=4)


def text(notebook):
    """Return the prose of the notebook that a page offers."""
    cells = plain(notebook).cells
    return "\n\n".join(x.source for x in cells if x.cell_type == "markdown")


def code(notebook):
    """Return the sources of a notebook's code cells."""
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def answered(notebook):
    """Return the sources of the code cells that stand in solutions."""
    cells = gated(notebook.cells)
    return [cell.source for cell, part in cells if part == "solution"]


@pytest.mark.parametrize("name", [x for x in toc_files() if x.startswith("note")])
def test_page_offers_its_notebook(name):
    """By the button that every page has at its top."""
    path = HTML / f"{name}.html"
    links = page(path).select("a[href$='.ipynb'].btn-download-source-button")
    assert [(path.parent / x["href"]).resolve() for x in links] == [
        FOLDER / f"{Path(name).name}.ipynb"
    ]


@each_notebook
def test_nothing_is_left_of_myst(notebook):
    """Jupyter would show it as it stands."""
    assert_plain(plain(notebook).cells)


def assert_plain(cells):
    """Fail where a cell, or what it has made, holds MyST."""
    for cell in cells:
        outputs = [o.get("data", {}) for o in cell.get("outputs", [])]
        made = [o["text/markdown"] for o in outputs if "text/markdown" in o]
        for shown in [cell.source, *made]:
            assert not MYST.search(shown) and GATE not in shown, shown


@each_notebook
def test_code_is_that_of_the_book(notebook):
    """But for solutions and for text that is made by code that no page shows."""
    left_out = answered(notebook.notebook)
    left_out += [x.source for x in notebook.notebook.cells if written(x)]
    first, *others = code(plain(notebook))
    assert first.startswith(INSTALL.split("\n")[0])
    assert others == [x for x in code(notebook.notebook) if x not in left_out]


@each_notebook
def test_links_lead_somewhere(notebook):
    """To a place that the notebook marks, or one beside it."""
    for name, place in LINK.findall(text(notebook)):
        there = NAMES[name] if name else notebook
        assert f'<a id="{place}"></a>' in text(there), place


def test_authors_are_written_out():
    """The bibliography has their accents in TeX."""
    works = Book(HTML).works.entries
    names = [Book(HTML).authors(key) for key in works]
    assert not [name for name in names if re.search(r"[\\{}]", name)]
    assert any("í" in name for name in names)


@each_notebook
def test_answers_are_folded(notebook):
    """Hints and solutions open on a click, each in one cell."""
    asked = CHECK.findall("\n".join(code(plain(notebook))))
    folded = []
    for cell in plain(notebook).cells:
        opened, closed = cell.source.count("<details>"), cell.source.count("</details>")
        assert opened == closed
        folded += re.findall(r"<summary>(\w+ \w+)", cell.source)
    assert folded.count("Solution of") == len(asked)
    assert folded.count("First hint") == folded.count("Second hint") == len(asked)
    assert len(answered(notebook.notebook)) >= len(asked)


def test_labels_are_named_as_on_the_page():
    """What a reader reads in the notebook can be found in the book."""
    made = Plain(Book(HTML), "05-rotation-matrices").text(
        "See {eq}`relative-2d`, {numref}`fig-turned-axes`, {eq}`inverse-frequency`"
        " and {ref}`the first <ex-5-1>`.\n\n$$\nx\n$$ (relative-2d)"
    )
    shown = page(HTML / "notebooks" / "05-rotation-matrices.html")
    number = shown.find(id="equation-relative-2d").select_one(".eqno").get_text()
    number = number.strip("#")
    there = Book(HTML).name("inverse-frequency")
    assert re.fullmatch(r"\(5\.\d+\)", number) and re.fullmatch(r"\(7\.\d+\)", there)
    assert made == (
        f"See {number}, Fig. 5.1, [{there}](07-clock-dials.ipynb) and the first."
        f"\n\n$$\nx \\tag{{{number.strip('()')}}}\n$$"
    )


@pytest.mark.parametrize("text", ["{glue}`a`", "```{mermaid}\na\n```"])
def test_what_has_no_plain_form_is_refused(text):
    """Left as it is, it would be gibberish in every reader but ours."""
    with pytest.raises(ValueError, match="no plain form"):
        Plain(Book(HTML), "here").text(text)


def test_zip_holds_what_it_needs(archive):
    """Notebooks, the wheel, the model's address, licenses and a word how."""
    names = {Path(name).name for name in archive.namelist()}
    wheel = next(name for name in names if name.endswith(".whl"))
    assert names == {
        *(notebook.notebook_path.name for notebook in NOTEBOOKS),
        wheel, "README.txt", "LICENSE", "LICENSE-text", "requirements-model.txt",
    }
    assert wheel in archive.read("clock-dials/README.txt").decode()
    for notebook in NOTEBOOKS:
        assert f'"{wheel}[' in code(plain(notebook))[0]


def test_same_files_make_the_same_zip():
    """No clock and no order of a folder shows in it."""
    assert packed({"a": "x", "b": b"y"}) == packed({"a": b"x", "b": "y"})


def test_wheel_runs_with_numpy_alone(unpacked, tmp_path):
    """Installed without this folder, in an interpreter that has NumPy only."""
    site = tmp_path / "site"
    (wheel,) = unpacked.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    for part in Path(numpy.__file__).parents[1].glob("numpy*"):
        (site / part.name).symlink_to(part)
    program = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        "import rope_edu, rope_edu.doctor\n"
        "from rope_edu.config import presets\n"
        "from rope_edu import rotate\n"
        "from rope_edu.running import INV_FREQ, Q\n"
        "print(rope_edu.__file__, len(presets()), rotate(Q, 3, INV_FREQ).round(2)[0])"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        capture_output=True, text=True, cwd=tmp_path,
    )
    where, count, first = run.stdout.split() or [run.stderr, 0, 0]
    assert where.startswith(str(site)) and int(count) > 20 and first == "-1.24"


@each_notebook
def test_notebook_of_the_zip_runs(notebook, unpacked):
    """Without the answers, and with no word from the cell that installs."""
    loaded = nbformat.read(unpacked / notebook.notebook_path.name, as_version=4)
    NotebookClient(
        loaded, timeout=600, kernel_name="python3",
        resources={"metadata": {"path": str(unpacked)}},
    ).execute()
    first = next(cell for cell in loaded.cells if cell.cell_type == "code")
    assert first.outputs == []
    assert_plain(loaded.cells)
