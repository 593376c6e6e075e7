# SPDX-License-Identifier: Apache-2.0
"""What calls give: plain objects made of what aisbx says, which is kept whole in `raw` where there is more to it."""
from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional

from . import _types as t
from .errors import CommandExit, LimitExceeded, PolicyDenied, StartFailed, Timeout


def time_of(ms: Optional[float]) -> datetime:
    return datetime.fromtimestamp((ms or 0) / 1000, timezone.utc)


@dataclass(frozen=True)
class Limit:
    """The limit that ended a run, or refused what it needed: milliseconds, bytes or a plain number."""

    kind: str
    value: int
    used: int


@dataclass(frozen=True)
class Usage:
    """What a run took."""

    wall_ms: float = 0
    cpu_ms: float = 0
    mem_peak: int = 0
    pids_peak: int = 0
    disk: int = 0
    inodes: int = 0


@dataclass(frozen=True)
class Violation:
    """What a command tried and was refused. kind: syscall, decoy, net or limit; allow_with: what would allow it."""

    kind: str
    what: str
    by: Optional[str]
    rule: str
    allow_with: str
    count: int


@dataclass(frozen=True)
class Output:
    """A piece of what a command wrote. stream: stdout or stderr."""

    stream: str
    text: str


@dataclass
class CommandResult:
    """How a command ended.

    exit_code is its own; of one that a signal or a limit ended, what a shell would say: 124, 137, 128 and the signal. error: why it has
    no ordinary end, or None. status: ok, failed, limit, denied, interrupted or error. truncated: bytes of each stream not in this result.
    """

    stdout: str
    stderr: str
    exit_code: int
    error: Optional[str]
    status: str
    usage: Usage
    violations: List[Violation]
    limit: Optional[Limit]
    run_id: str
    trace_id: str
    signal: Optional[int] = None
    truncated: Dict[str, int] = field(default_factory=dict)
    raw: Dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def ok(self) -> bool:
        return self.status == "ok"


def _why(status: str, limit: Optional[Limit], signal: Optional[int]) -> Optional[str]:
    if status == "limit" and limit:
        return f"the limit {limit.kind} ({limit.value}) was reached"
    if status == "interrupted":
        return "interrupted"
    return None if signal is None else f"ended by signal {signal}"


def command_result(raw: Mapping[str, Any], stdout: Optional[str] = None, stderr: Optional[str] = None,
                   cut: Optional[Mapping[str, int]] = None) -> CommandResult:
    """STDOUT, STDERR, CUT: of a command whose output came while it ran, what was kept of it."""
    limit = Limit(raw["limit"]["kind"], raw["limit"]["value"], raw["limit"]["used"]) if raw.get("limit") else None
    status, signal, code = str(raw.get("status", "error")), raw.get("signal"), raw.get("exit_code")
    usage = raw.get("usage") or {}
    truncated = raw.get("truncated") or {}
    return CommandResult(
        stdout=raw.get("stdout") or "" if stdout is None else stdout,
        stderr=raw.get("stderr") or "" if stderr is None else stderr,
        exit_code=int(raw.get("exit_status", -1) if code is None else code),
        error=raw.get("error") or _why(status, limit, signal), status=status, limit=limit, signal=signal,
        usage=Usage(**{name: usage[name] for name in Usage.__dataclass_fields__ if name in usage}),
        violations=[Violation(v["kind"], v["what"], v.get("by"), v["rule"], v["allow_with"], v["count"]) for v in raw.get("violations") or []],
        run_id=raw.get("run", ""), trace_id=raw.get("trace_id", ""),
        truncated={s: truncated.get(s, 0) + (cut or {}).get(s, 0) for s in ("stdout", "stderr")}, raw=dict(raw))


