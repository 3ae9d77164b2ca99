"""How long a rotation takes on a CPU, beside a copy of the same tensor.

``make bench`` prints the tables as Markdown: the rotation of 16 MiB in eager
and compiled code beside other libraries, as far as they are installed (extra
``[bench]``); how the time grows with the tensor and what the cosines and
sines cost; one layer of a small model, part by part; the NumPy reference as
pairs and as a dense matrix. ``--json FILE`` keeps the numbers with the
machine they were measured on. ``--busy`` is for a machine that others use: it
counts the time of the processor instead of the clock on the wall, and one
thread only.
"""

import argparse
import ctypes
import importlib.metadata
import json
import os
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from rope_edu.frequencies import inverse_frequencies
from rope_edu.reference import rotate_dense, rotate_interleaved
from rope_edu.rotary import RotaryEmbedding, apply_rotary
from rope_edu.timing import FEWEST_ROUNDS, compare

HEADS, HEAD_DIM = 32, 128
# 16 MiB each. Beyond 32 MiB glibc maps fresh pages for every result, and the
# copy takes as long as the rotation.
LENGTHS = {torch.float32: 1024, torch.bfloat16: 2048}
# SmolLM2 135M (litgpt 0.5.13, config.py): query heads, key heads, width of a
# head, width of the feed-forward part.
LAYER = 9, 3, 64, 1536
# Others round their angles to float32, and some their tables to bfloat16;
# what is further from ours than that is another rotation.
TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.1}


def keep_memory():
    """Let glibc use freed memory again: no time goes into fresh pages."""
    threshold, trim = -3, -1
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    mallopt(threshold, 2**30)
    mallopt(trim, 2**31 - 1)


def rotate_half(x):
    """Return the partner of every channel, as most model code does."""
    a, b = x.chunk(2, -1)
    return torch.cat([-b, a], -1)


def textbook(x, cos, sin):
    """Rotate half-split pairs as most model code does."""
    return (x * cos + rotate_half(x) * sin).to(x.dtype)


def as_complex(x, turn):
    """Rotate interleaved pairs as complex numbers, as Llama's code does."""
    z = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(z * turn).flatten(-2).to(x.dtype)


def ours(x, tables):
    """Return our rotations of `x`, eager and compiled, in both layouts."""
    compiled = torch.compile(apply_rotary, fullgraph=True, dynamic=False)
    found = {}
    for layout in ("interleaved", "half"):
        for name, turn in (("eager", apply_rotary), ("compiled", compiled)):
            found[f"rope_edu, {layout}, {name}"] = (
                lambda turn=turn, layout=layout: turn(x, *tables, layout)
            )
    return found


def usual(x, tables):
    """Return what is written by hand elsewhere."""
    wide = [torch.cat([table, table], -1) for table in tables]
    compiled = torch.compile(textbook, fullgraph=True, dynamic=False)
    found = {
        "textbook, half, eager": lambda: textbook(x, *wide),
        "textbook, half, compiled": lambda: compiled(x, *wide),
    }
    turn = torch.complex(*tables)
    return found | {"complex, interleaved, eager": lambda: as_complex(x, turn)}


def transformers(x, tables):
    """Return the rotation of Hugging Face's Llama, in the dtype of `x`."""
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    wide = [torch.cat([table, table], -1)[None] for table in tables]
    wide = [table.to(x.dtype) for table in wide]
    none = x[:, :0]
    return lambda: apply_rotary_pos_emb(x, none, *wide)[0]


def rotary_embedding_torch(x, tables):
    """Return the rotation of lucidrains' package, with exact positions."""
    from rotary_embedding_torch import RotaryEmbedding as Theirs
    from rotary_embedding_torch import apply_rotary_emb

    freqs = Theirs(x.shape[-1])(torch.arange(x.shape[-2]).float())
    return lambda: apply_rotary_emb(freqs, x)


