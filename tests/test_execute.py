"""What turns sources into notebooks: stable, and only what is stale."""

import execute
import nbformat
import pytest

SOURCE = """\
---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A chapter

```{code-cell} python
print(set("abcdefgh"), 1 + 1)
```

```{code-cell} python
:tags: [raises-exception]

raise ValueError("no")
```
"""


@pytest.fixture
def root(tmp_path):
    """Lay out a project of one chapter and one module."""
    for name, text in {
        "notebooks/01-a.md": SOURCE,
        "rope_edu/a.py": "A = 1\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(text)
    return tmp_path


def printed(name, text, tags=()):
    """Return a notebook whose only cell has printed a text."""
    output = nbformat.v4.new_output("stream", name=name, text=text)
    cell = nbformat.v4.new_code_cell("f()", outputs=[output])
    cell.metadata["tags"] = list(tags)
    return nbformat.v4.new_notebook(cells=[cell])


def test_bytes_are_stable_and_name_no_version(root):
    """Two runs give one file, so a diff shows only what has changed."""
    source, notebook = root / "notebooks/01-a.md", root / "notebooks/01-a.ipynb"
    assert execute.execute(source, root)
    first = notebook.read_bytes()
    assert execute.execute(source, root)
    assert notebook.read_bytes() == first
    assert nbformat.reads(first.decode(), 4).metadata == execute.METADATA


def test_a_traceback_is_only_its_last_line(root):
    """The frames above it lie in folders of this machine."""
    notebook = execute.run(root / "notebooks/01-a.md", root)
    assert notebook.cells[2].outputs[0].traceback == ["ValueError: no"]


def test_equal_cells_have_different_ids():
    """The format wants unique ids, a diff wants lasting ones."""
    cells = [nbformat.v4.new_code_cell("f()") for _ in range(2)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    execute.name_cells(notebook)
    first, second = (cell.id for cell in notebook.cells)
    assert second == f"{first}-2"


def test_warnings_are_refused_unless_allowed(root):
    """A warning on the page is a mistake, or shown on purpose."""
    with pytest.raises(execute.ChapterError, match="stderr-ok"):
        execute.clean(printed("stderr", "Warning"), root)
    execute.clean(printed("stderr", "Warning", ["stderr-ok"]), root)


def test_local_paths_are_refused(root):
    """A reader does not have this machine's folders."""
    with pytest.raises(execute.ChapterError, match="path of this machine"):
        execute.clean(printed("stdout", f"{root}/x"), root)


@pytest.mark.parametrize("changed", ["rope_edu/a.py", "notebooks/01-a.md",
                                     "notebooks/01-a.ipynb"])
def test_only_what_is_stale_runs(root, monkeypatch, changed):
    """Source, package or notebook changed: run again; otherwise do not."""
    ran = []

    def pretend(source, root):
        ran.append(source.stem)
        source.with_suffix(".ipynb").write_text("{}")
        return True

    monkeypatch.setattr(execute, "execute", pretend)
    for _ in range(2):
        execute.execute_stale(root)
    assert ran == ["01-a"]
    path = root / changed
    path.write_text(path.read_text() + "\n")
    execute.execute_stale(root)
    assert ran == ["01-a"] * 2


def test_the_court_runs_last_and_after_every_other_change(root, monkeypatch):
    """It shows in which sections of the others a claim is settled."""
    ran = []
    monkeypatch.setattr(
        execute, "execute", lambda source, root: ran.append(source.stem) or True
    )
    for name in ("18-the-court.md", "appendix-b.md"):
        (root / "notebooks" / name).write_text("text\n")
    execute.execute_stale(root)
    assert ran == ["01-a", "appendix-b", "18-the-court"]
    (root / "notebooks" / "appendix-b.md").write_text("other text\n")
    execute.execute_stale(root)
    assert ran[3:] == ["appendix-b", "18-the-court"]


def test_failed_chapter_is_counted_and_not_written(root, capsys):
    """The old notebook stays, and the command ends with an error."""
    source = root / "notebooks/01-a.md"
    source.write_text(SOURCE.replace("raises-exception", "other"))
    assert execute.execute_stale(root) == 1
    assert "ValueError" in capsys.readouterr().out
    assert not source.with_suffix(".ipynb").exists()
