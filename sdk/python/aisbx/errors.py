# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, as classes: a program catches the one it can do something about."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Type

if TYPE_CHECKING:
    from .models import CommandResult, Conflict


class AisbxError(Exception):
    """Every error of this library is one of these.

    code: usage, not_found, exists, busy, denied, conflict, stale, limit, timeout, cancelled, unsupported or internal as aisbx says;
    start_failed, exit, node_gone or connection where this library does. area: the part of aisbx that it comes from. errno: the name of the
    kernel's number for it.
    """

    code = "internal"

    def __init__(self, message: str, *, code: Optional[str] = None, area: Optional[str] = None, errno: Optional[str] = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code
        self.area = area
        self.errno = errno


class UsageError(AisbxError):
    """The call makes no sense: a wrong name, type or combination."""

    code = "usage"


class NotFound(AisbxError):
    """There is no such thing: a snapshot, a run, a profile."""

    code = "not_found"


class SandboxNotFound(NotFound):
    """There is no such sandbox: never made, killed, or its time was over."""


class FileNotFound(NotFound):
    """There is no such file in the sandbox."""


class Exists(AisbxError):
    """Something of that name is there already."""

    code = "exists"


class Busy(AisbxError):
    """Somebody else has it for the moment."""

    code = "busy"


class PolicyDenied(AisbxError):
    """A policy said no, or it belongs to somebody else. result: of a command that was denied."""

    code = "denied"

    def __init__(self, message: str, *, result: Optional["CommandResult"] = None, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.result = result


class PromoteConflict(AisbxError):
    """A promotion would overwrite what somebody else changed. Nothing was changed."""

    code = "conflict"

    def __init__(self, message: str, *, conflicts: Optional[List["Conflict"]] = None, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.conflicts = conflicts or []


class StaleBase(AisbxError):
    """What something was made from has changed since."""

    code = "stale"

    def __init__(self, message: str, *, paths: Optional[List[Optional[str]]] = None, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.paths = paths or []


class LimitExceeded(AisbxError):
    """A limit ended it, or refused what it needed.

    kind: wall_time, cpu_time, memory, processes, file_size, disk, inodes or lifetime. result: of a command, with what it wrote. retry_after: the
    server had no room for the call, which has done nothing, and may have some after so many seconds.
    """

    code = "limit"
    retry_after: Optional[float] = None

    def __init__(self, message: str, *, kind: str = "unknown", result: Optional["CommandResult"] = None, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.kind = kind
        self.result = result


class Timeout(LimitExceeded):
    """It took longer than it was given."""

    code = "timeout"

    def __init__(self, message: str, *, kind: str = "wall_time", **facts: Any) -> None:
        super().__init__(message, kind=kind, **facts)


TimeoutException = Timeout


class Cancelled(AisbxError):
    """The call was cancelled, and what it ran is gone."""

    code = "cancelled"


class Unsupported(AisbxError):
    """This machine cannot do it; or a fleet."""

    code = "unsupported"


class NodeGone(AisbxError):
    """Of a fleet: the node that has the sandbox is gone, or was lost while this ran. What it did may have been done."""

    code = "node_gone"


class StartFailed(AisbxError):
    """The command could not be started: another thing than one that ran and failed."""

    code = "start_failed"

    def __init__(self, message: str, *, result: Optional["CommandResult"] = None, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.result = result


class CommandExit(AisbxError):
    """With check=True: the command ran and did not exit with 0."""

    code = "exit"

    def __init__(self, message: str, result: "CommandResult", **facts: Any) -> None:
        super().__init__(message, **facts)
        self.result = result
        self.exit_code = result.exit_code
        self.stdout = result.stdout
        self.stderr = result.stderr


CommandExitException = CommandExit


class ServerGone(AisbxError):
    """There is no server to talk to: it could not be started, or it has ended."""

    code = "connection"


_KINDS: Dict[str, Type[AisbxError]] = {
    "usage": UsageError, "not_found": NotFound, "exists": Exists, "busy": Busy, "denied": PolicyDenied, "conflict": PromoteConflict,
    "stale": StaleBase, "limit": LimitExceeded, "timeout": Timeout, "cancelled": Cancelled, "unsupported": Unsupported,
}


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None


def from_wire(error: Mapping[str, Any]) -> AisbxError:
    """The exception for an error that the server sent."""
    data = error.get("data")
    facts = data if isinstance(data, dict) else {}
    number = error.get("code")
    protocol = isinstance(number, int) and -32700 <= number <= -32600
    kind = _text(facts.get("kind")) or ("usage" if protocol else "internal")
    message = _text(facts.get("text")) or _text(error.get("message")) or "the server sent an error without a text"
    if facts.get("code") == "EHOSTDOWN":
        return NodeGone(message, area=_text(facts.get("area")), errno="EHOSTDOWN")
    made = _KINDS.get(kind, AisbxError)(message, code=kind, area=_text(facts.get("area")), errno=_text(facts.get("code")))
    if isinstance(made, LimitExceeded) and isinstance(facts.get("retry_after_ms"), (int, float)):
        made.retry_after = facts["retry_after_ms"] / 1000
    return made