def x_transformers(x, tables):
    """Return the rotation of x-transformers."""
    from x_transformers import x_transformers as theirs

    rope = theirs.RotaryEmbedding(x.shape[-1])
    freqs, _ = rope.forward_from_seq_len(x.shape[-2])
    return lambda: theirs.apply_rotary_pos_emb(x, freqs)


def torchtune(x, tables):
    """Return the rotation of torchtune, whose heads follow the sequence."""
    from torchtune.modules import RotaryPositionalEmbeddings

    rope = RotaryPositionalEmbeddings(x.shape[-1], max_seq_len=x.shape[-2])
    theirs = x.transpose(1, 2).contiguous()
    return lambda: rope(theirs).transpose(1, 2)


LIBRARIES = {
    "transformers, half": transformers,
    "rotary-embedding-torch, interleaved": rotary_embedding_torch,
    "x-transformers, interleaved": x_transformers,
    "torchtune, interleaved": torchtune,
}


def versions():
    """Return the versions of the libraries that are installed."""
    found = {}
    for name in (label.split(",")[0] for label in LIBRARIES):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def distance(turn, name, x, tables):
    """Return how far a rotation of `x` is from ours."""
    layout = "half" if "half" in name else "interleaved"
    return (turn() - apply_rotary(x, *tables, layout)).abs().max().item()


def installed(x, tables):
    """Return the libraries that can be imported and turn as we do."""
    found = {}
    for name, make in LIBRARIES.items():
        try:
            turn = make(x, tables)
            apart = distance(turn, name, x, tables)
        except Exception as error:  # what an import may raise is theirs
            print(f"{name}: left out, {error!r:.200}", file=sys.stderr)
            continue
        if apart <= TOLERANCE[x.dtype]:
            found[name] = turn
        else:
            print(f"{name}: left out, off by {apart:.3g}", file=sys.stderr)
    return found


def rotations(dtype, compare):
    """Compare the rotations of a tensor of 16 MiB with its copy."""
    torch.manual_seed(0)
    length = LENGTHS[dtype]
    x = torch.randn(1, HEADS, length, HEAD_DIM).to(dtype)
    tables = RotaryEmbedding.from_base(HEAD_DIM).table(torch.arange(length))
    candidates = ours(x, tables) | usual(x, tables)
    for name, turn in candidates.items():
        assert distance(turn, name, x, tables) <= TOLERANCE[dtype], name
    candidates |= installed(x, tables)
    moved = 2 * x.numel() * x.element_size()
    return compare({"copy": x.clone} | candidates, moved=moved)


def growth(compare):
    """Compare sizes: eager, half-split, with the table made each time."""
    for heads, length, head_dim in (
        (32, 1, 128), (32, 64, 128), (32, 256, 128), (32, 1024, 128),
        (8, 1024, 128), (1, 1024, 128), (32, 1024, 64), (16, 1024, 256),
    ):
        x = torch.randn(1, heads, length, head_dim)
        rope = RotaryEmbedding.from_base(head_dim, layout="half")
        ids = torch.arange(length)
        tables = rope.table(ids)
        candidates = {
            "copy": x.clone,
            "rotation": lambda: apply_rotary(x, *tables, "half"),
            "cos and sin": lambda: rope.table(ids),
            "both": lambda: rope(x, ids),
        }
        moved = 2 * x.numel() * x.element_size()
        name = f"H = {heads}, S = {length}, D = {head_dim}"
        yield name, compare(candidates, moved=moved)


def feed(x, up, gate, down):
    """Apply a feed-forward part with a gate, as Llama's."""
    wide = functional.silu(functional.linear(x, gate))
    return functional.linear(wide * functional.linear(x, up), down)


