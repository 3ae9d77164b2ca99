"""The Python side of the live dials: arguments, attributes, static picture."""

import json
import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from rope_edu.figures import dials as room
from rope_edu.figures.dials import dials, static_svg
from rope_edu.config import presets
from rope_edu.frequencies import angles, inverse_frequencies
from rope_edu.scaling import Default, DynamicNTK, Linear, NTKAware, YaRN

SCRIPT = Path(room.__file__).with_name("dials.js")
METHODS = SCRIPT.with_name("scaling.js")
SVG = "{http://www.w3.org/2000/svg}"
# What one copy in a notebook may weigh: the board, and all methods.
BUDGET, METHODS_BUDGET = 20_000, 3_000


def attribute(html, name):
    """The value of one attribute of the element, or None."""
    found = re.search(rf"<clock-dials[^>]* {name}='([^']*)'", html)
    return found and unescape(found[1])


@pytest.mark.parametrize(
    ("wrong", "kind", "words"),
    [
        ({"m": "3"}, TypeError, "m must"),
        ({"m": True}, TypeError, "m must"),
        ({"m": [1, 2]}, TypeError, "m must be one number"),
        ({"n": float("nan")}, ValueError, "n must be finite"),
        ({"n": 2**53 + 1}, ValueError, "n must be finite and within"),
        ({"rotary_dim": 7}, ValueError, "rotary_dim must be even"),
        ({"rotary_dim": 8.0}, TypeError, "rotary_dim must be an integer"),
        ({"rotary_dim": 1026}, ValueError, "rotary_dim must be at most 1024"),
        ({"base": 1}, ValueError, "base must be finite and above 1"),
        ({"base": "10000"}, TypeError, "base must be a number"),
        ({"layout": "neox"}, ValueError, "'interleaved' or 'half'"),
        ({"inv_freq": []}, ValueError, "inv_freq must be 1-D"),
        ({"inv_freq": [1.0, np.inf]}, ValueError, "inv_freq must be finite"),
        ({"inv_freq": [1.0, 1e308]}, ValueError, "times inv_freq[1] = 1e+308"),
        ({"m": 2**53, "n": -1}, ValueError,
         "n - m must be within -2**53..2**53, like positions (float64 skips"
         " integers beyond), got m = 9007199254740992, n = -1"),
        ({"m": 2**53, "n": -(2**53)}, ValueError, "n = -9007199254740992"),
        ({"m": 2**53 - 1, "n": -0.5}, ValueError, "n - m must be within"),
        ({"m": -1, "n": 2**53}, ValueError, "n - m must be within"),
        ({"inv_freq": np.ones(513)}, ValueError, "at most 1024, got 1026"),
        ({"presets": 1}, TypeError, "presets must be True or False, got 1"),
        ({"compact": "yes"}, TypeError, "compact must be True or False"),
        ({"element_id": "a b"}, ValueError, "element_id must be letters"),
        ({"element_id": "7"}, ValueError, "a letter first, got '7'"),
        ({"element_id": ""}, ValueError, "element_id must be letters"),
        ({"element_id": None}, TypeError, "element_id must be a string"),
        ({"scaling": "yarn"}, TypeError, "scaling must be a method"),
        ({"scaling": Linear(2), "inv_freq": [1.0]}, ValueError,
         "scaling and inv_freq must not be given together"),
        ({"scaling": NTKAware(2), "rotary_dim": 2}, ValueError,
         "rotary_dim must be above 2"),
    ],
)
def test_wrong_arguments_are_named(wrong, kind, words):
    """The error says which argument, and what would be right."""
    with pytest.raises(kind, match=re.escape(words)):
        dials(**wrong)


def test_columns_are_checked():
    """A picture of three columns would leave a hole."""
    with pytest.raises(ValueError, match="columns must be '1' or '2'"):
        dials().static_svg(columns=3)


@pytest.mark.parametrize("standalone", [2, "no", None])
def test_standalone_is_a_bool(standalone):
    """Two style sheets, or an error without a name, are no help."""
    for draw in (static_svg, dials().static_svg):
        with pytest.raises(TypeError, match="standalone must be True or False"):
            draw(standalone=standalone)


