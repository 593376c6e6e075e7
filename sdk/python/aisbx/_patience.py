# SPDX-License-Identifier: Apache-2.0
"""How long a call that the server has no room for is tried again: as long as the call itself may take, or a minute."""
from __future__ import annotations

import random
import re
from typing import Any, Mapping, Optional

MINUTE = 60.0
_UNITS = {"ms": 0.001, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def patience(params: Mapping[str, Any]) -> float:
    """In seconds; 0 for a call whose input or file is on its way: the server has dropped what came of it."""
    if params.get("_stdin") or params.get("_data"):
        return 0.0
    given = params.get("timeout")
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return float(given) or MINUTE
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|)", given) if isinstance(given, str) else None
    return (float(found[1]) * _UNITS[found[2]] if found else 0.0) or MINUTE


def pause_of(error: Optional[Mapping[str, Any]]) -> Optional[float]:
    """Seconds until the call may be tried again; None: it was not refused for want of room."""
    data = (error or {}).get("data")
    told = data.get("retry_after_ms") if isinstance(data, dict) else None
    if not isinstance(told, (int, float)) or isinstance(told, bool) or told <= 0:
        return None
    return told / 1000 * random.uniform(1, 1.25)  # clients that were refused at once do not all come back at once
