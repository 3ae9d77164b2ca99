"""The court: what people say about RoPE, and what came of testing it.

``CLAIMS`` holds every claim by its name, one module for each topic.  The
statements come from three introductions to RoPE and from a list of common
mistakes; statements that say the same are one claim.  `page` shows them.

>>> CLAIMS["equal-steps"].verdict
'true'
"""

from __future__ import annotations

from . import (
    derivation, dimensions, distance, encodings, length, order, practice)
from .core import IDS, TOPICS, VERDICTS, Claim, counts, merged

__all__ = ["CLAIMS", "IDS", "TOPICS", "VERDICTS", "Claim", "counts"]

CLAIMS = merged(*(room.CLAIMS for room in (
    order, encodings, derivation, dimensions, distance, length, practice)))
