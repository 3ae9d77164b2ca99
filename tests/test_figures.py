"""The style of the figures: readable in both modes, same bytes, alt text."""

import base64
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rope_edu.figures import style

LIGHT, DARK = "#ffffff", "#14181e"


def luminance(color):
    """Return the relative luminance of sRGB, as WCAG 2 defines it."""
    parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4
              for p in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one, other):
    """Return the contrast ratio of two colors."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def example(alt="A line that rises from 0 to 1."):
    """Return a small picture."""
    with style.canvas() as (figure, axes):
        axes.plot([0, 1], color=style.COLORS["q"], label="q")
        axes.legend()
        return style.Picture(figure, alt)


@pytest.mark.parametrize("color", style.COLORS.values())
@pytest.mark.parametrize("page", [LIGHT, DARK])
def test_colors_stand_out(color, page):
    """WCAG 1.4.11 asks 3:1 of the parts of a figure."""
    assert contrast(color, page) >= 3


def test_colors_and_dashes_differ():
    """Eight things, eight looks, also without color."""
    assert len(set(style.COLORS.values())) == len(style.COLORS)
    assert len(set(style.DASHES)) == len(style.DIALS)


def test_same_bytes():
    """Two runs on one machine write the same figure."""
    assert example().svg == example().svg
    assert example().png == example().png


def test_page_color_and_title():
    """Ink is the page's own; the alt text is the SVG's title."""
    svg = example('Two < three & "four" words.').svg
    assert "currentColor" in svg and style.INK not in svg
    assert "<title>Two &lt; three &amp; \"four\" words.</title>" in svg
    assert 'role="img"' in svg


def test_nothing_reaches_outside_the_figure():
    """No global style, no metadata, no long numbers, no shared ids."""
    svg = example().svg
    assert "<style" not in svg and "<metadata" not in svg
    assert not re.search(r"<[^>]*\d\.\d{3,}[^>]*>", svg)
    ids = re.findall(r' id="([^"]+)"', svg)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:url\(|href=")#([\w-]+)', svg)) == set(ids)
    other = example("Another line that rises from 0 to 2.").svg
    assert not set(ids) & set(re.findall(r' id="([^"]+)"', other))


def test_texts_keep_their_digits():
    """Coordinates are rounded, what the figure says is not."""
    with style.canvas() as (figure, axes):
        axes.text(0.1, 0.1, "0.902")
        assert ">0.902<" in style.Picture(figure, "It says 0.902 here.").svg


def test_bundle_has_html_png_and_text():
    """HTML for the page, PNG for print, text for the terminal."""
    bundle = example()._repr_mimebundle_()
    assert bundle["text/html"].startswith('<div class="figure"><svg')
    png = base64.b64decode(bundle["image/png"])
    assert png.startswith(b"\x89PNG")
    assert bundle["text/plain"] == repr(example())


def test_alt_text_is_asked_for():
    """A figure without a sentence is refused."""
    with pytest.raises(ValueError, match="alt"):
        example("plot")


def test_canvas_closes_its_figure():
    """No figure is left open, also when drawing fails."""
    before = plt.get_fignums()
    with pytest.raises(ZeroDivisionError), style.canvas():
        1 / 0
    assert plt.get_fignums() == before


@pytest.mark.parametrize(
    ("grid", "kind", "told"),
    [
        ({"rows": 0}, ValueError, "rows must be positive, got 0"),
        ({"columns": 1.0}, TypeError, "columns must be an integer, got 1.0"),
        ({"sharex": "most"}, ValueError, "sharex"),
    ],
)
def test_a_canvas_that_cannot_be_made_is_not_left_open(grid, kind, told):
    """Each one left open would stay in memory."""
    before = plt.get_fignums()
    with pytest.raises(kind, match=told), style.canvas(**grid):
        pass
    assert plt.get_fignums() == before


def test_picture_names_a_wrong_argument():
    """The two arguments are easily swapped."""
    with style.canvas() as (figure, axes):
        with pytest.raises(TypeError, match="alt must be a str, got None"):
            style.Picture(figure, None)
        with pytest.raises(TypeError, match="figure must be a Figure"):
            style.Picture(axes, "A sentence of some words.")
