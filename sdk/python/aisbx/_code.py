# SPDX-License-Identifier: Apache-2.0
"""Programs given as text: what sdk/boot says of them on stderr, taken apart."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional

from .models import CommandResult, Execution, ExecutionError, Logs, Result, command_result, judge


class Unmark:
    """Takes the one line behind the mark out of a stream that comes in pieces of any size."""

    def __init__(self, mark: str) -> None:
        self._mark = "\x1e" + mark
        self._held = ""
        self.said: Optional[str] = None

    def add(self, text: str) -> str:
        """What of it, and of what was held back before, is the program's own."""
        self._held += text
        if self.said is not None:
            return self.rest()
        at = self._held.find(self._mark)
        if at >= 0:
            end = self._held.find("\n", at)
            if end < 0:
                clean, self._held = self._held[:at], self._held[at:]
                return clean
            self.said = self._held[at + len(self._mark): end]
            clean, self._held = self._held[:at] + self._held[end + 1:], ""
            return clean
        at = self._held.rfind("\x1e")
        if at < 0 or not self._mark.startswith(self._held[at:]):
            at = len(self._held)
        clean, self._held = self._held[:at], self._held[at:]
        return clean

    def rest(self) -> str:
        """The end has come: what was held back is the program's own."""
        rest, self._held = self._held, ""
        return rest


def _results(told: Any) -> List[Result]:
    names = Result.__dataclass_fields__
    return [Result(**{k: v for k, v in r.items() if k in names}) for r in told or []]


def context_execution(raw: Mapping[str, Any], what: str) -> Execution:
    """Of a program in a context: RAW is the result of run.code."""
    ended = judge(command_result({**raw, "error": None} if raw.get("context_ended") else raw), what, False)
    logs = Logs([text for text in (raw.get("stdout"),) if text], [text for text in (raw.get("stderr"),) if text])
    found = raw.get("exception")
    error = ExecutionError(found.get("name") or "Exit", found.get("message") or "", found.get("traceback") or "") if found else None
    if not error and raw.get("context_ended"):
        error = ExecutionError("ContextEnded", raw.get("error") or "the interpreter has ended", "")
    return Execution(_results(raw.get("results")), logs, error, ended)


def execution(ended: CommandResult, logs: Logs, said: Optional[str]) -> Execution:
    told: Dict[str, Any] = {}
    try:
        told = json.loads(said) if said else {}
    except ValueError:  # the program wrote it, or a part of it is missing: then the status has to do
        pass
    error = ExecutionError(**told["error"]) if told.get("error") else None
    if not error and ended.exit_code:
        error = ExecutionError("Exit", ended.error or f"exit status {ended.exit_code}", "".join(logs.stderr))
    results = _results(told.get("results"))
    ended.stdout, ended.stderr = "".join(logs.stdout), "".join(logs.stderr)
    return Execution(results, logs, error, ended)
