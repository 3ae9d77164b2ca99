"""The project's own files: versions, licenses, limits and commands."""

import ast
import importlib.metadata
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import chain

import pytest
import rope_edu
import yaml
from book import ROOT
from oldest import UNLOCKED
from oldest import pins as pins_of_the_lowest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler import MatchSpec, Version, VersionSpec

CONDA_NAMES = {
    "build": "python-build",
    "playwright": "playwright-python",
    "torch": "pytorch",
}
MAX_BODY, MAX_COLUMNS, MAX_TEST_COLUMNS = 25, 79, 88
NOT_OURS = ("book/_static/mathjax/",)
# Folders of a home or build machine, and hosts of package registries.
LOCAL = re.compile(
    r"(^|[^a-z])/(work|farm|root|tmp|home)/"
    r"|pypi\.org|files\.pythonhosted|registry\.npmjs|deb\.debian\.org",
    re.M,
)

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PACKAGE = sorted((ROOT / "rope_edu").rglob("*.py"))


def requirements():
    """Return the direct requirements of the core and the locked extras, by name."""
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    locked = (lines for name, lines in extras.items() if name not in UNLOCKED)
    lines = chain(project["dependencies"], *locked)
    return {canonicalize_name(Requirement(x).name): Requirement(x) for x in lines}


def pins():
    """Return the version of each package in the lock file, by name."""
    text = (ROOT / "requirements.lock").read_text("utf-8")
    lines = [x for x in text.splitlines() if x and not x.startswith("#")]
    pairs = [line.split("==") for line in lines]
    return {canonicalize_name(name): version for name, version in pairs}


def environment():
    """Return the specifications in environment.yml, by conda's name.

    What conda's channel does not have stands in the list for pip.
    """
    text = (ROOT / "environment.yml").read_text("utf-8")
    *lines, for_pip = yaml.safe_load(text)["dependencies"]
    lines += [line for line in for_pip["pip"] if not line.startswith("-e")]
    specs = [MatchSpec(line, strict=True) for line in lines]
    return {spec.name.normalized: spec for spec in specs}


def ours():
    """Return the project's text files: committed, or about to be."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "-z", "-co", "--exclude-standard"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    names = run.stdout.decode().split("\0")
    return [ROOT / x for x in names if x and not x.startswith(NOT_OURS)]


def test_lock_satisfies_the_ranges():
    """The versions that are tested lie in the ranges that are promised."""
    pinned = pins()
    for name, requirement in requirements().items():
        assert requirement.specifier.contains(pinned[name]), requirement


def test_lock_is_what_runs():
    """Outputs and pages come from the versions in the lock file."""
    # torch says after a plus for which device it was built.
    running = {
        name: importlib.metadata.version(name).split("+")[0] for name in pins()
    }
    assert running == pins()


@pytest.mark.parametrize("extra", UNLOCKED)
def test_what_is_not_locked_is_not_installed_by_anything(extra):
    """Neither the lock file nor conda, nor `make lock`, brings it in."""
    lines = PROJECT["project"]["optional-dependencies"][extra]
    names = {canonicalize_name(Requirement(line).name) for line in lines}
    assert names and not names & {*pins(), *environment(), *requirements()}
    lock = re.search(r"-e '\.\[(.*?)\]'", (ROOT / "Makefile").read_text("utf-8"))
    assert extra not in lock[1].split(",")


@pytest.mark.parametrize("name", sorted(requirements()))
def test_conda_asks_for_the_same_ranges(name):
    """Both ways to install lead to the same versions."""
    spec = environment()[CONDA_NAMES.get(name, name)]
    promised = str(requirements()[name].specifier)
    assert set(str(spec.version).split(",")) == set(promised.split(","))
    assert VersionSpec(spec.version).matches(Version(pins()[name]))


def test_readme_names_the_lowest_versions():
    """They are those that `make test-oldest` tries."""
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    pinned = dict(pin.split("==") for pin in pins_of_the_lowest())
    for name in ("NumPy", "Matplotlib", "SymPy", "torch"):
        assert re.search(rf"{name} {re.escape(pinned[name.lower()])}\b", text), name
    assert {*pinned} == {requirement.name for requirement in requirements().values()}


def test_conda_asks_for_nothing_more():
    """A package that nothing needs makes every installation longer."""
    known = {CONDA_NAMES.get(name, name) for name in requirements()}
    extra = {key: str(spec) for key, spec in environment().items()}
    for name in known:
        extra.pop(name)
    python = "python " + PROJECT["project"]["requires-python"]
    assert extra == {"python": python, "pip": "pip"}


def test_a_wheel_takes_every_file_along():
    """What is no module must match a pattern, or an installed package lacks it."""
    patterns = PROJECT["tool"]["setuptools"]["package-data"]
    taken = {
        path
        for package, globs in patterns.items()
        for glob in globs
        for path in (ROOT / package.replace(".", "/")).glob(glob)
    }
    inside = (ROOT / "rope_edu").rglob("*")
    files = {path for path in inside if path.is_file() and path.suffix != ".py"}
    assert {x for x in files if "__pycache__" not in x.parts} == taken


def test_import_costs_numpy_alone():
    """SymPy or Matplotlib would make `import rope_edu` take seconds."""
    code = (
        "import sys; before = set(sys.modules); import rope_edu;"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before}"
        " - sys.stdlib_module_names)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert set(run.stdout.split()) <= {"rope_edu", "numpy"}


def test_versions_agree():
    """What is cited is what is installed."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    version = PROJECT["project"]["version"]
    assert citation["version"] == version == rope_edu.__version__
    assert importlib.metadata.version("rope-edu") == version


def test_licenses_are_there():
    """Code, text and what we ship of others each have their license."""
    for path, words in {
        "LICENSE": "MIT License",
        "LICENSE-text": "Attribution 4.0 International",
        "book/_static/mathjax/LICENSE": "Apache License",
    }.items():
        text = (ROOT / path).read_text("utf-8")
        assert text.lstrip().startswith(words), path


def test_make_shows_its_targets():
    """`make` alone explains itself and starts nothing."""
    command = ["make", "--no-print-directory"]  # as `make test` would print
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.M)[1].split()
    shown = [line.split()[1] for line in run.stdout.splitlines()]
    assert run.returncode == 0
    assert sorted(shown) == sorted(phony)


def test_no_trace_of_a_machine():
    """Readers have neither our folders nor our mirrors."""
    for path in ours():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        found = LOCAL.search(text)
        assert not found, f"{path.relative_to(ROOT)}: {found}"


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(name):
    """Links and pictures of the front pages are files of the project."""
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text("utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


def body_lines(function):
    """Return how many lines a function has below its docstring."""
    first = function.body[0]
    described = ast.get_docstring(function, clean=False) is not None
    if described and len(function.body) > 1:
        first = function.body[1]
    return function.end_lineno - first.lineno + 1


@pytest.mark.parametrize(
    "path", PACKAGE, ids=lambda path: str(path.relative_to(ROOT / "rope_edu"))
)
def test_functions_are_short_and_lines_fit(path):
    """Each function is read at a glance, in two columns on a laptop."""
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert body_lines(node) <= MAX_BODY, node.name
    for line in text.splitlines():
        assert len(line) <= MAX_COLUMNS, line


def test_lines_of_tests_and_tools_fit():
    """The same, with a little more room."""
    for path in [*(ROOT / "tests").glob("*.py"), *(ROOT / "tools").glob("*.py")]:
        for line in path.read_text("utf-8").splitlines():
            assert len(line) <= MAX_TEST_COLUMNS, f"{path.name}: {line}"
