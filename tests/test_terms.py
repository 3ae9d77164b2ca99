"""One spelling for each of the field's terms, in prose and docstrings."""

import ast
import re

import pytest
from book import NOTEBOOKS, ROOT

# How the book writes a term, and what of it is a slip.
TERMS = {
    "ALiBi": r"Alibi|ALIBI|AliBi|alibi",
    "bfloat16": r"BFloat16|bFloat16|Bfloat16",
    "block-diagonal": r"block diagonal|blockdiagonal",
    "checkpoint": r"check-point",
    "color": r"colour\w*",
    "counterclockwise": r"anti-?clockwise|counter-clockwise",
    "counterexample": r"counter-example\w*|counter example\w*",
    "elementwise": r"element-wise|element wise",
    "feed-forward": r"feedforward|feed forward",
    "fine-tuning": r"finetun\w+|fine tun\w+",
    "GitHub": r"Github|github",
    "half-split": r"half split|split-half|split half",
    "Hugging Face": r"HuggingFace|Huggingface|Hugging face",
    "Jupyter": r"jupyter",
    "key-value cache": r"KV-cache|kv cache|kv-cache|K/V cache",
    "labeled": r"labell\w+|modell(?:ed|ing)|cancelled|travell\w+",
    "language, American": r"behaviour\w*|neighbour\w*|centre\w*|favour\w*"
    r"|grey|licence\w*|whilst|towards|learnt|catalogue\w*|analys(?:e|ed|ing)"
    r"|\w*(?:normalis|initialis|optimis|generalis|tokenis|quantis)\w+",
    "Llama": r"LLama|LLAMA|llama",
    "low-rank": r"low rank adapt\w+",
    "nonzero": r"non-zero|non zero",
    "NTK-aware": r"NTK aware|ntk-aware|NTK-Aware",
    "NumPy": r"Numpy|numpy|NUMPY",
    "pretrained": r"pre-train\w*|pre train\w*",
    "PyTorch": r"Pytorch|pytorch|PYTORCH",
    "Python": r"python(?! -m)",
    "RoPE": r"Rope|ROPE|rope|RoPe",
    "RoFormer": r"Roformer|RoFORMER|roformer",
    "rotary position embedding": r"rotary positional embedding\w*",
    "softmax": r"soft-max|SoftMax",
    "SymPy": r"Sympy|sympy|SYMPY",
    "Transformer": r"transformer",
    "wavelength": r"wave-length|wave length",
    "YaRN": r"Yarn|YARN|yarn|YARn",
}
# What is no prose: code, formulas, roles, addresses, names of files.
SKIPPED = [
    re.compile(r"^(`{3,})(?!\{(?:exer|solu|prf|admo)).*?^\1", re.M | re.S),
    re.compile(r"\$\$.+?\$\$", re.S),
    re.compile(r"(?<!`)(`{1,2})(?!`).+?(?<!`)\1(?!`)", re.S),
    re.compile(r"\$[^$]+\$"),
    re.compile(r"\]\([^)]*\)"),
    re.compile(r"https?:\S+"),
    re.compile(r"<[^>]+>"),
    re.compile(r"\{[\w:-]+\}"),
    re.compile(r"(?<=::\n\n)(?: {4}.*\n?)+", re.M),  # an indented example
    re.compile(r"^(?:>>>|\.\.\.).*$", re.M),
    re.compile(r"^\*{0,2}\w[\w, *]* : .*$|^\w+(?:, \w+)+$", re.M),  # parameters
    re.compile(r'"[a-z][\w, +-]*"'),
    re.compile(r"\b\w+(?:[./]\w+)+"),  # a dotted name, a path
]


def words(text):
    """Return the prose of some Markdown or of a docstring."""
    for pattern in SKIPPED:
        text = pattern.sub(" ", text)
    return text


def slips(text):
    """Return (what is written, what the book writes) for each slip in prose."""
    return [
        (found[0], term)
        for term, wrong in TERMS.items()
        for found in re.finditer(rf"(?<![\w-])(?:{wrong})(?![\w_-])", words(text))
    ]


def pages():
    """Return the prose of each file that a reader sees, by its name."""
    found = {x.path.name: x.prose for x in NOTEBOOKS}
    others = [*(ROOT / "book").glob("*.md"), *ROOT.glob("*.md")]
    return found | {path.name: path.read_text("utf-8") for path in others}


def docstrings(path):
    """Return the docstrings of a module, without their examples."""
    tree = ast.parse(path.read_text("utf-8"))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)]
    texts = [ast.get_docstring(node) or "" for node in nodes]
    return "\n\n".join(text.split("Examples\n---")[0] for text in texts)


@pytest.mark.parametrize("name, text", pages().items(), ids=pages())
def test_terms_are_spelled_alike(name, text):
    """Two spellings look like two things to whoever is new to them."""
    assert slips(text) == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "rope_edu").rglob("*.py")), ids=lambda path: path.stem
)
def test_docstrings_spell_alike(path):
    """Docstrings are read beside the pages."""
    assert slips(docstrings(path)) == []


@pytest.mark.parametrize(
    "text, found",
    [
        ("Rope and Yarn", ["Yarn", "Rope"]),
        ("`rope_edu` and $rope$, [x](rope.ipynb), import rope_edu", []),
        ("the colour of a soft-max", ["colour", "soft-max"]),
        ("```{exercise-start} Numpy\n```", ["Numpy"]),
        ("```{code-cell} ipython3\nimport numpy\n```", []),
    ],
)
def test_slips_are_found_in_prose_alone(text, found):
    """Code keeps the names that its libraries have."""
    assert sorted(x for x, _ in slips(text)) == sorted(found)
