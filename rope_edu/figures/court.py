"""The filter of the court's page and its table of models, with a script.

Without scripts the claims and the table are all there, in their order.
This room needs NumPy alone, not Matplotlib.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from importlib.resources import files

import numpy as np

from ..survey import models

COLUMNS = (
    "model", "head dim", "rotary dim", "base b", "method",
    "trained length L", "longest wavelength", "dials that come round in L",
    "first offset with Σ cos < 0", "source",
)


@dataclass(frozen=True)
class Markup:
    """HTML for a page, a word for the console."""

    html: str
    title: str

    def _repr_html_(self):
        return self.html

    def __repr__(self):
        return self.title


def claim_filter(verdicts, topics):
    """Controls that hide the claims a reader does not ask for.

    They act on the page's blocks of the class ``claim`` that also have the
    class of a verdict and of a topic, and remember nothing.

    Parameters
    ----------
    verdicts : iterable of str
    topics : dict of str to str
        What the page calls each topic.

    Returns
    -------
    Markup

    Examples
    --------
    >>> claim_filter(["true", "false"], {"order": "Order"})
    filter: 2 verdicts, 1 topic
    """
    verdicts = {verdict: verdict for verdict in verdicts}
    numbers = f"{_count(verdicts, 'verdict')}, {_count(topics, 'topic')}"
    return Markup(
        '<court-filter role="search" aria-label="Claims">'
        f"{_select('Verdict', verdicts)}{_select('Topic', topics)}"
        '<label>Words <input type="search" autocomplete="off"></label>'
        '<output aria-live="polite"></output></court-filter>'
        f"\n<script>\n{_script()}</script>",
        f"filter: {numbers}",
    )


def _count(things, name):
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"


def _script():
    return files(__package__).joinpath("court.js").read_text("utf-8")


def _select(label, choices):
    options = "".join(
        f'<option value="{escape(value)}">{escape(text)}</option>'
        for value, text in choices.items())
    return (f'<label>{label} <select autocomplete="off">'
            '<option value="">all</option>'
            f"{options}</select></label>")


def sortable_table(head, rows, caption):
    """A table whose columns sort at a click.

    Parameters
    ----------
    head : sequence of str
        Of its columns.
    rows : sequence of sequence
        A cell is a text, a number, None (shown as a dash and always last),
        or a pair (number to sort by, text to show).
    caption : str
        What the table shows.

    Returns
    -------
    Markup

    Raises
    ------
    ValueError
        If a row has not as many cells as `head`.

    Examples
    --------
    >>> sortable_table(["model", "base"], [("toy", 1e4)], "Bases")
    Bases: 1 row, 2 columns
    """
    for row in rows:
        if len(row) != len(head):
            raise ValueError(
                f"rows must have {len(head)} cells as head, got {row!r}")
    top = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "\n".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return Markup(
        # A wide table scrolls in itself, also by the arrow keys.
        f'<div class="sortable" role="region" tabindex="0" aria-label="'
        f'{escape(caption)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table></div>"
        f"\n<script>\n{_script()}</script>",
        f"{caption}: {_count(rows, 'row')}, {_count(head, 'column')}",
    )


def _cells(row):
    name, *rest = row
    return f'<th scope="row">{escape(str(name))}</th>' + "".join(
        map(_cell, rest))


def _cell(value):
    if value is None:
        return '<td class="number">–</td>'
    if isinstance(value, str):
        return f"<td>{escape(value)}</td>"
    key, text = value if isinstance(value, tuple) else (value, f"{value:,}")
    key = json.dumps(np.asarray(key).item())  # as JavaScript reads it
    return f'<td class="number" data-key="{key}">{escape(text)}</td>'


def model_table(limit=131_072):
    """Settings of real models and what follows from them, to be sorted.

    Parameters
    ----------
    limit : int
        The last offset at which a negative sum of cosines is looked for.

    Returns
    -------
    Markup

    Raises
    ------
    TypeError, ValueError
        If `limit` is not a positive integer.

    Examples
    --------
    >>> model_table(limit=64)
    Rotations of published models: ... rows, 10 columns
    """
    rows = [_model(model, limit) for _, model in sorted(
        models().items(), key=lambda item: item[0].lower())]
    return sortable_table(COLUMNS, rows, "Rotations of published models")


def _model(model, limit):
    config, longest = model.config, model.longest_wavelength
    done, first = model.finished, model.first_negative(limit)
    return (
        model.name, config.head_dim, config.rotary_dim,
        (config.base, f"{config.base:,.0f}"), model.method,
        model.trained_length, (longest, f"{longest:,.0f}"),
        done if done is None else (done, f"{done} of {len(model.rates)}"),
        (limit + 1, f"> {limit:,}") if first is None else first,
        model.source,
    )
