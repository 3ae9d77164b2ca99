"""Times that were measured once, with the machine they belong to.

No two runs give the same times, so a page that showed its own would never
be the same twice. The book shows a sheet instead: what ``benchmarks/cpu.py
--json`` wrote on one machine, kept in ``data/bench-cpu.json``. A sheet of
``benchmarks/gpu.py`` is read from ``data/bench-gpu.json`` if it is there.
"""

import json
import textwrap
from dataclasses import dataclass
from importlib.resources import files

from rope_edu.timing import markdown

# In the environment, but not a version and not about this one table.
_MACHINE = ("date", "processor", "processors", "system", "load", "threads")


@dataclass(frozen=True)
class Table:
    """One comparison of a sheet.

    Attributes
    ----------
    title : str
    rows : dict of str to dict
        By the name of a candidate, what `timing.Comparison.rows` says of it.
    rounds : int
        How often each was timed.
    noise : float
        See `timing.Comparison.noise`.
    environment : dict
        Machine, system and versions, see `timing.environment`.

    Examples
    --------
    >>> table = cpu()["16 MiB of float32, 1 thread"]
    >>> table.ratio("copy")
    (1.0, 1.0, 1.0)
    """

    title: str
    rows: dict
    rounds: int
    noise: float
    environment: dict

    def row(self, name):
        """What was found of one candidate.

        Raises
        ------
        ValueError
            If the table has no such candidate.

        Examples
        --------
        >>> cpu()["16 MiB of float32, 1 thread"].row("copy")["name"]
        'copy'
        """
        if name not in self.rows:
            raise ValueError(
                f"name must be one of {', '.join(self.rows)}, got {name!r}"
            )
        return self.rows[name]

    def seconds(self, name):
        """Median time of one call.

        Examples
        --------
        >>> table = cpu()["16 MiB of float32, 1 thread"]
        >>> table.seconds("copy") < table.seconds("textbook, half, eager")
        True
        """
        return self.row(name)["median"]

    def ratio(self, name):
        """How many times as long as the first candidate, with bounds.

        Returns
        -------
        ratio, low, high : float
            See `timing.Verdict`.

        Examples
        --------
        >>> low, high = cpu()["16 MiB of float32, 1 thread"].ratio(
        ...     "rope_edu, half, eager")[1:]
        >>> 1 < low < high
        True
        """
        row = self.row(name)
        return row["ratio"], row["low"], row["high"]

    def markdown(self):
        """The table as the scripts print it.

        Examples
        --------
        >>> print(cpu()["16 MiB of float32, 1 thread"].markdown()[:35])
        | | median | spread | times copy |
        """
        return markdown(list(self.rows.values()), self.rounds, self.noise)


def cpu():
    """The tables of the stored sheet, by title, in the order of the script.

    Returns
    -------
    dict of str to Table

    Examples
    --------
    >>> list(cpu())[0]
    '16 MiB of float32, 1 thread'
    """
    return _tables("bench-cpu.json")


def gpu():
    """The same for a GPU; empty where no sheet is stored.

    Examples
    --------
    >>> all(isinstance(table, Table) for table in gpu().values())
    True
    """
    return _tables("bench-gpu.json")


def _tables(name):
    file = files("rope_edu").joinpath("data", name)
    if not file.is_file():
        return {}
    sections = json.loads(file.read_text("utf-8"))
    return {section["title"]: _table(section) for section in sections}


def _table(section):
    rows = {row["name"]: row for row in section["rows"]}
    return Table(
        section["title"], rows, section["rounds"], section["noise"],
        section["environment"],
    )


def stamp(tables):
    """Machine, date and versions of a sheet, in lines of 66 characters.

    Parameters
    ----------
    tables : dict of str to Table
        As `cpu` and `gpu` return them.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If there is no table.

    Examples
    --------
    >>> stamp(cpu()).splitlines()[0][:9]
    'measured '
    """
    if not tables:
        raise ValueError("tables must hold a table or more, got none")
    found = next(iter(tables.values())).environment
    loads = [t.environment["load"] for t in tables.values()
             if "load" in t.environment]
    where = (f"measured {found['date']} on {found['processor']},"
             f" {found['processors']} processors, {found['system']}")
    if loads:
        where += f"; load {min(loads)} to {max(loads)}"
    versions = [f"{name} {version}" for name, version in found.items()
                if name not in _MACHINE]
    lines = [where, ", ".join(versions)]
    return "\n".join(textwrap.fill(line, 66) for line in lines)
