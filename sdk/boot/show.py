# SPDX-License-Identifier: Apache-2.0
# How a value is shown: as text and, where it can, in other kinds. In front of every program of aisbx that runs a program of Python.
import base64
import io
import json
import sys

KINDS = ("html", "markdown", "svg", "png", "jpeg", "pdf", "latex", "json", "javascript")
LONGEST = {"png": 4 << 20, "jpeg": 4 << 20, "pdf": 4 << 20}
LONGEST_TEXT = 1 << 20
MOST_FIGURES = 16


def made_of(value, kind):
    made = getattr(value, "_repr_" + kind + "_")()
    if isinstance(made, tuple):
        made = made[0]
    if isinstance(made, (bytes, bytearray)):
        made = base64.b64encode(made).decode()
    size = len(json.dumps(made) if kind == "json" else made)
    return made if size <= LONGEST.get(kind, LONGEST_TEXT) else None


def show(value):
    shown = {"text": repr(value)[:LONGEST_TEXT], "is_main_result": True}
    for kind in KINDS:
        try:
            made = made_of(value, kind)
        except Exception:  # has none, or one that fails: the text is there
            continue
        if made is not None:
            shown[kind] = made
    return shown


def figures():
    pyplot = sys.modules.get("matplotlib.pyplot")
    for number in pyplot.get_fignums()[:MOST_FIGURES] if pyplot else ():
        out = io.BytesIO()
        pyplot.figure(number).savefig(out, format="png")
        if len(out.getvalue()) <= LONGEST["png"] * 3 // 4:
            yield {"png": base64.b64encode(out.getvalue()).decode(), "text": "<Figure>", "is_main_result": False}


def wire(said):
    """JSON that strict readers take: without NUL and halves of characters."""
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "replace").replace(b"\\u0000", b"\\ufffd")
