# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of cases.json with the Python SDK: README.md says what they mean."""
import asyncio
import base64
import datetime
import inspect
import json
import os
import pathlib
import re
import time
import uuid

import pace
import aisbx

CASES = json.loads((pathlib.Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))["cases"]
TYPES = {"text": str, "number": (int, float), "boolean": bool, "list": list, "bytes": bytes, "null": type(None), "time": datetime.datetime}


def member(value, name):
    if isinstance(value, dict):
        return value[name]
    return value[int(name)] if isinstance(value, (list, tuple)) else getattr(value, name)


def brief(value):
    text = repr(value)
    return text if len(text) < 1000 else f"{text[:1000]}... ({len(text)} characters)"


class Mismatch(AssertionError):
    pass


def need(truth, path, value, want):
    if not truth:
        raise Mismatch(f"{path or 'result'} is {brief(value)}, and should be {brief(want)}")


def holds(value, want):
    try:
        match(value, want)
        return True
    except Mismatch:
        return False


OPERATORS = {
    "$contains": lambda v, w: w in v if isinstance(v, str) else any(holds(one, w) for one in v),
    "$matches": lambda v, w: isinstance(v, str) and re.search(w, v),
    "$gt": lambda v, w: v > w,
    "$lt": lambda v, w: v < w,
    "$len": lambda v, w: holds(len(v), w),
    "$each": lambda v, w: all(holds(one, w) for one in v),
    "$not": lambda v, w: not holds(v, w),
    "$type": lambda v, w: isinstance(v, TYPES[w]) and (w == "boolean" or not isinstance(v, bool)),
    "$all": lambda v, w: all(holds(v, one) for one in w),
    "$bytes": lambda v, w: v == base64.b64decode(w),
}


def match(value, want, path=""):
    if isinstance(want, dict):
        for key, inner in want.items():
            if key.startswith("$"):
                need(OPERATORS[key](value, inner), path, value, want)
            else:
                need(isinstance(value, dict) and key in value or hasattr(value, key), f"{path}.{key}", value, inner)
                match(member(value, key), inner, f"{path}.{key}")
    elif isinstance(want, list):
        need(isinstance(value, (list, tuple)) and len(value) == len(want), path, value, want)
        for i, (one, inner) in enumerate(zip(value, want)):
            match(one, inner, f"{path}[{i}]")
    else:
        need(value == want and isinstance(value, bool) == isinstance(want, bool), path, value, want)


class Runner:
    """One case, with what it has saved. FLEET: what says where sandboxes are made and found; the project is then not the case's own."""

    def __init__(self, kind, project, fleet=None):
        self.fleet = fleet or {}
        self.kind = kind
        self.project = pathlib.Path(project)
        self.saved = {"project": str(project), "unique": uuid.uuid4().hex[:8], "Sandbox": kind}
        self.made = []

    def find(self, path):
        name, *rest = path.split(".")
        value = self.saved[name]
        for part in rest:
            value = member(value, part)
        return value

    def fill(self, value):
        """VALUE with what was saved in its place."""
        if isinstance(value, str):
            if re.fullmatch(r"\$[a-z_]\w*(\.\w+)*", value):
                return self.find(value[1:])
            return re.sub(r"\$\{([\w.]+)\}", lambda m: str(self.find(m[1])), value)
        if isinstance(value, list):
            return [self.fill(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "$into" in value:
            return self.saved.setdefault(value["$into"], []).append
        if "$bytes" in value:
            return base64.b64decode(value["$bytes"])
        if "$repeat" in value:
            return value["$repeat"][0] * value["$repeat"][1]
        return {key: self.fill(one) for key, one in value.items()}

    async def run(self, case):
        for path, text in case.get("project", {}).items():
            self.host_write(path, text)
        try:
            for number, step in enumerate(case["steps"], 1):
                try:
                    await self.step(step)
                except Mismatch as e:
                    raise AssertionError(f"step {number}, {step['do']}: {e}") from e
        finally:
            for one in self.made:
                await settle(one.kill())

    async def step(self, step):
        raises = step.get("raises")
        try:
            value = await self.do(step["do"], step.get("args", {}))
        except aisbx.AisbxError as e:
            if not raises or type(e) is not getattr(aisbx, raises["class"]):
                raise
            match(e, self.fill_matcher(raises.get("fields", {})))
            return
        if raises:
            raise Mismatch(f"no {raises['class']}, but {brief(value)}")
        if "as" in step:
            self.saved[step["as"]] = value
        if "expect" in step:
            match(value, self.fill_matcher(step["expect"]))

    def fill_matcher(self, want):
        if isinstance(want, dict):
            return {key: self.fill_matcher(one) for key, one in want.items()}
        return [self.fill_matcher(one) for one in want] if isinstance(want, list) else self.fill(want)

    async def do(self, what, args):
        own = getattr(self, what.replace("host.", "host_"), None) if what in OWN else None
        if what == "until":
            return await self.until(**args)
        given = self.fill(args)
        if own:
            return await settle(own(**given))
        if what == "Sandbox.create" and not self.fleet:
            given.setdefault("project", str(self.project))
        if what in ("Sandbox.create", "Sandbox.connect", "Sandbox.list"):
            given.update(self.fleet)
        value = await settle(self.find(what)(**given))
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, self.kind):
                self.made.append(one)
        return value

    # ---- steps of the runner ----

    def host_read(self, path):
        return (self.project / path).read_text(encoding="utf-8")

    def host_write(self, path, text):
        (self.project / path).parent.mkdir(parents=True, exist_ok=True)
        (self.project / path).write_text(text, encoding="utf-8")

    def host_exists(self, path):
        return os.path.lexists(self.project / path)

    def get(self, value):
        return value

    def join(self, values):
        return "".join(values)

    async def iterate(self, over):
        return [one async for one in over] if hasattr(over, "__aiter__") else list(over)

    async def until(self, do, expect, args=None):
        end = pace.Deadline(60)
        while True:
            value = await self.do(do, args or {})
            if holds(value, self.fill_matcher(expect)):
                return value
            if end.is_over():
                raise Mismatch(f"for a minute {do} gave {brief(value)}, not {expect!r}")
            await asyncio.sleep(0.01)  # a handler may have to run meanwhile


OWN = {"host.read", "host.write", "host.exists", "get", "join", "iterate"}


async def settle(value):
    """The same for both kinds of sandbox: what can be awaited is."""
    return await value if inspect.isawaitable(value) else value
