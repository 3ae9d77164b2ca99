"""A real model with rotary embeddings, read from a GGUF file.

`load` finds the file that ``requirements-model.txt`` installs, a quantized
SmolLM2-135M-Instruct, or takes the path of another Llama-like one.
`Llama` runs it with `rope_edu.rotary.apply_rotary`, in float32 on the CPU,
with any rates, layout and positions that you ask for. `Llama.random` makes a
tiny one with random weights, which needs no file.

The model is by the Hugging Face team (HuggingFaceTB, Apache-2.0), the
quantization by QuantFactory, the Python package that carries it by Simon
Willison.
"""

from rope_edu.pretrained.gguf_file import find, load, vocabulary
from rope_edu.pretrained.llama import Cache, Config, Llama
from rope_edu.pretrained.text import decode, prompts, sample

__all__ = [
    "Cache",
    "Config",
    "Llama",
    "decode",
    "find",
    "load",
    "prompts",
    "sample",
    "vocabulary",
]