def weights(tokens):
    """Return the parts of a layer that multiply by its weights."""
    heads, key_heads, width, inner = LAYER
    full, keys = heads * width, key_heads * width
    x = torch.randn(tokens, full)
    attention = [torch.randn(n, full) for n in (full, keys, keys, full)]
    up, gate, down = torch.randn(3, inner, full) / full
    down = down.T.contiguous()
    return {
        "projections": lambda: [functional.linear(x, w) for w in attention],
        "feed-forward": lambda: feed(x, up, gate, down),
    }


def parts(tokens, context):
    """Return the parts of a layer: `tokens` new ones, `context` in all."""
    heads, key_heads, width, _ = LAYER
    q = torch.randn(1, heads, tokens, width)
    k, v = torch.randn(2, 1, key_heads, context, width)
    new = k[:, :, -tokens:].contiguous()
    ids = torch.arange(context - tokens, context)
    tables = RotaryEmbedding.from_base(width).table(ids)
    return {
        "copy of q and k": lambda: [x.clone() for x in (q, new)],
        "rotation": lambda: [
            apply_rotary(x, *tables, "half") for x in (q, new)
        ],
        "attention": lambda: functional.scaled_dot_product_attention(
            q, k, v, is_causal=tokens > 1, enable_gqa=True
        ),
    } | weights(tokens)


def layer(compare):
    """Compare the parts of a layer: a text at once, and one more token."""
    heads, key_heads, width, _ = LAYER
    for tokens in (1024, 1):
        moved = 2 * 4 * tokens * (heads + key_heads) * width
        yield f"{tokens} of 1024 tokens", compare(
            parts(tokens, 1024), moved=moved
        )


def reference(compare):
    """Compare the forms of the NumPy reference, 256 places, by width."""
    for width in (8, 32, 128):
        x = np.random.default_rng(0).normal(size=(256, width))
        ids, rates = np.arange(256), inverse_frequencies(width)
        wide = np.repeat(ids[:, None] * rates, 2, axis=-1)
        candidates = {
            "copy": x.copy,
            "cos and sin": lambda: (np.cos(wide), np.sin(wide)),
            "pairs": lambda: rotate_interleaved(x, ids, rates),
            "dense matrix": lambda: rotate_dense(x, ids, rates),
        }
        yield f"d = {width}", compare(candidates, moved=2 * x.nbytes)


def sections(compare, threads):
    """Yield a title and a comparison for each table."""
    for dtype in LENGTHS:
        for count in threads:
            torch.set_num_threads(count)
            title = f"16 MiB of {str(dtype).removeprefix('torch.')}"
            title += f", {count} thread{'' if count == 1 else 's'}"
            yield title, rotations(dtype, compare)
            torch.compiler.reset()
    torch.set_num_threads(1)
    for name, result in growth(compare):
        yield f"Growth, 1 thread: {name}", result
    for name, result in layer(compare):
        yield f"One layer, 1 thread: {name}", result
    for name, result in reference(compare):
        yield f"NumPy reference, 256 places: {name}", result


def arguments():
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.rounds < FEWEST_ROUNDS:
        parser.error(f"--rounds must be at least {FEWEST_ROUNDS}")
    if options.json and not options.json.absolute().parent.is_dir():
        parser.error(f"--json must be in a folder that exists: {options.json}")
    return options


def main():
    """Print the tables."""
    options, kept = arguments(), []
    keep_memory()
    clock = time.thread_time if options.busy else time.perf_counter
    most = 1 if options.busy else os.cpu_count() or 1
    threads = sorted({1, min(2, most), most})
    measure = partial(compare, rounds=options.rounds, clock=clock)
    for title, result in sections(measure, threads):
        stamp = result.environment | versions()
        if not kept:
            told = (f"{k}: {v}" for k, v in stamp.items())
            print(f"# Rotation on a CPU\n\n{'; '.join(told)}")
        print(f"\n## {title}\n\n{result.markdown()}", flush=True)
        kept.append({
            "title": title, "clock": clock.__name__,
            "rounds": options.rounds, "environment": stamp,
            "noise": result.noise, "rows": result.rows(),
        })
    if options.json:
        options.json.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
