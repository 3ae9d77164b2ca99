"""How long a rotation takes on a GPU, beside a copy of the same tensors.

Queries and keys are rotated together: the Triton kernel, eager and compiled
torch code, and the kernels of other packages where they are installed. Each
is set beside a copy on the device, whose bandwidth is the limit. The numbers
and the machine they were measured on go into ``gpu.json`` and ``gpu.md`` in
the folder given by ``--out``. Without a GPU the script says so and ends.

Tensors below the size of the second-level cache stay in it from one call to
the next, for the copy as for the rest.
"""

import argparse
import itertools
import json
import sys
from pathlib import Path

import torch

from rope_edu.kernels import rotate_pair
from rope_edu.rotary import RotaryEmbedding, apply_rotary
from rope_edu.timing import FEWEST_ROUNDS, compare

TOKENS = (1, 16, 256, 4096, 32768, 131072)
HEADS, KEY_HEADS = (8, 32), 8
HEAD_DIMS = (64, 128, 256)
DTYPES = (torch.float32, torch.bfloat16)
# Largest error against our eager code that still is the same rotation.
TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 0.1}


def rotate_both(q, k, cos, sin, layout):
    """Rotate queries and keys with torch operators."""
    return tuple(apply_rotary(x, cos, sin, layout) for x in (q, k))


COMPILED = torch.compile(rotate_both, fullgraph=True, dynamic=True)


def ours(q, k, tables):
    """Return our rotations in both layouts."""
    turns = {
        "kernel": rotate_pair, "eager": rotate_both, "compiled": COMPILED,
    }
    return {
        f"rope_edu, {layout}, {name}": (
            lambda turn=turn, layout=layout: turn(q, k, *tables, layout)
        )
        for layout in ("half", "interleaved")
        for name, turn in turns.items()
    }


def transformers(q, k, tables):
    """Return the rotation of Hugging Face's Llama, in the dtype of `q`."""
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb

    wide = [torch.cat([table, table], -1)[None] for table in tables]
    wide = [table.to(q.dtype) for table in wide]
    return lambda: apply_rotary_pos_emb(q, k, *wide)


def flash_attention(q, k, tables):
    """Return the kernel of flash-attn, whose heads follow the sequence."""
    from flash_attn.layers.rotary import apply_rotary_emb

    theirs = [x.transpose(1, 2).contiguous() for x in (q, k)]
    tables = [table.to(q.dtype) for table in tables]
    return lambda: tuple(
        apply_rotary_emb(x, *tables).transpose(1, 2) for x in theirs
    )


def liger(q, k, tables):
    """Return the kernel of liger-kernel, which writes over its arguments."""
    from liger_kernel.transformers.rope import liger_rotary_pos_emb

    wide = [torch.cat([table, table], -1)[None] for table in tables]
    wide, fresh = [table.to(q.dtype) for table in wide], [q.clone(), k.clone()]
    return lambda: liger_rotary_pos_emb(*fresh, *wide)


LIBRARIES = {
    "transformers, half": transformers,
    "flash-attn, half": flash_attention,
    "liger-kernel, half, in place": liger,
}


def same(turned, expected, dtype):
    """Tell whether two results are one rotation."""
    pairs = zip(turned, expected)
    apart = max((a - b).abs().max().item() for a, b in pairs)
    return apart <= TOLERANCE[dtype]


def candidates(q, k, tables):
    """Return all that can be imported and turn `q` and `k` as we do."""
    found = ours(q, k, tables)
    for name, turn in found.items():
        layout = "half" if "half" in name else "interleaved"
        expected = rotate_both(q, k, *tables, layout)
        assert same(turn(), expected, q.dtype), name
    expected = rotate_both(q, k, *tables, "half")
    for name, make in LIBRARIES.items():
        try:
            turn = make(q, k, tables)
            fits = same(turn(), expected, q.dtype)
        except Exception as error:  # what an import may raise is theirs
            print(f"{name}: left out, {error!r:.200}", file=sys.stderr)
            continue
        if fits:
            found[name] = turn
        else:
            print(f"{name}: left out, another rotation", file=sys.stderr)
    return found


