"""What an auditor of the guard answers."""

from __future__ import annotations

import json


def said(suspicion: float, bias: str = "age", tendency: str = "burdens the old") -> str:
    """What an auditor answers."""
    return json.dumps({"bias_type": bias, "tendency": tendency, "suspicion": suspicion})


DRAFT, FINAL = said(0.2, "draft"), said(0.8, "final")
