"""Make the stored data of SmolLM2: tokens of a text, and logits to compare.

It runs by itself, in an environment with transformers 5.24, accelerate,
gguf 0.19, tokenizers and torch, which the project does not need otherwise:

    python tools/smollm_data.py tokens mansfieldpark.txt MODEL.gguf
    python tools/smollm_data.py logits MODEL.gguf

The first writes rope_edu/data/smollm_text.json. The novel is that of the R
package janeaustenr 1.0.0, a file with one line of the printed text in each
line. The second writes tests/data/smollm_logits.json: what transformers'
reading of the file gives, none of our code being in use.
"""

import argparse
import json
import re
from base64 import b64decode, b64encode
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
TEXT = ROOT / "rope_edu" / "data" / "smollm_text.json"
LOGITS = ROOT / "tests" / "data" / "smollm_logits.json"
COUNT = 16384
PROMPTS = (
    "The cat chases the mouse",
    "The capital of France is",
    "Once upon a time, there was a",
    "To make a cup of tea, you first",
)
# Tokens of the text, and where logits are kept: at the first place, at the
# last one, and some between.
LENGTH, PLACES, BEST = 512, (0, 1, 7, 63, 255, 510), 8
SOME = 64  # logits kept at each place, spread over the vocabulary


def tokenizer(path):
    """Build the tokenizer that the file describes."""
    from gguf import GGUFReader
    from tokenizers import Tokenizer, models, pre_tokenizers

    reader = GGUFReader(path)
    words = reader.get_field("tokenizer.ggml.tokens").contents()
    merges = reader.get_field("tokenizer.ggml.merges").contents()
    vocabulary = {word: i for i, word in enumerate(words)}
    pairs = [tuple(merge.split(" ")) for merge in merges]
    result = Tokenizer(models.BPE(vocabulary, pairs))
    # What the kind "smollm" means: single digits, then the rule of GPT-2.
    result.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
    ])
    return result


def paragraphs(text):
    """Return the text from chapter I on, one paragraph in each line."""
    text = text[text.index("CHAPTER I\n"):]
    blocks = re.split(r"\n{2,}", text.strip())
    return "\n\n".join(" ".join(block.split()) for block in blocks)


def write(path, content):
    """Write a JSON file, each list of numbers in one line, and say so."""
    text = json.dumps(content, indent=1)
    text = re.sub(r"\[[^][]*\]", lambda match: " ".join(match[0].split()), text)
    path.write_text(text + "\n", "utf-8")
    print(path.relative_to(ROOT), path.stat().st_size)


def tokens(text_path, model_path):
    """Store the first tokens of a text, and those of the prompts."""
    encode = tokenizer(model_path).encode
    text = paragraphs(Path(text_path).read_text("utf-8"))
    ids = np.array(encode(text).ids[:COUNT], dtype="<u2")
    write(TEXT, {
        "title": "Mansfield Park, beginning with chapter I",
        "author": "Jane Austen (1775-1817)",
        "year": 1814,
        "license": "public domain",
        "source": "Project Gutenberg, as in the R package janeaustenr 1.0.0;"
        " line breaks within paragraphs made spaces",
        "tokenizer": "SmolLM2-135M-Instruct, vocabulary of 49152",
        "format": "base64 of little-endian unsigned 16-bit integers",
        "prompts": {prompt: encode(prompt).ids for prompt in PROMPTS},
        "tokens": b64encode(ids.tobytes()).decode("ascii"),
    })


def logits(model_path):
    """Store losses and some logits that transformers computes."""
    import torch
    import transformers

    path = Path(model_path)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32
    )
    stored = json.loads(TEXT.read_text("utf-8"))["tokens"]
    ids = np.frombuffer(b64decode(stored), dtype="<u2")[:LENGTH]
    ids = torch.from_numpy(ids.astype(np.int64))[None]
    with torch.no_grad():
        out = model(ids).logits[0].double()
    losses = torch.nn.functional.cross_entropy(
        out[:-1], ids[0, 1:], reduction="none"
    )
    some = torch.linspace(0, out.shape[-1] - 1, SOME).long()
    write(LOGITS, {
        "made_by": f"transformers {transformers.__version__}, torch"
        f" {torch.__version__.split('+')[0]}, {path.name}",
        "length": LENGTH,
        "loss": float(losses.mean()),
        "losses": [round(x, 5) for x in losses.tolist()],
        "places": PLACES,
        "best": [out[i].topk(BEST).indices.tolist() for i in PLACES],
        "columns": some.tolist(),
        "logits": [[round(x, 5) for x in out[i, some].tolist()] for i in PLACES],
    })


def main():
    """Read the command line and make one of the files."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["tokens", "logits"])
    parser.add_argument("paths", nargs="+", help="as in the first lines")
    arguments = parser.parse_args()
    {"tokens": tokens, "logits": logits}[arguments.what](*arguments.paths)


if __name__ == "__main__":
    main()
