"""The small experiments behind the chapters: tasks, training, results.

Each one is seeded, runs on one thread of the CPU, and is the same bit by bit
on one machine. `run` runs one, or a part of it; `load` reads what ``python -m
rope_edu.experiments NAME`` has stored for all seeds. Importing this room
loads torch.

>>> print(*RUNS)
order learning placement extrapolation rescaling base ...
"""

from rope_edu.experiments.layout import permuted
from rope_edu.experiments.lengths import held_out, text_model, windowed
from rope_edu.experiments.models import build, by_place, rescaled, with_rope
from rope_edu.experiments.runs import (
    RUNS,
    Result,
    Spread,
    load,
    run,
    run_slice,
    save,
)
from rope_edu.experiments.tasks import (
    Batch,
    CopyBack,
    Needle,
    Order,
    Recall,
    Text,
    unseen,
)
from rope_edu.experiments.text import as_text, as_tokens, load_text
from rope_edu.experiments.training import (
    Score,
    loss_curve,
    moved,
    reproducible,
    score,
    train,
)

__all__ = [
    "RUNS",
    "Batch",
    "CopyBack",
    "Needle",
    "Order",
    "Recall",
    "Result",
    "Score",
    "Spread",
    "Text",
    "as_text",
    "as_tokens",
    "build",
    "by_place",
    "held_out",
    "load",
    "load_text",
    "loss_curve",
    "moved",
    "permuted",
    "rescaled",
    "reproducible",
    "run",
    "run_slice",
    "save",
    "score",
    "text_model",
    "train",
    "unseen",
    "windowed",
    "with_rope",
]