def judge(result: CommandResult, what: str, check: bool) -> CommandResult:
    """What could not start, and what a limit or a policy ended, is an error; with CHECK so is every end but an exit with 0."""
    if result.status == "error":
        raise StartFailed(result.error or f"could not start {what}", result=result)
    if result.status == "denied":
        raise PolicyDenied(result.error or f"{what} was denied", result=result)
    if result.status == "limit":
        kind = result.limit.kind if result.limit else "unknown"
        if kind == "wall_time" and result.limit:
            raise Timeout(f"{what} took longer than {result.limit.value} ms", result=result)
        raise LimitExceeded(f"{what}: {result.error or 'a limit was reached'}", kind=kind, result=result)
    if check and not result.ok:
        said = result.stderr.strip()[-2000:]
        raise CommandExit(f"{what}: {result.error or f'exit status {result.exit_code}'}" + (f"\n{said}" if said else ""), result)
    return result


@dataclass(frozen=True)
class CommandInfo:
    """A command that is running. state: starting, running, paused, ending or unresponsive."""

    run_id: str
    command: Optional[str]
    state: str
    started_at: Optional[datetime]
    wall_ms: float

    @property
    def pid(self) -> str:
        return self.run_id


@dataclass(frozen=True)
class SandboxInfo:
    """A sandbox as it is remembered. project: directory of the host it was cloned from. node: of a fleet, the one that has it."""

    sandbox_id: str
    name: str
    project: Optional[str]
    profile: str
    created_at: datetime
    expires_at: Optional[datetime]
    snapshots: int
    autosnap: bool
    metadata: Dict[str, str] = field(default_factory=dict)
    node: Optional[str] = None


def sandbox_info(raw: Mapping[str, Any]) -> SandboxInfo:
    expires = raw.get("expires_ms")
    return SandboxInfo(sandbox_id=raw["id"], name=raw["name"], project=raw.get("project"), profile=raw["profile"],
                       created_at=time_of(raw["created_ms"]), expires_at=None if expires is None else time_of(expires),
                       snapshots=raw.get("snapshots", 0), autosnap=raw.get("autosnap", False), metadata=dict(raw.get("metadata") or {}),
                       node=raw.get("node"))


@dataclass(frozen=True)
class SnapshotInfo:
    """What a sandbox was at some time. automatic: taken by aisbx itself."""

    id: str
    name: str
    created_at: datetime
    automatic: bool


def snapshot_info(raw: Mapping[str, Any]) -> SnapshotInfo:
    return SnapshotInfo(raw["id"], raw["name"], time_of(raw["created_ms"]), raw.get("automatic", False))


@dataclass(frozen=True)
class Metrics:
    """What the commands of a sandbox take at the moment; zeros when none runs. cpu_percent: of one processor, since the look before."""

    timestamp: datetime
    cpu_ms: float
    cpu_percent: float
    mem_bytes: int
    mem_peak_bytes: int
    processes: int
    disk_bytes: int


def metrics(raw: t.RunStatsResult) -> Metrics:
    def total(name: str) -> Any:
        return sum(run.get(name) or 0 for run in raw.get("runs") or [])

    when = time_of(raw["time_ms"]) if "time_ms" in raw else datetime.now(timezone.utc)
    return Metrics(when, total("cpu_ms"), total("cpu_percent"), total("mem"), total("mem_peak"), total("pids"), total("disk"))


@dataclass(frozen=True)
class Change:
    """How one path differs. kind: created, modified, deleted, replaced, mode, xattr or touched. path: None when it is no UTF-8.

    added, removed: lines, where they were counted."""

    kind: str
    path: Optional[str]
    type: str
    added: Optional[int] = None
    removed: Optional[int] = None


def _changes(raw: Optional[List[Any]]) -> List[Change]:
    return [Change(c["kind"], c.get("path"), c["type"], c.get("added"), c.get("removed")) for c in raw or []]


@dataclass(frozen=True)
class Diff:
    """What differs between two points. patch: with patch=True."""

    created: int
    modified: int
    deleted: int
    changes: List[Change]
    patch: Optional[str]
    raw: t.BoxDiffResult = field(repr=False)