@pytest.mark.parametrize(
    ("m", "n"), [(2**53, 0), (0, -(2**53)), (2**53 - 1, -1), (2**53, 2**53), (1e6, 0.1)]
)
def test_offsets_up_to_the_limit_are_drawn(m, n):
    """The arc is that of the exact offset; a fraction is rounded."""
    arcs = np.angle(np.exp(1j * angles(float(n) - float(m), [1.0])))
    assert f"dial 0 {room._radians(arcs[0])}." in repr(dials(m, n, rotary_dim=2))


def test_the_same_settings_give_the_same_bytes():
    """Also from NumPy numbers, whose repr must not reach the page."""
    plain = dials(m=5, n=-2.5, inv_freq=[0.5, 0.1])._repr_html_()
    rates = np.array([0.5, 0.1])
    again = dials(m=np.int64(5), n=np.float64(-2.5), inv_freq=rates)._repr_html_()
    assert plain == again
    assert not re.search(r"np\.|float64|array\(", plain.split("<script>")[0])


def test_title_holds_the_arcs():
    """The main numbers reach a reader who hears the picture."""
    root = ElementTree.fromstring(static_svg(m=100, n=7))
    arcs = angles(7 - 100, inverse_frequencies(8))
    arcs = np.angle(np.exp(1j * arcs))
    said = re.findall(r"dial \d (−?[\d.]+\d)", root.find(f"{SVG}title").text)
    assert root.get("role") == "img"
    assert [float(s.replace("−", "-")) for s in said] == arcs.round(4).tolist()


def test_ends_of_the_hands_are_where_numpy_puts_them():
    """Counterclockwise from the +x axis; SVG's y points down."""
    root = ElementTree.fromstring(static_svg(m=2, n=-1))
    ends = [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter(f"{SVG}circle")
            if c.get("cx")]
    rates = inverse_frequencies(8)
    hands = [74 * np.exp(1j * 2 * rates), 54 * np.exp(-1j * rates)]
    expected = [(z.real, -z.imag) for pair in zip(*hands, strict=True) for z in pair]
    # The drawing keeps two decimals.
    np.testing.assert_allclose(ends, expected, atol=0.0051)


def test_coordinates_keep_two_decimals():
    """Longer ones differ in their last digit from machine to machine."""
    drawn = re.sub(r"<(title|text).*?</\1>", "", static_svg(m=17, n=0))
    assert re.search(r"\.\d\d", drawn)
    assert not re.search(r"\.\d{3}|-0\.00(?!\d)", drawn)