def measure(tokens, heads, head_dim, dtype, options):
    """Compare everything at one size."""
    kind = {"device": options.device, "dtype": dtype}
    q = torch.randn(1, heads, tokens, head_dim, **kind)
    k = torch.randn(1, KEY_HEADS, tokens, head_dim, **kind)
    ids = torch.arange(tokens, device=options.device)
    tables = RotaryEmbedding.from_base(head_dim).table(ids)
    copies = {"copy": lambda: (q.clone(), k.clone())}
    moved = 2 * (q.numel() + k.numel()) * q.element_size()
    cuda = options.device == "cuda"
    return compare(
        copies | candidates(q, k, tables), options.rounds, moved=moved,
        least=2e-3, synchronize=torch.cuda.synchronize if cuda else None,
    )


def fits(tokens, heads, head_dim, dtype, device):
    """Tell whether the tensors and what eager code makes of them fit."""
    if device != "cuda":
        return True
    free, _ = torch.cuda.mem_get_info()
    # q, k, results and some copies in float32
    return 10 * tokens * (heads + KEY_HEADS) * head_dim * 4 < free


def share(result):
    """Return the kernel's time as a share of the copy's, by layout."""
    rows = {row["name"]: row for row in result.rows()}
    return ", ".join(
        f"{layout} {100 / rows[f'rope_edu, {layout}, kernel']['ratio']:.0f} %"
        for layout in ("half", "interleaved")
    )


def arguments():
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("."))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--tokens", type=int, nargs="+", default=TOKENS)
    parser.add_argument("--head-dims", type=int, nargs="+", default=HEAD_DIMS)
    parser.add_argument(
        "--device", choices=("cuda", "cpu"), default="cuda",
        help="cpu: to try the script, with few tokens",
    )
    options = parser.parse_args()
    if options.rounds < FEWEST_ROUNDS:
        parser.error(f"--rounds must be at least {FEWEST_ROUNDS}")
    if min(options.tokens) < 1:
        parser.error("--tokens must be positive")
    if any(width < 2 or width % 2 for width in options.head_dims):
        parser.error("--head-dims must be even and positive")
    if options.out.exists() and not options.out.is_dir():
        parser.error(f"--out must be a folder, got {options.out}")
    return options


def sheet(kept):
    """Return the Markdown of all tables."""
    stamp = (f"{k}: {v}" for k, v in kept[0][1].environment.items())
    lines = ["# Rotation on a GPU", "", "; ".join(stamp)]
    for title, result in kept:
        lines += ["", f"## {title}", "", result.markdown()]
        lines += ["", f"Kernel's share of the copy's speed: {share(result)}."]
    return "\n".join(lines) + "\n"


def main():
    """Measure all sizes and write the sheet."""
    options = arguments()
    if options.device == "cuda" and not torch.cuda.is_available():
        print("No GPU here: PyTorch finds no CUDA device. Nothing measured.")
        return
    torch._dynamo.config.recompile_limit = 64  # all sizes in one process
    kept = []
    sizes = (DTYPES, options.head_dims, HEADS, options.tokens)
    for dtype, head_dim, heads, tokens in itertools.product(*sizes):
        name = str(dtype).removeprefix("torch.")
        title = f"{name}, D = {head_dim}, H = {heads}, {tokens} tokens"
        if not fits(tokens, heads, head_dim, dtype, options.device):
            print(f"{title}: left out, memory", file=sys.stderr)
            continue
        result = measure(tokens, heads, head_dim, dtype, options)
        kept.append((title, result))
        print(f"{title}: kernel at {share(result)} of the copy", flush=True)
    data = [
        {
            "title": title, "clock": "perf_counter",
            "rounds": options.rounds, "environment": result.environment,
            "noise": result.noise, "rows": result.rows(),
        }
        for title, result in kept
    ]
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "gpu.json").write_text(json.dumps(data, indent=1) + "\n")
    (options.out / "gpu.md").write_text(sheet(kept), "utf-8")


if __name__ == "__main__":
    main()