def diff(raw: t.BoxDiffResult) -> Diff:
    summary = raw["summary"]
    return Diff(summary["created"], summary["modified"], summary["deleted"], _changes(raw.get("changes")), raw.get("patch"), raw)


@dataclass(frozen=True)
class Conflict:
    """A path that was changed on both sides: what the box did, what the host did, and why both cannot be."""

    path: Optional[str]
    box: str
    host: str
    reason: str


@dataclass(frozen=True)
class Promotion:
    """What came of a promotion. id: for undo; None when nothing was changed."""

    id: Optional[str]
    applied: bool
    changes: List[Change]
    conflicts: List[Conflict]
    raw: t.PromoteResult = field(repr=False)


def promotion(raw: t.PromoteResult) -> Promotion:
    conflicts = [Conflict(c.get("path"), c["box"], c["host"], c["reason"]) for c in raw.get("conflicts") or []]
    return Promotion(raw.get("promotion"), raw["applied"], _changes(raw.get("changes")), conflicts, raw)


@dataclass(frozen=True)
class EntryInfo:
    """A file of a sandbox. type: file, directory, link or other; target: of a link; sha256: of a file that was asked about by itself."""

    name: str
    path: str
    type: str
    size: int
    mode: int
    modified_at: Optional[datetime] = None
    target: Optional[str] = None
    sha256: Optional[str] = None


def entry_info(raw: Mapping[str, Any], directory: str = "") -> EntryInfo:
    """DIRECTORY: that RAW's path is below."""
    path = posixpath.join(directory, raw.get("path") or bytes.fromhex(raw.get("path_hex", "")).decode("utf-8", "surrogateescape"))
    return EntryInfo(posixpath.basename(path), path, raw["type"], raw["size"], int(raw["mode"], 8), time_of(raw["mtime_ms"]), raw.get("target"),
                     raw.get("sha256"))


@dataclass(frozen=True)
class FilesystemEvent:
    """Something that happened in a directory that is watched. type: create, modify, remove, rename or chmod; path: below the directory.

    kind: file, directory, link or other. old_path: of one that was renamed."""

    type: str
    path: str
    kind: Optional[str] = None
    old_path: Optional[str] = None

    @property
    def name(self) -> str:
        """The same as path, by the name that others have for it."""
        return self.path


def filesystem_event(raw: Mapping[str, Any]) -> FilesystemEvent:
    return FilesystemEvent(raw["type"], raw["path"], raw.get("kind"), raw.get("from"))


@dataclass(frozen=True)
class Result:
    """A value that a program showed: what its last expression was, or a chart. What is no text is in base64.

    extra: by type, other forms that a kernel of Jupyter told, such as plotly's charts.
    """

    text: Optional[str] = None
    html: Optional[str] = None
    markdown: Optional[str] = None
    svg: Optional[str] = None
    png: Optional[str] = None
    jpeg: Optional[str] = None
    pdf: Optional[str] = None
    latex: Optional[str] = None
    json: Any = None
    javascript: Optional[str] = None
    extra: Optional[Dict[str, Any]] = None
    is_main_result: bool = False


@dataclass(frozen=True)
class Logs:
    """What a program wrote, in the pieces in which it came."""

    stdout: List[str]
    stderr: List[str]


@dataclass(frozen=True)
class ExecutionError:
    """What ended a program that failed: of Python the exception; of a shell `Exit` with its status."""

    name: str
    value: str
    traceback: str


@dataclass(frozen=True)
class Execution:
    """What came of a program given as text."""

    results: List[Result]
    logs: Logs
    error: Optional[ExecutionError]
    command: CommandResult = field(repr=False)

    @property
    def text(self) -> Optional[str]:
        """Of its last expression, if that had a value."""
        return next((r.text for r in self.results if r.is_main_result), None)


@dataclass(frozen=True)
class CodeContext:
    """An interpreter that stays in a sandbox, and remembers what earlier programs did."""

    id: str
    language: str