@pytest.mark.parametrize(("width", "shown"), [(2, 1), (8, 4), (32, 16), (128, 16)])
def test_at_most_sixteen_dials(width, shown):
    """First and last stay, the others are spread evenly."""
    names = re.findall(r">dial (\d+)</text>", dials(rotary_dim=width).static_svg())
    numbers = [int(name) for name in names]
    assert (len(numbers), numbers[0], numbers[-1]) == (shown, 0, width // 2 - 1)
    assert max(np.diff(numbers, prepend=-1)) <= -(-width // 2 // shown) + 1


def test_layout_names_the_coordinates():
    """The same dial turns another pair in the other layout."""
    assert "(2, 3)" in dials().static_svg()
    assert "(1, 5)" in dials(layout="half").static_svg()


def test_attributes_carry_the_state():
    """Floats are written in full, whole ones without their point."""
    html = dials(m=1e6, n=0.1, base=500000, rotary_dim=64)._repr_html_()
    names = ("id", "m", "n", "rotary-dim", "base", "layout")
    assert [attribute(html, name) for name in names] == [
        "dials", "1000000", "0.1", "64", "500000", "interleaved"]
    assert re.search(r"<clock-dials[^>]* compact>", html) is None
    assert re.search(r"<clock-dials[^>]* compact>", dials(compact=True)._repr_html_())


def test_presets_are_those_of_the_table_without_scaling():
    """The element knows width and base alone; the others would be wrong."""
    table = json.loads(
        (SCRIPT.parents[1] / "data" / "presets.json").read_text("utf-8"))
    plain = [row for row in table if "rope_parameters" not in row]
    offered = json.loads(attribute(dials()._repr_html_(), "presets"))
    assert 0 < len(offered) == len(plain) < len(table)
    for row, whole in zip(offered, plain, strict=True):
        assert row.items() <= whole.items()
        assert {"name", "rotary_dim", "base", "layout", "source"} <= row.keys()
    assert attribute(dials(presets=False)._repr_html_(), "presets") is None


def test_given_rates_replace_width_and_presets():
    """A scaling method decides the rates; a preset would undo it."""
    board = dials(inv_freq=[1.0, 0.05, 0.0], rotary_dim=64)
    html = board._repr_html_()
    assert board.rotary_dim == 6
    assert json.loads(attribute(html, "inv-freq")) == [1.0, 0.05, 0.0]
    assert attribute(html, "presets") is None
    assert ">∞</text>" in html


@pytest.mark.parametrize("scaling", [None, Default()])
def test_script_is_inline_once_and_cannot_end_early(scaling):
    """The parser stops at the first end tag, wherever it stands."""
    html, script = dials(scaling=scaling)._repr_html_(), SCRIPT.read_text("utf-8")
    methods = METHODS.read_text("utf-8")
    assert html.count("<script>") == html.count("</script") == 1 + bool(scaling)
    assert script in html
    assert (methods in html) == (scaling is not None)
    assert len(script.encode()) <= BUDGET
    assert len(methods.encode()) <= METHODS_BUDGET
    assert not re.search(r"<!--|https?:|import\s*\(|fetch\(", script + methods)


def test_a_method_changes_the_picture():
    """Linear(8) at 800 is the plain board at 100, in the drawing as in words."""
    scaled = dials(m=800, n=-16, scaling=Linear(8))
    plain = dials(m=100, n=-2)
    lines = [board.static_svg().split("<path", 1)[1] for board in (scaled, plain)]
    drawn = [re.findall(r' (?:d|cx|cy)="[^"]*"', text) for text in lines]
    assert drawn[0] == drawn[1]
    assert repr(scaled).startswith("Clock dials, Linear, query at m = 800,")


@pytest.mark.parametrize(
    ("m", "n", "length"),
    [(99, 0, 100), (0, 99.5, 100), (9, -3, 10), (-5, -9, 1), (2**53, 2**53, 2**53)],
)
def test_the_text_reaches_to_the_later_position(m, n, length):
    """What depends on the length takes the largest position plus 1."""
    method = DynamicNTK(2, 10)
    wanted = method.table(8, 10000.0, length).inv_freq
    board = dials(m=m, n=n, scaling=method)
    np.testing.assert_array_equal(room._rates(board), wanted)


def test_a_method_goes_to_the_element_with_its_settings():
    """Under their Python names; what is not set is left out."""
    html = dials(scaling=YaRN(4, 512, truncate=False))._repr_html_()
    assert json.loads(attribute(html, "scaling")) == {
        "method": "YaRN", "factor": 4.0, "original_length": 512, "beta_fast": 32.0,
        "beta_slow": 1.0, "truncate": False}
    assert attribute(dials()._repr_html_(), "scaling") is None


def test_with_methods_all_models_are_offered():
    """Each with the settings of its method, or with none."""
    offered = json.loads(attribute(dials(scaling=Default())._repr_html_(), "presets"))
    known = presets()
    assert [row["name"] for row in offered] == list(known)
    for row in offered:
        method = known[row["name"]].scaling
        assert row.get("method", "Default") == type(method).__name__
        assert row.get("factor") == getattr(method, "factor", None)


def test_only_a_file_of_its_own_brings_colors():
    """Inline, a style element would color every SVG of the page."""
    assert "<style>" in static_svg()
    assert "<style>" not in dials()._repr_html_().split("<script>")[0]


def test_colors_are_those_of_the_book():
    """Python, JavaScript and the style sheet agree."""
    pytest.importorskip("matplotlib")
    from rope_edu.figures.style import COLORS, DIALS

    assert (room.QUERY, room.KEY, room.ARCS) == (COLORS["q"], COLORS["k"], DIALS)
    script = SCRIPT.read_text("utf-8")
    assert json.dumps(list(DIALS)) in script
    assert f".q {{ --c: {COLORS['q']} }} .k {{ --c: {COLORS['k']} }}" in script


def test_no_text_can_leave_its_attribute():
    """The names and sources of the table are data, not markup."""
    text = "it's <b>bold</b> & 'free'"
    assert not set("'<>") & set(room._quoted(text))
    assert unescape(room._quoted(text)) == text


def test_the_picture_of_the_front_page_is_drawn_by_this_room():
    """It stands in the README, where no script runs."""
    path = Path(__file__).parents[1] / "book" / "_static" / "dials.svg"
    assert path.read_text("utf-8").strip() == static_svg(m=3, n=0)
