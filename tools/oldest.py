"""Print the lowest version of each direct requirement, as pins for pip.

``make test-oldest`` installs them: what pyproject.toml promises is then tried.
"""

import tomllib
from itertools import chain

from execute import ROOT
from packaging.requirements import Requirement

# For a GPU, and to measure others beside ours: no page and no test needs them,
# so they are neither locked nor in the conda environment.
UNLOCKED = ("gpu", "bench")


def lowest(line):
    """Return the pin of a requirement to the lowest version that it admits."""
    requirement = Requirement(line)
    (version,) = (x.version for x in requirement.specifier if x.operator == ">=")
    return f"{requirement.name}=={version}"


def pins():
    """Return the pins of the core and of the extras that the tests need."""
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    locked = (lines for name, lines in extras.items() if name not in UNLOCKED)
    return [lowest(line) for line in chain(project["dependencies"], *locked)]


if __name__ == "__main__":
    print("\n".join(pins()))
