# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of every operation. Made by tools/sdk-types from `aisbx schema`: change the table, not this file.

Results list what can be there; what an operation leaves out depends on its arguments.
"""
from __future__ import annotations

from typing import Any, Dict, Generic, List, Literal, Optional, TypeVar, TypedDict, Union, cast

A = TypeVar("A")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Request(Generic[R_co]):
    """A method with its arguments, and the type of what it gives."""

    def __init__(self, method: str, params: Dict[str, Any]) -> None:
        self.method = method
        self.params = params


class Method(Generic[A, R]):
    """A method of the protocol, with the types of what it takes and gives. Called with arguments it is a request."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, params: A) -> Request[R]:
        return Request(self.name, cast(Dict[str, Any], params))

    def __repr__(self) -> str:
        return f"Method({self.name!r})"


# Run a command in a fresh clone of this machine
RunExecArgs = TypedDict("RunExecArgs", {
    # run in this box, which keeps the changes; default: one that goes with the run
    "box": str,
    # what the box may do: a name that 'aisbx profile ls' shows, or a file (with a '/'); default: $AISBX_PROFILE, or dev
    "profile": str,
    # how the walls are built: native (default)
    "driver": Literal["native"],
    # directory cloned writable into the box; default: the current one
    "project": str,
    # directory to start in; default: the project
    "cwd": str,
    # show a file or directory, read-only
    "ro": List[str],
    # share a file or directory: changes are made to the real one
    "rw": List[str],
    # cover a file or directory
    "hide": List[str],
    # set a variable, or pass the caller's on
    "env": List[str],
    # give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env behind it the variable NAME. It is taken out of all output
    "secret": List[str],
    # none, or loopback: the box's own
    "net": Literal["none", "loopback"],
    # the system calls there are: default, or fewer, for a language: python, javascript, shell, go, rust, java, c
    "seccomp": Literal["default", "python", "javascript", "shell", "go", "rust", "java", "c"],
    # the same as --net none
    "no-net": bool,
    # end the run after this long; 0: never
    "timeout": Union[str, float],
    # processors at any time, such as 2 or 0.5; 0: all
    "cpu": float,
    # processor time of all processes together
    "cpu-time": Union[str, float],
    # memory of all processes together, with files in memory
    "mem": Union[str, int],
    # bytes the box may write
    "disk": Union[str, int],
    # files, directories and links the box may make
    "inodes": int,
    # bytes of one file
    "file-size": Union[str, int],
    # processes and threads at once
    "pids": int,
    # open files per process
    "files": int,
    # bytes let through of each output stream; with --json kept in the result (default 4m)
    "output": Union[str, int],
    # start the services of this file; default: of the project's aisbx.yaml, if there is one
    "services": str,
    # start none
    "no-services": bool,
    # give the command a terminal of the box's own
    "tty": bool,
    # print the run's id and leave it running; see logs, wait, kill
    "detach": bool,
    # pass standard input on, which is always so; with --detach: keep it open for 'aisbx input'
    "interactive": bool,
    # keep what 'aisbx replay' needs: output, and of a box snapshots before and after
    "record": bool,
    # run with this wall missing; the result says so (see 'aisbx doctor' for names)
    "without": List[str],
    # the command and its arguments; behind the profile's entrypoint, if it has one
    "command": List[str],
}, total=False)

RunExecResultTruncated = TypedDict("RunExecResultTruncated", {
    # bytes
    "stdout": int,
    # bytes
    "stderr": int,
}, total=False)

RunExecResultIsolation = TypedDict("RunExecResultIsolation", {
    # what built them
    "driver": str,
    # full; reduced when a person gave walls up; none when the command never started
    "level": str,
    # names of the walls that were read back
    "walls": List[Any],
    # names of the walls that were given up
    "missing": List[Any],
    # capabilities kept, valid only inside the box's user namespace
    "caps": List[Any],
}, total=False)

RunExecResultUsage = TypedDict("RunExecResultUsage", {
    # from start to end
    "wall_ms": float,
    # of all processes of the box
    "cpu_ms": float,
    # most memory of all processes together, bytes; without a control group as seen by looking
    "mem_peak": int,
    # most processes and threads at once; 0 when nobody had the time to look
    "pids_peak": int,
    # bytes written that were still there at the end
    "disk": int,
    # files, directories and links made that were still there at the end
    "inodes": int,
}, total=False)

RunExecResultLimit = TypedDict("RunExecResultLimit", {
    # wall_time, cpu_time, memory, processes, file_size, disk, inodes or lifetime
    "kind": str,
    # the limit, in milliseconds or bytes or a plain number
    "value": int,
    # what was used of it
    "used": int,
    # the option that sets another
    "raise_with": str,
}, total=False)

RunExecResultViolationsItem = TypedDict("RunExecResultViolationsItem", {
    # syscall, decoy, net or limit
    "kind": str,
    # what was tried
    "what": str,
    # name of the program that tried
    "by": Optional[str],
    # its process, as the host counts; the first of several
    "pid": Optional[int],
    # the rule that said no
    "rule": str,
    # what would allow it
    "allow_with": str,
    # how often
    "count": int,
}, total=False)

RunExecResultServicesItem = TypedDict("RunExecResultServicesItem", {
    # as in the file
    "name": str,
    # running when the command ended; waiting, starting, restarting; exited with 0 by itself; failed
    "state": str,
    # of a failed one: exec, ended, restarts, timeout (not ready in time) or join
    "error": Optional[str],
    # how often it was started again
    "restarts": int,
    # of its last end by itself
    "exit_code": Optional[int],
    # that ended it then
    "signal": Optional[int],
    # from its start until it was ready
    "ready_ms": Optional[float],
    # the last of what it wrote
    "output": str,
}, total=False)

# What run.exec gives.
RunExecResult = TypedDict("RunExecResult", {
    # id of this run
    "run": str,
    # follows the run through logs and traces
    "trace_id": str,
    # ok, failed, limit, denied, interrupted or error
    "status": str,
    # of the command; null when a signal or limit ended it
    "exit_code": Optional[int],
    # what aisbx run exits with: the command's own, 124, 126, 127 or 128+N
    "exit_status": int,
    # that ended the command
    "signal": Optional[int],
    # what the command wrote; bytes that are not UTF-8 become U+FFFD
    "stdout": str,
    # as stdout
    "stderr": str,
    # bytes cut off because of the output limit
    "truncated": "RunExecResultTruncated",
    # the walls around the command, as measured from inside
    "isolation": "RunExecResultIsolation",
    # what the run took
    "usage": "RunExecResultUsage",
    # every limit the run had: its name, with `value` and `by`, what held it
    "limits": Dict[str, Any],
    # the limit that ended the run, or refused what it needed
    "limit": Optional["RunExecResultLimit"],
    # what the command tried and was refused, a decoy it opened, the limit it came to
    "violations": List["RunExecResultViolationsItem"],
    # of further kinds, when there were too many to keep
    "violations_not_listed": int,
    # what ran beside the command, as the file has them
    "services": List["RunExecResultServicesItem"],
    # why the command could not be executed
    "error": Optional[str],
    # only there when the box's automatic snapshot failed: why
    "snapshot_error": str,
    # only there when files of the project are of a group that the box does not know: what to do
    "unknown_group": str,
    # only there when output of a detached run could not be kept: why
    "log_error": str,
    # with --detach: true, and of the other fields only run, trace_id and box are there
    "detached": bool,
    # with --detach: id of its box, null if that goes with the run
    "box": Optional[str],
    # only there when output could not be written where the caller wants it: why; the exit status is not 0 then
    "output_error": str,
    # only there when the run could not be written to the history: why
    "history_error": str,
}, total=False)
RUN_EXEC: Method[RunExecArgs, RunExecResult] = Method("run.exec")

_RunReplayArgsNeeded = TypedDict("_RunReplayArgsNeeded", {
    # id of the run; its beginning is enough
    "run": str,
})
_RunReplayArgsOthers = TypedDict("_RunReplayArgsOthers", {
    # replay it N times: tells chance from change; default 1
    "times": int,
    # do not remove the boxes of the replays
    "keep": bool,
}, total=False)


class RunReplayArgs(_RunReplayArgsNeeded, _RunReplayArgsOthers):
    """Run a run again and tell what is not the same"""


RunReplayResultStdout = TypedDict("RunReplayResultStdout", {
    # to the last byte
    "same": bool,
    # as below
    "kind": Optional[str],
    # the first 20 that differ: line, was, is
    "lines": List[Any],
}, total=False)

RunReplayResultStderr = TypedDict("RunReplayResultStderr", {
    # to the last byte
    "same": bool,
    # as below
    "kind": Optional[str],
    # the first 20 that differ: line, was, is
    "lines": List[Any],
}, total=False)

RunReplayResultChangesPathsItem = TypedDict("RunReplayResultChangesPathsItem", {
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # as the kinds of diff
    "how": str,
    # as below
    "kind": str,
}, total=False)

RunReplayResultChanges = TypedDict("RunReplayResultChanges", {
    # no path differs
    "same": bool,
    # paths that differ
    "count": int,
    # the first 100 of them
    "paths": List["RunReplayResultChangesPathsItem"],
}, total=False)

RunReplayResultNotDeterministicItem = TypedDict("RunReplayResultNotDeterministicItem", {
    # exit_code, signal, status, stdout, stderr or "file PATH"
    "what": str,
    # time, number, address, temporary name, order, mixed (of these), attributes, bytes or content
    "kind": str,
    # members was and is; of a text with its line
    "example": Optional[Dict[str, Any]],
}, total=False)

RunReplayResultChangedItem = TypedDict("RunReplayResultChangedItem", {
    # exit_code, signal, status, stdout, stderr or "file PATH"
    "what": str,
    # time, number, address, temporary name, order, mixed (of these), attributes, bytes or content
    "kind": str,
    # members was and is; of a text with its line
    "example": Optional[Dict[str, Any]],
}, total=False)

RunReplayResultNotComparedItem = TypedDict("RunReplayResultNotComparedItem", {
    # start, stdin, stdout, stderr, changes, project, terminal or "variable NAME"
    "what": str,
    # for a person
    "why": str,
}, total=False)

# What run.replay gives.
RunReplayResult = TypedDict("RunReplayResult", {
    # id of the run that was replayed
    "run": str,
    # ids of the replays, runs like all others
    "replay": List[Any],
    # with keep: ids of their boxes
    "boxes": List[Any],
    # nothing that was compared differs
    "same": bool,
    # members was, and is: of the first replay
    "exit_code": Dict[str, Any],
    # as exit_code
    "status": Dict[str, Any],
    # as exit_code: what run tells as usage
    "usage": Dict[str, Any],
    # null: not compared
    "stdout": Optional["RunReplayResultStdout"],
    # null: not compared
    "stderr": Optional["RunReplayResultStderr"],
    # what the replay left of the project, against what the run left; null: not compared
    "changes": Optional["RunReplayResultChanges"],
    # what differs; with several replays: between them
    "not_deterministic": List["RunReplayResultNotDeterministicItem"],
    # with several replays: what they agree in and differ from the run in, so that it was not chance
    "changed": List["RunReplayResultChangedItem"],
    # what nobody can tell, and why
    "not_compared": List["RunReplayResultNotComparedItem"],
    # files of the real project that changed since the run, the first 20
    "project_changed": List[Any],
}, total=False)
RUN_REPLAY: Method[RunReplayArgs, RunReplayResult] = Method("run.replay")

# List live runs
RunLsArgs = TypedDict("RunLsArgs", {
}, total=False)

RunLsResultRunsItem = TypedDict("RunLsResultRunsItem", {
    # id
    "run": str,
    # starting, running, paused, ending (others that joined its box go on) or unresponsive
    "state": str,
    # id of its box, null if that goes with the run
    "box": Optional[str],
    # with its arguments
    "command": Optional[str],
    # milliseconds since 1970
    "started_ms": Optional[int],
    # how long it has been running
    "wall_ms": float,
    # nobody waits for it
    "detached": Optional[bool],
    # what it may do
    "profile": Optional[str],
    # it runs in the live box of another run
    "joined": bool,
    # of its supervisor
    "pid": int,
    # as in its result
    "trace_id": Optional[str],
}, total=False)

# What run.ls gives.
RunLsResult = TypedDict("RunLsResult", {
    # oldest first
    "runs": List["RunLsResultRunsItem"],
}, total=False)
RUN_LS: Method[RunLsArgs, RunLsResult] = Method("run.ls")

_RunWaitArgsNeeded = TypedDict("_RunWaitArgsNeeded", {
    # id of the run; its beginning is enough
    "run": str,
})
_RunWaitArgsOthers = TypedDict("_RunWaitArgsOthers", {
    # give up after this long, with exit status 125
    "timeout": Union[str, float],
    # also the last SIZE bytes it has written to each stream, if its output is kept; also of one that goes on after the timeout
    "output": Union[str, int],
}, total=False)


class RunWaitArgs(_RunWaitArgsNeeded, _RunWaitArgsOthers):
    """Wait for the end of a run"""


RunWaitResultTruncated = TypedDict("RunWaitResultTruncated", {
    # bytes
    "stdout": int,
    # bytes
    "stderr": int,
}, total=False)

# What run.wait gives.
RunWaitResult = TypedDict("RunWaitResult", {
    # id
    "run": str,
    # ok, failed, limit, denied, interrupted or error; with --output also running
    "status": str,
    # of the command
    "exit_code": Optional[int],
    # what aisbx run would have exited with
    "exit_status": int,
    # that ended the command
    "signal": Optional[int],
    # with --output: the end of what the command wrote, if it is kept
    "stdout": str,
    # as stdout
    "stderr": str,
    # with --output: bytes before that, and those the output limit took
    "truncated": "RunWaitResultTruncated",
    # why there is no other end
    "error": Optional[str],
}, total=False)
RUN_WAIT: Method[RunWaitArgs, RunWaitResult] = Method("run.wait")

_RunKillArgsNeeded = TypedDict("_RunKillArgsNeeded", {
    # ids of the runs; their beginnings are enough
    "runs": List[str],
})
_RunKillArgsOthers = TypedDict("_RunKillArgsOthers", {
    # pass this signal on to the command, which may do with it what it likes; default: end the run
    "signal": str,
}, total=False)


class RunKillArgs(_RunKillArgsNeeded, _RunKillArgsOthers):
    """End runs, or pass a signal on"""


# What run.kill gives.
RunKillResult = TypedDict("RunKillResult", {
    # ids of the runs
    "runs": List[Any],
}, total=False)
RUN_KILL: Method[RunKillArgs, RunKillResult] = Method("run.kill")

# Stop every process of a run's box for a while
RunPauseArgs = TypedDict("RunPauseArgs", {
    # ids of the runs; their beginnings are enough
    "runs": List[str],
})

# What run.pause gives.
RunPauseResult = TypedDict("RunPauseResult", {
    # ids of the runs
    "runs": List[Any],
}, total=False)
RUN_PAUSE: Method[RunPauseArgs, RunPauseResult] = Method("run.pause")

# Let a paused run go on
RunResumeArgs = TypedDict("RunResumeArgs", {
    # ids of the runs; their beginnings are enough
    "runs": List[str],
})

# What run.resume gives.
RunResumeResult = TypedDict("RunResumeResult", {
    # ids of the runs
    "runs": List[Any],
}, total=False)
RUN_RESUME: Method[RunResumeArgs, RunResumeResult] = Method("run.resume")

_RunLogsArgsNeeded = TypedDict("_RunLogsArgsNeeded", {
    # id of the run; its beginning is enough
    "run": str,
})
_RunLogsArgsOthers = TypedDict("_RunLogsArgsOthers", {
    # go on until the run has ended
    "follow": bool,
    # what this service of the run has written
    "service": str,
    # with the time before each line
    "timestamps": bool,
}, total=False)


class RunLogsArgs(_RunLogsArgsNeeded, _RunLogsArgsOthers):
    """Show what a detached run has written"""


# What run.logs gives.
RunLogsResult = TypedDict("RunLogsResult", {
    # of a record: microseconds since 1970
    "time_us": int,
    # of a record: stdout or stderr
    "stream": str,
    # of a record: what was written; bytes that are not UTF-8 become U+FFFD
    "data": str,
    # in the last line: id
    "run": str,
    # in the last line: the run had ended, and this is all
    "complete": bool,
    # the records, where they cannot be told one by one
    "records": List[Any],
}, total=False)
RUN_LOGS: Method[RunLogsArgs, RunLogsResult] = Method("run.logs")

_RunInputArgsNeeded = TypedDict("_RunInputArgsNeeded", {
    # id of the run; its beginning is enough
    "run": str,
})
_RunInputArgsOthers = TypedDict("_RunInputArgsOthers", {
    # afterwards close it: the command sees the end of its input
    "close": bool,
}, total=False)


class RunInputArgs(_RunInputArgsNeeded, _RunInputArgsOthers):
    """Write to the input of a detached run"""


# What run.input gives.
RunInputResult = TypedDict("RunInputResult", {
    # id
    "run": str,
    # that were passed on
    "bytes": int,
    # the command's input is closed now
    "closed": bool,
}, total=False)
RUN_INPUT: Method[RunInputArgs, RunInputResult] = Method("run.input")

_BoxExecArgsNeeded = TypedDict("_BoxExecArgsNeeded", {
    # name or id of a live box, or id of a live run
    "target": str,
    # the command and its arguments
    "command": List[str],
})
_BoxExecArgsOthers = TypedDict("_BoxExecArgsOthers", {
    # directory to start in; default: the project
    "cwd": str,
    # set a variable, or pass the caller's on
    "env": List[str],
    # give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env behind it the variable NAME. It is taken out of all output
    "secret": List[str],
    # end the command after this long; 0: never
    "timeout": Union[str, float],
    # bytes let through of each output stream
    "output": Union[str, int],
    # give the command a terminal of the box's own
    "tty": bool,
    # pass standard input on; always so, accepted for habit (-it)
    "interactive": bool,
}, total=False)


class BoxExecArgs(_BoxExecArgsNeeded, _BoxExecArgsOthers):
    """Run a command in a live box"""


# What box.exec gives.
BoxExecResult = TypedDict("BoxExecResult", {
    # id of this run; the rest as in the result of run
    "run": str,
    # ok, failed, limit, denied, interrupted or error
    "status": str,
    # of the command
    "exit_code": Optional[int],
    # what the command wrote
    "stdout": str,
    # as stdout
    "stderr": str,
}, total=False)
BOX_EXEC: Method[BoxExecArgs, BoxExecResult] = Method("box.exec")

# Show what live runs use
RunStatsArgs = TypedDict("RunStatsArgs", {
    # only these; default: all live runs
    "runs": List[str],
    # again and again, until the runs have ended; without RUN until it is interrupted
    "follow": bool,
    # how often, with --follow; default 1s
    "interval": Union[str, float],
}, total=False)

RunStatsResultRunsItemOutput = TypedDict("RunStatsResultRunsItemOutput", {
    # to standard output
    "stdout": int,
    # to standard error
    "stderr": int,
}, total=False)

RunStatsResultRunsItem = TypedDict("RunStatsResultRunsItem", {
    # id
    "run": str,
    # as in ps
    "state": str,
    # with its arguments
    "command": Optional[str],
    # how long it has been running
    "wall_ms": float,
    # processor time so far; null, as all below, where it runs in another's box
    "cpu_ms": Optional[float],
    # of one processor, since the look before
    "cpu_percent": Optional[float],
    # bytes of memory now
    "mem": Optional[int],
    # most bytes of memory so far
    "mem_peak": Optional[int],
    # processes and threads now
    "pids": Optional[int],
    # most of them so far
    "pids_peak": Optional[int],
    # bytes written that are there now
    "disk": Optional[int],
    # files, directories and links made that are there now
    "inodes": Optional[int],
    # bytes written so far
    "output": "RunStatsResultRunsItemOutput",
}, total=False)

# What run.stats gives.
RunStatsResult = TypedDict("RunStatsResult", {
    # when this was, in milliseconds since 1970
    "time_ms": int,
    # oldest first
    "runs": List["RunStatsResultRunsItem"],
}, total=False)
RUN_STATS: Method[RunStatsArgs, RunStatsResult] = Method("run.stats")

_RunCodeArgsNeeded = TypedDict("_RunCodeArgsNeeded", {
    # python, javascript or shell
    "lang": Literal["python", "javascript", "shell"],
})
_RunCodeArgsOthers = TypedDict("_RunCodeArgsOthers", {
    # the program itself
    "code": str,
    # with --context: where the interpreter lives
    "box": str,
    # in an interpreter that stays in the box and remembers what earlier programs defined; the first starts it
    "context": str,
    # end that interpreter; there is no program then
    "end-context": bool,
    # at its start: it ends when it has had nothing to do for so long; default: 30min, 0: with its box
    "idle": Union[str, float],
    # copy the files that the program left in its directory to this one; nothing is overwritten, and traps stay behind
    "out": str,
    # scan the program by this policy first; default: what the profile says; none: do not
    "policy": str,
    # run it where the policy says to ask, and with --out copy traps, too
    "yes": bool,
    # what the box may do; default: that of the language
    "profile": str,
    # show a file or directory, read-only
    "ro": List[str],
    # set a variable, or pass the caller's on
    "env": List[str],
    # give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env behind it the variable NAME. It is taken out of all output
    "secret": List[str],
    # none, or loopback: the box's own
    "net": Literal["none", "loopback"],
    # end the program after this long; 0: never
    "timeout": Union[str, float],
    # processors at any time, such as 2 or 0.5; 0: all
    "cpu": float,
    # processor time of all processes together
    "cpu-time": Union[str, float],
    # memory of all processes together
    "mem": Union[str, int],
    # bytes the program may write
    "disk": Union[str, int],
    # files, directories and links it may make
    "inodes": int,
    # bytes of one file
    "file-size": Union[str, int],
    # processes and threads at once
    "pids": int,
    # open files per process
    "files": int,
    # bytes let through of each output stream
    "output": Union[str, int],
    # the program; - (default): from standard input, of which then nothing is left for the program
    "file": str,
    # arguments of the program
    "args": List[str],
}, total=False)


class RunCodeArgs(_RunCodeArgsNeeded, _RunCodeArgsOthers):
    """Run a program given as text, in a box of its own"""


RunCodeResultScanFindingsItem = TypedDict("RunCodeResultScanFindingsItem", {
    # its id in the policy
    "rule": str,
    # low, medium, high or critical
    "severity": str,
    # import, call, use, command, write, text, hidden, broken or unread
    "kind": str,
    # what was found: of a module, a function, a command, a file; or a text
    "name": str,
    # the same with its arguments; '?' stands for what only running would tell
    "call": str,
    # by an alias, a text put together or the like
    "indirect": bool,
    # in a program inside a text
    "nested": bool,
    # from 1
    "line": int,
    # from 1, in bytes
    "column": int,
    # where it ends
    "end_line": int,
    # one behind its last byte
    "end_column": int,
    # the line of the source, or the part of a long one
    "text": str,
    # bytes of the line before that part
    "text_offset": int,
    # the reason of the rule
    "why": str,
    # what to do instead
    "advice": Optional[str],
}, total=False)

RunCodeResultScan = TypedDict("RunCodeResultScan", {
    # python, javascript, typescript or shell
    "language": str,
    # of the program
    "bytes": int,
    # none, low, medium, high or critical: that of its worst finding
    "risk": str,
    # what the policy says to that: allow, warn, sandbox, ask or refuse
    "action": str,
    # findings that are not listed
    "more": int,
    # by line and column
    "findings": List["RunCodeResultScanFindingsItem"],
}, total=False)

RunCodeResultException = TypedDict("RunCodeResultException", {
    # such as ValueError; null for a shell
    "name": Optional[str],
    # what it says
    "message": Optional[str],
    # of the program
    "line": Optional[int],
    # with --context: the whole of it
    "traceback": Optional[str],
}, total=False)

RunCodeResultFilesItem = TypedDict("RunCodeResultFilesItem", {
    # below the directory; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # bytes
    "size": int,
    # type of a picture or document, by its first bytes: image/png, image/svg+xml, ...
    "media": Optional[str],
    # with --out: why it was not copied
    "error": Optional[str],
}, total=False)

# What run.code gives.
RunCodeResult = TypedDict("RunCodeResult", {
    # id of this run; what is not listed here is as in the result of run
    "run": str,
    # ok, failed, limit, denied (by the scan: nothing ran), interrupted or error
    "status": str,
    # of the interpreter
    "exit_code": Optional[int],
    # what aisbx run-code exits with
    "exit_status": int,
    # what the program wrote
    "stdout": str,
    # as stdout
    "stderr": str,
    # as given
    "language": str,
    # what the scan found before it ran; null: nobody looked
    "scan": Optional["RunCodeResultScan"],
    # of a program that failed, where its stderr tells and is part of the result
    "exception": Optional["RunCodeResultException"],
    # with --context: as given
    "box": str,
    # with --context: as given
    "context": str,
    # with --context: the interpreter was started for this, so it remembers nothing from before
    "context_new": bool,
    # with --context: there is no interpreter any more, and what it remembered is gone
    "context_ended": bool,
    # with --context: the value of the last expression, as the language writes it
    "text": Optional[str],
    # with --context: figures of matplotlib that were open, as base64 of PNG
    "charts": List[Any],
    # regular files that the program left in its directory, by path
    "files": List["RunCodeResultFilesItem"],
    # links and the like, files past the thousandth, directories that could not be read
    "files_not_listed": int,
    # only there when the files could not be listed: why
    "files_error": str,
    # as in the result of run
    "violations": List[Any],
    # as in the result of run
    "limit": Optional[Dict[str, Any]],
    # why the program could not be started
    "error": Optional[str],
}, total=False)
RUN_CODE: Method[RunCodeArgs, RunCodeResult] = Method("run.code")

_RunLearnArgsNeeded = TypedDict("_RunLearnArgsNeeded", {
    # the command and its arguments; it gets no input
    "command": List[str],
})
_RunLearnArgsOthers = TypedDict("_RunLearnArgsOthers", {
    # write the profile to this file, which must not be there yet; default: to standard output
    "output": str,
    # name of the profile; default: learned
    "name": str,
    # what to begin with; default: dev
    "profile": str,
    # directory cloned writable; default: the current one
    "project": str,
    # directory to start in; default: the project
    "cwd": str,
    # show a file or directory, read-only; becomes part of the profile
    "ro": List[str],
    # set or pass on a variable; becomes part of the profile
    "env": List[str],
}, total=False)


class RunLearnArgs(_RunLearnArgsNeeded, _RunLearnArgsOthers):
    """Find out the smallest profile that suffices for a command"""


RunLearnResultValuesItem = TypedDict("RunLearnResultValuesItem", {
    # as in the profile
    "key": str,
    # as in the profile
    "value": str,
    # what it came from
    "why": str,
}, total=False)

RunLearnResultRefusedItem = TypedDict("RunLearnResultRefusedItem", {
    # what was tried
    "what": str,
    # the rule that said no
    "rule": str,
}, total=False)

# What run.learn gives.
RunLearnResult = TypedDict("RunLearnResult", {
    # the text of the profile
    "profile": str,
    # where it was written
    "file": Optional[str],
    # of the command, every time
    "exit_code": Optional[int],
    # that ended it, every time
    "signal": Optional[int],
    # how often it ran
    "runs": int,
    # it printed the same every time, so that was compared, too
    "steady": bool,
    # what the profile says
    "values": List["RunLearnResultValuesItem"],
    # what the command tried and does without: no profile would allow it
    "refused": List["RunLearnResultRefusedItem"],
}, total=False)
RUN_LEARN: Method[RunLearnArgs, RunLearnResult] = Method("run.learn")

_IntentRunArgsNeeded = TypedDict("_IntentRunArgsNeeded", {
    # run, test, build, format, lint or bench
    "intent": Literal["run", "test", "build", "format", "lint", "bench"],
})
_IntentRunArgsOthers = TypedDict("_IntentRunArgsOthers", {
    # in this box, which keeps the changes; default: one that goes with the run
    "box": str,
    # what the box may do; default: as for run
    "profile": str,
    # directory cloned writable into the box; default: the current one
    "project": str,
    # directory of the project whose own way is meant; default: the project
    "cwd": str,
    # set a variable, or pass the caller's on
    "env": List[str],
    # give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env behind it the variable NAME. It is taken out of all output
    "secret": List[str],
    # none, or loopback: the box's own
    "net": Literal["none", "loopback"],
    # end the run after this long; 0: never
    "timeout": Union[str, float],
    # processors at any time, such as 2 or 0.5; 0: all
    "cpu": float,
    # processor time of all processes together
    "cpu-time": Union[str, float],
    # memory of all processes together, with files in memory
    "mem": Union[str, int],
    # bytes the box may write
    "disk": Union[str, int],
    # files, directories and links the box may make
    "inodes": int,
    # bytes of one file
    "file-size": Union[str, int],
    # processes and threads at once
    "pids": int,
    # open files per process
    "files": int,
    # bytes let through of each output stream; with --json kept in the result (default 4m)
    "output": Union[str, int],
    # start none of the project's services
    "no-services": bool,
    # keep what 'aisbx replay' needs: output, and of a box snapshots before and after
    "record": bool,
    # further arguments for the command
    "args": List[str],
}, total=False)


class IntentRunArgs(_IntentRunArgsNeeded, _IntentRunArgsOthers):
    """Run, test, build, format, lint or bench a project by its own command"""


IntentRunResultTests = TypedDict("IntentRunResultTests", {
    # tests
    "passed": int,
    # tests, with errors
    "failed": int,
    # tests, with those known to fail
    "skipped": int,
    # who says so: pytest, unittest, node, tap, jest, vitest, mocha, cargo, go, meson, ctest, surefire, junit, deno
    "runner": str,
}, total=False)

# What intent.run gives.
IntentRunResult = TypedDict("IntentRunResult", {
    # as given
    "intent": str,
    # the words that were run
    "command": List[Any],
    # the file of the project that says so
    "found_in": str,
    # how tests went, by what their runner wrote; null when that is not plain, and for other intents
    "tests": Optional["IntentRunResultTests"],
    # id of this run; what is not listed here is as in the result of run
    "run": str,
    # ok, failed, limit, denied, interrupted or error
    "status": str,
    # of the command; it alone says whether the tests passed
    "exit_code": Optional[int],
    # what aisbx do exits with
    "exit_status": int,
    # what the command wrote
    "stdout": str,
    # as stdout
    "stderr": str,
    # as in the result of run
    "limit": Optional[Dict[str, Any]],
    # as in the result of run
    "violations": List[Any],
    # why the command could not be started
    "error": Optional[str],
}, total=False)
INTENT_RUN: Method[IntentRunArgs, IntentRunResult] = Method("intent.run")

# Show how a project is run, tested, built, formatted, linted
IntentLsArgs = TypedDict("IntentLsArgs", {
    # as this box has the project; default: as it is now
    "box": str,
    # the project; default: the current directory
    "project": str,
    # directory of the project to look in; default: the project
    "cwd": str,
}, total=False)

IntentLsResultIntentsItem = TypedDict("IntentLsResultIntentsItem", {
    # run, test, build, format, lint or bench
    "intent": str,
    # its words
    "command": List[Any],
    # the file that says so
    "found_in": str,
    # what of it
    "why": str,
    # it is the one that 'aisbx do' takes
    "used": bool,
}, total=False)

# What intent.ls gives.
IntentLsResult = TypedDict("IntentLsResult", {
    # every way that was found, by intent, the best first
    "intents": List["IntentLsResultIntentsItem"],
}, total=False)
INTENT_LS: Method[IntentLsArgs, IntentLsResult] = Method("intent.ls")

# Tell whether a box is as it must be to go further
GateCheckArgs = TypedDict("GateCheckArgs", {
    # what is judged; '.', or nothing: the directory as it is
    "box": str,
    # what must hold; default: all gates of the project
    "checks": List[str],
    # a text for a shell that must exit with 0
    "command": List[str],
    # a policy below the project, asked by opa
    "rego": str,
    # what must be true of it: data.aisbx.allow
    "query": str,
    # directory whose aisbx.yaml counts; default: the project of the box, or the current one
    "dir": str,
    # what the commands may do; default: as the box has it, or as for run
    "profile": str,
}, total=False)

GateCheckResultChecksItem = TypedDict("GateCheckResultChecksItem", {
    # as it was written
    "check": str,
    # intent, expression, command or rego
    "kind": str,
    # the gate it belongs to
    "gate": Optional[str],
    # it holds
    "passed": bool,
    # what made it so; what is not known is named
    "why": str,
    # id of what was run for it; 'aisbx logs' shows what that wrote
    "run": Optional[str],
    # what a command said
    "score": Optional[float],
    # what the box had changed of what this is judged by, below the project: the person's own counted
    "judges": List[Any],
}, total=False)

GateCheckResultDriftFilesItem = TypedDict("GateCheckResultDriftFilesItem", {
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # of what was renamed: what it was called
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

GateCheckResultDrift = TypedDict("GateCheckResultDrift", {
    # since what: box, snapshot or pin
    "of": str,
    # when that was; milliseconds since 1970
    "since_ms": int,
    # files that were written; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new ones
    "added": int,
    # files and directories that are gone
    "deleted": int,
    # files and directories with another name
    "renamed": int,
    # directories from which something went, no list says what
    "lost": int,
    # with other permissions, owner, links or times; of what the box changed: whose content is as it was
    "touched": int,
    # changes that are not told, for git ignores the files
    "ignored": int,
    # files and directories that were looked at
    "looked": int,
    # false: the time was up before all were looked at, or the clock was set back
    "complete": bool,
    # the clock is behind the moment the box was made: little can be told
    "clock_back": bool,
    # of git, if it is another one now
    "branch": Optional[str],
    # the branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["GateCheckResultDriftFilesItem"],
    # why nothing can be told
    "error": str,
}, total=False)

# What gate.check gives.
GateCheckResult = TypedDict("GateCheckResult", {
    # all of it holds
    "passed": bool,
    # name of what was judged; null: a directory
    "box": Optional[str],
    # of the box, taken because something had to be run: this is what was judged
    "snapshot": Optional[str],
    # names of the gates that were asked for
    "gates": List[Any],
    # every aisbx.yaml that counted: of the project and of directories above it, the outermost first
    "files": List[Any],
    # one after the other, all of them
    "checks": List["GateCheckResultChecksItem"],
    # processor time of what was run to judge
    "cpu_ms": float,
    # all that were asked for, by their names; null: not known
    "facts": Dict[str, Any],
    # what changed in the real project, outside of boxes, since the box or snapshot was made
    "drift": "GateCheckResultDrift",
}, total=False)
GATE_CHECK: Method[GateCheckArgs, GateCheckResult] = Method("gate.check")

_PlanCreateArgsNeeded = TypedDict("_PlanCreateArgsNeeded", {
    # what it is for, in words
    "goal": str,
    # run, test, build, format, lint or bench, or a command for a shell; in their order
    "step": List[str],
})
_PlanCreateArgsOthers = TypedDict("_PlanCreateArgsOthers", {
    # steps run in this box, which keeps what they change; default: each in one of its own
    "box": str,
}, total=False)


class PlanCreateArgs(_PlanCreateArgsNeeded, _PlanCreateArgsOthers):
    """Write down a goal and the steps to it"""


PlanCreateResultStepsItem = TypedDict("PlanCreateResultStepsItem", {
    # from 1
    "step": int,
    # as given
    "what": str,
    # intent or command
    "kind": str,
    # pending, running, ok, failed or skipped
    "state": str,
    # id of its last run; see history
    "run": Optional[str],
    # of that
    "exit_code": Optional[int],
    # why there was none
    "note": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
}, total=False)

# What plan.create gives.
PlanCreateResult = TypedDict("PlanCreateResult", {
    # its id
    "plan": str,
    # as given
    "goal": str,
    # open, running, failed (a step is), done
    "state": str,
    # id of the box its steps run in; null: each in one of its own
    "box": Optional[str],
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # in their order
    "steps": List["PlanCreateResultStepsItem"],
}, total=False)
PLAN_CREATE: Method[PlanCreateArgs, PlanCreateResult] = Method("plan.create")

# List plans
PlanLsArgs = TypedDict("PlanLsArgs", {
    # only those whose goal or steps contain this
    "match": str,
    # at most N; default 20
    "limit": int,
}, total=False)

PlanLsResultPlansItemStepsItem = TypedDict("PlanLsResultPlansItemStepsItem", {
    # from 1
    "step": int,
    # as given
    "what": str,
    # intent or command
    "kind": str,
    # pending, running, ok, failed or skipped
    "state": str,
    # id of its last run; see history
    "run": Optional[str],
    # of that
    "exit_code": Optional[int],
    # why there was none
    "note": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
}, total=False)

PlanLsResultPlansItem = TypedDict("PlanLsResultPlansItem", {
    # its id
    "plan": str,
    # as given
    "goal": str,
    # open, running, failed (a step is), done
    "state": str,
    # id of the box its steps run in; null: each in one of its own
    "box": Optional[str],
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # in their order
    "steps": List["PlanLsResultPlansItemStepsItem"],
}, total=False)

# What plan.ls gives.
PlanLsResult = TypedDict("PlanLsResult", {
    # newest first
    "plans": List["PlanLsResultPlansItem"],
}, total=False)
PLAN_LS: Method[PlanLsArgs, PlanLsResult] = Method("plan.ls")

# Show a plan and how far it came
PlanShowArgs = TypedDict("PlanShowArgs", {
    # id of the plan; its beginning is enough
    "plan": str,
})

PlanShowResultStepsItem = TypedDict("PlanShowResultStepsItem", {
    # from 1
    "step": int,
    # as given
    "what": str,
    # intent or command
    "kind": str,
    # pending, running, ok, failed or skipped
    "state": str,
    # id of its last run; see history
    "run": Optional[str],
    # of that
    "exit_code": Optional[int],
    # why there was none
    "note": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
}, total=False)

# What plan.show gives.
PlanShowResult = TypedDict("PlanShowResult", {
    # its id
    "plan": str,
    # as given
    "goal": str,
    # open, running, failed (a step is), done
    "state": str,
    # id of the box its steps run in; null: each in one of its own
    "box": Optional[str],
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # in their order
    "steps": List["PlanShowResultStepsItem"],
}, total=False)
PLAN_SHOW: Method[PlanShowArgs, PlanShowResult] = Method("plan.show")

_PlanStepArgsNeeded = TypedDict("_PlanStepArgsNeeded", {
    # id of the plan; its beginning is enough
    "plan": str,
})
_PlanStepArgsOthers = TypedDict("_PlanStepArgsOthers", {
    # in this box; default: the plan's
    "box": str,
    # end the step after this long; 0: never
    "timeout": Union[str, float],
    # do the step that failed once more
    "again": bool,
    # go on without the step that failed
    "skip": bool,
}, total=False)


class PlanStepArgs(_PlanStepArgsNeeded, _PlanStepArgsOthers):
    """Do the next step of a plan"""


PlanStepResultStepsItem = TypedDict("PlanStepResultStepsItem", {
    # from 1
    "step": int,
    # as given
    "what": str,
    # intent or command
    "kind": str,
    # pending, running, ok, failed or skipped
    "state": str,
    # id of its last run; see history
    "run": Optional[str],
    # of that
    "exit_code": Optional[int],
    # why there was none
    "note": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
}, total=False)

# What plan.step gives.
PlanStepResult = TypedDict("PlanStepResult", {
    # its id
    "plan": str,
    # as given
    "goal": str,
    # open, running, failed (a step is), done
    "state": str,
    # id of the box its steps run in; null: each in one of its own
    "box": Optional[str],
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # in their order
    "steps": List["PlanStepResultStepsItem"],
    # the step that was done now; null: the last one was skipped
    "did": Optional[int],
    # as of run, or of do for an intent
    "result": Optional[Dict[str, Any]],
}, total=False)
PLAN_STEP: Method[PlanStepArgs, PlanStepResult] = Method("plan.step")

# Remove plans
PlanRmArgs = TypedDict("PlanRmArgs", {
    # ids; beginnings are enough
    "plans": List[str],
})

# What plan.rm gives.
PlanRmResult = TypedDict("PlanRmResult", {
    # ids
    "removed": List[Any],
}, total=False)
PLAN_RM: Method[PlanRmArgs, PlanRmResult] = Method("plan.rm")

# Try several approaches at once, each in its own box, and keep the best
ExperimentTryArgs = TypedDict("ExperimentTryArgs", {
    # start from it; default: the project as it is
    "box": str,
    # a shell command that must succeed; default: the project's own way to test
    "test": str,
    # who wins: the best of all that pass (default), the first that does; all: only compare
    "mode": Literal["first", "best", "all"],
    # as the project's aisbx.yaml has it; options say otherwise
    "experiment": str,
    # must hold as well: a gate of the project's aisbx.yaml, an intent or an expression; may be given again
    "gate": List[str],
    # what branches are compared by: facts as in gates; default: how long the test took
    "score": str,
    # whether the least (default) or the most of the score is best
    "prefer": Literal["least", "most"],
    # test each K times; one that fails sometimes has not passed
    "repeat": int,
    # stop what still runs after this long
    "budget-time": Union[str, float],
    # the same when all branches together have used so much processor time
    "budget-cpu": Union[str, float],
    # start no more runs than this, commands and tests of all branches
    "budget-runs": int,
    # so many branches at once; default: all
    "parallel": int,
    # promote the winner, through the project's stages if it has some
    "promote": bool,
    # keep the boxes of the others, too
    "keep": bool,
    # names of the branches, in their order; default: 1, 2, ...
    "name": List[str],
    # what the boxes may do; default: as for run
    "profile": str,
    # directory cloned writable into the boxes; default: the current one
    "project": str,
    # share a file or directory with all of them: changes are made to the real one
    "rw": List[str],
    # show a file or directory, read-only
    "ro": List[str],
    # set a variable, or pass the caller's on
    "env": List[str],
    # give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env behind it the variable NAME. It is taken out of all output
    "secret": List[str],
    # none, or loopback: the box's own
    "net": Literal["none", "loopback"],
    # end the run after this long; 0: never
    "timeout": Union[str, float],
    # processors at any time, such as 2 or 0.5; 0: all
    "cpu": float,
    # processor time of all processes together
    "cpu-time": Union[str, float],
    # memory of all processes together, with files in memory
    "mem": Union[str, int],
    # bytes the box may write
    "disk": Union[str, int],
    # files, directories and links the box may make
    "inodes": int,
    # bytes of one file
    "file-size": Union[str, int],
    # processes and threads at once
    "pids": int,
    # open files per process
    "files": int,
    # bytes let through of each output stream; with --json kept in the result (default 4m)
    "output": Union[str, int],
    # start none of the project's services
    "no-services": bool,
    # shell commands, one for each copy
    "branches": List[str],
    # what to try: one word is a text for a shell, several are a command and its arguments; the next begins behind '--'
    "command": List[str],
}, total=False)

ExperimentTryResultBranchesItem = TypedDict("ExperimentTryResultBranchesItem", {
    # its place in what was asked, from 1
    "n": int,
    # as given, or its number
    "name": str,
    # as given
    "command": str,
    # its box; null: it was removed
    "box": Optional[str],
    # of the box: what was judged
    "snapshot": Optional[str],
    # winner, passed, failed, flaky (passed some of its tests), stopped or waiting
    "state": str,
    # among those that passed, from 1
    "rank": Optional[int],
    # ids of its runs: the command, then the tests
    "runs": List[Any],
    # from start to end
    "wall_ms": float,
    # of all its runs
    "cpu_ms": float,
    # most memory of one of its runs, bytes
    "mem_peak": int,
    # how many passed, failed, were skipped, if the runner says so
    "tests": Optional[Dict[str, Any]],
    # how many files it created, modified, deleted
    "changes": Optional[Dict[str, Any]],
    # by what it is compared: --score, or the milliseconds of its test
    "score": Optional[float],
    # how many of its tests passed: 3/3
    "passed_of": Optional[str],
    # why it is not the winner; empty when there is nothing to say
    "why": str,
    # the last of what its last run wrote
    "stdout_tail": str,
    # as stdout_tail
    "stderr_tail": str,
}, total=False)

ExperimentTryResultDiffersItem = TypedDict("ExperimentTryResultDiffersItem", {
    # the best
    "branch": str,
    # the other
    "against": str,
    # paths below the project that differ, at most 50
    "files": List[Any],
    # how many more there are
    "more": int,
}, total=False)

# What experiment.try gives.
ExperimentTryResult = TypedDict("ExperimentTryResult", {
    # its id
    "experiment": str,
    # first, best or all
    "mode": str,
    # won; none passed; compared (mode all); budget used up, perhaps with a winner; interrupted
    "state": str,
    # name of the branch
    "winner": Optional[str],
    # the winner's box, which stays
    "box": Optional[str],
    # those that passed first, by their rank
    "branches": List["ExperimentTryResultBranchesItem"],
    # how the best differs from each other that passed
    "differs": List["ExperimentTryResultDiffersItem"],
    # with --promote: as of promote
    "promotion": Optional[Dict[str, Any]],
    # with --promote in a project with stages: as of pipeline run
    "pipeline": Optional[Dict[str, Any]],
    # all of it
    "wall_ms": float,
}, total=False)
EXPERIMENT_TRY: Method[ExperimentTryArgs, ExperimentTryResult] = Method("experiment.try")

# Make boxes to try different things in, to be judged when they are ready
ExperimentOpenArgs = TypedDict("ExperimentOpenArgs", {
    # start from it; default: the project as it is
    "box": str,
    # a shell command that must succeed; default: the project's own way to test
    "test": str,
    # who wins: the best of all that pass (default), the first that does; all: only compare
    "mode": Literal["first", "best", "all"],
    # as the project's aisbx.yaml has it; options say otherwise
    "experiment": str,
    # must hold as well: a gate of the project's aisbx.yaml, an intent or an expression; may be given again
    "gate": List[str],
    # what branches are compared by: facts as in gates; default: how long the test took
    "score": str,
    # whether the least (default) or the most of the score is best
    "prefer": Literal["least", "most"],
    # test each K times; one that fails sometimes has not passed
    "repeat": int,
    # so many boxes; default 2
    "count": int,
    # names of the branches, in their order; default: 1, 2, ...
    "name": List[str],
    # what the boxes may do; default: as for run
    "profile": str,
    # directory cloned writable into the boxes; default: the current one
    "project": str,
}, total=False)

ExperimentOpenResultBranchesItem = TypedDict("ExperimentOpenResultBranchesItem", {
    # its place in what was asked, from 1
    "n": int,
    # as given, or its number
    "name": str,
    # as given
    "command": str,
    # its box; null: it was removed
    "box": Optional[str],
    # of the box: what was judged
    "snapshot": Optional[str],
    # winner, passed, failed, flaky (passed some of its tests), stopped or waiting
    "state": str,
    # among those that passed, from 1
    "rank": Optional[int],
    # ids of its runs: the command, then the tests
    "runs": List[Any],
    # from start to end
    "wall_ms": float,
    # of all its runs
    "cpu_ms": float,
    # most memory of one of its runs, bytes
    "mem_peak": int,
    # how many passed, failed, were skipped, if the runner says so
    "tests": Optional[Dict[str, Any]],
    # how many files it created, modified, deleted
    "changes": Optional[Dict[str, Any]],
    # by what it is compared: --score, or the milliseconds of its test
    "score": Optional[float],
    # how many of its tests passed: 3/3
    "passed_of": Optional[str],
    # why it is not the winner; empty when there is nothing to say
    "why": str,
    # the last of what its last run wrote
    "stdout_tail": str,
    # as stdout_tail
    "stderr_tail": str,
}, total=False)

# What experiment.open gives.
ExperimentOpenResult = TypedDict("ExperimentOpenResult", {
    # its id
    "experiment": str,
    # in the project's file; empty: none
    "name": str,
    # first, best or all
    "mode": str,
    # running, open, or as it ended: won, none, compared, budget, interrupted, error
    "state": str,
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # name of the branch
    "winner": Optional[str],
    # the winner's
    "box": Optional[str],
    # in their order, or ranked when it has ended
    "branches": List["ExperimentOpenResultBranchesItem"],
}, total=False)
EXPERIMENT_OPEN: Method[ExperimentOpenArgs, ExperimentOpenResult] = Method("experiment.open")

# Have a branch of an open experiment judged
ExperimentReadyArgs = TypedDict("ExperimentReadyArgs", {
    # its id; the beginning is enough
    "experiment": str,
    # name of the branch
    "branch": str,
})

# What experiment.ready gives.
ExperimentReadyResult = TypedDict("ExperimentReadyResult", {
    # its id
    "experiment": str,
    # its name
    "branch": str,
    # its test passed, every time
    "passed": bool,
    # with mode first: it was the first, and the experiment has ended
    "won": bool,
    # why not
    "why": str,
    # as a branch in the result of try
    "record": Dict[str, Any],
    # when it has won: as of experiment end
    "ended": Optional[Dict[str, Any]],
}, total=False)
EXPERIMENT_READY: Method[ExperimentReadyArgs, ExperimentReadyResult] = Method("experiment.ready")

# Show an experiment and its branches
ExperimentShowArgs = TypedDict("ExperimentShowArgs", {
    # its id; the beginning is enough
    "experiment": str,
})

ExperimentShowResultBranchesItem = TypedDict("ExperimentShowResultBranchesItem", {
    # its place in what was asked, from 1
    "n": int,
    # as given, or its number
    "name": str,
    # as given
    "command": str,
    # its box; null: it was removed
    "box": Optional[str],
    # of the box: what was judged
    "snapshot": Optional[str],
    # winner, passed, failed, flaky (passed some of its tests), stopped or waiting
    "state": str,
    # among those that passed, from 1
    "rank": Optional[int],
    # ids of its runs: the command, then the tests
    "runs": List[Any],
    # from start to end
    "wall_ms": float,
    # of all its runs
    "cpu_ms": float,
    # most memory of one of its runs, bytes
    "mem_peak": int,
    # how many passed, failed, were skipped, if the runner says so
    "tests": Optional[Dict[str, Any]],
    # how many files it created, modified, deleted
    "changes": Optional[Dict[str, Any]],
    # by what it is compared: --score, or the milliseconds of its test
    "score": Optional[float],
    # how many of its tests passed: 3/3
    "passed_of": Optional[str],
    # why it is not the winner; empty when there is nothing to say
    "why": str,
    # the last of what its last run wrote
    "stdout_tail": str,
    # as stdout_tail
    "stderr_tail": str,
}, total=False)

# What experiment.show gives.
ExperimentShowResult = TypedDict("ExperimentShowResult", {
    # its id
    "experiment": str,
    # in the project's file; empty: none
    "name": str,
    # first, best or all
    "mode": str,
    # running, open, or as it ended: won, none, compared, budget, interrupted, error
    "state": str,
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # name of the branch
    "winner": Optional[str],
    # the winner's
    "box": Optional[str],
    # in their order, or ranked when it has ended
    "branches": List["ExperimentShowResultBranchesItem"],
}, total=False)
EXPERIMENT_SHOW: Method[ExperimentShowArgs, ExperimentShowResult] = Method("experiment.show")

# List experiments
ExperimentLsArgs = TypedDict("ExperimentLsArgs", {
    # so many at most; default 20
    "limit": int,
}, total=False)

ExperimentLsResultExperimentsItemBranchesItem = TypedDict("ExperimentLsResultExperimentsItemBranchesItem", {
    # its place in what was asked, from 1
    "n": int,
    # as given, or its number
    "name": str,
    # as given
    "command": str,
    # its box; null: it was removed
    "box": Optional[str],
    # of the box: what was judged
    "snapshot": Optional[str],
    # winner, passed, failed, flaky (passed some of its tests), stopped or waiting
    "state": str,
    # among those that passed, from 1
    "rank": Optional[int],
    # ids of its runs: the command, then the tests
    "runs": List[Any],
    # from start to end
    "wall_ms": float,
    # of all its runs
    "cpu_ms": float,
    # most memory of one of its runs, bytes
    "mem_peak": int,
    # how many passed, failed, were skipped, if the runner says so
    "tests": Optional[Dict[str, Any]],
    # how many files it created, modified, deleted
    "changes": Optional[Dict[str, Any]],
    # by what it is compared: --score, or the milliseconds of its test
    "score": Optional[float],
    # how many of its tests passed: 3/3
    "passed_of": Optional[str],
    # why it is not the winner; empty when there is nothing to say
    "why": str,
    # the last of what its last run wrote
    "stdout_tail": str,
    # as stdout_tail
    "stderr_tail": str,
}, total=False)

ExperimentLsResultExperimentsItem = TypedDict("ExperimentLsResultExperimentsItem", {
    # its id
    "experiment": str,
    # in the project's file; empty: none
    "name": str,
    # first, best or all
    "mode": str,
    # running, open, or as it ended: won, none, compared, budget, interrupted, error
    "state": str,
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # name of the branch
    "winner": Optional[str],
    # the winner's
    "box": Optional[str],
    # in their order, or ranked when it has ended
    "branches": List["ExperimentLsResultExperimentsItemBranchesItem"],
}, total=False)

# What experiment.ls gives.
ExperimentLsResult = TypedDict("ExperimentLsResult", {
    # newest first
    "experiments": List["ExperimentLsResultExperimentsItem"],
}, total=False)
EXPERIMENT_LS: Method[ExperimentLsArgs, ExperimentLsResult] = Method("experiment.ls")

_ExperimentEndArgsNeeded = TypedDict("_ExperimentEndArgsNeeded", {
    # its id; the beginning is enough
    "experiment": str,
})
_ExperimentEndArgsOthers = TypedDict("_ExperimentEndArgsOthers", {
    # promote the winner, through the project's stages if it has some
    "promote": bool,
    # keep the boxes of the others, too
    "keep": bool,
}, total=False)


class ExperimentEndArgs(_ExperimentEndArgsNeeded, _ExperimentEndArgsOthers):
    """End an open experiment: the best branch that passed wins"""


ExperimentEndResultBranchesItem = TypedDict("ExperimentEndResultBranchesItem", {
    # its place in what was asked, from 1
    "n": int,
    # as given, or its number
    "name": str,
    # as given
    "command": str,
    # its box; null: it was removed
    "box": Optional[str],
    # of the box: what was judged
    "snapshot": Optional[str],
    # winner, passed, failed, flaky (passed some of its tests), stopped or waiting
    "state": str,
    # among those that passed, from 1
    "rank": Optional[int],
    # ids of its runs: the command, then the tests
    "runs": List[Any],
    # from start to end
    "wall_ms": float,
    # of all its runs
    "cpu_ms": float,
    # most memory of one of its runs, bytes
    "mem_peak": int,
    # how many passed, failed, were skipped, if the runner says so
    "tests": Optional[Dict[str, Any]],
    # how many files it created, modified, deleted
    "changes": Optional[Dict[str, Any]],
    # by what it is compared: --score, or the milliseconds of its test
    "score": Optional[float],
    # how many of its tests passed: 3/3
    "passed_of": Optional[str],
    # why it is not the winner; empty when there is nothing to say
    "why": str,
    # the last of what its last run wrote
    "stdout_tail": str,
    # as stdout_tail
    "stderr_tail": str,
}, total=False)

# What experiment.end gives.
ExperimentEndResult = TypedDict("ExperimentEndResult", {
    # its id
    "experiment": str,
    # in the project's file; empty: none
    "name": str,
    # first, best or all
    "mode": str,
    # running, open, or as it ended: won, none, compared, budget, interrupted, error
    "state": str,
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # name of the branch
    "winner": Optional[str],
    # the winner's
    "box": Optional[str],
    # in their order, or ranked when it has ended
    "branches": List["ExperimentEndResultBranchesItem"],
    # as of try
    "differs": List[Any],
    # with --promote: as of promote
    "promotion": Optional[Dict[str, Any]],
    # with --promote in a project with stages: as of pipeline run
    "pipeline": Optional[Dict[str, Any]],
}, total=False)
EXPERIMENT_END: Method[ExperimentEndArgs, ExperimentEndResult] = Method("experiment.end")

# Make a box: a branch of this machine that keeps its changes
BoxCreateArgs = TypedDict("BoxCreateArgs", {
    # directory that can be written in the box; default: the current one
    "project": str,
    # what its runs may do: a name that 'aisbx profile ls' shows, or a file (with a '/'); default: $AISBX_PROFILE, or dev
    "profile": str,
    # its life: then runs in it end, and gc removes it
    "ttl": Union[str, float],
    # give every run in it this secret, read anew each time; as in run
    "secret": List[str],
    # for others than the session or token that makes it, too; a person has all anyway
    "shared": bool,
    # keep the project as it is now, whatever is done to it outside: a copy, which takes its time
    "pin": bool,
    # take a snapshot after each run that changed something
    "autosnap": bool,
    # record every run in it, as 'run --record' does
    "record": bool,
    # its name; default: its id
    "name": str,
}, total=False)

BoxCreateResultPin = TypedDict("BoxCreateResultPin", {
    # what changes outside from then on is not in it; milliseconds since 1970
    "since_ms": int,
    # files, directories and links in it
    "files": int,
    # in these files
    "bytes": int,
    # they take no room of their own: the file system shares them
    "shared": bool,
    # files and directories that could not be read: they are empty in it
    "unreadable": int,
}, total=False)

# What box.create gives.
BoxCreateResult = TypedDict("BoxCreateResult", {
    # of the box; stays the same
    "id": str,
    # can be changed
    "name": str,
    # directory of the host it was cloned from, writable
    "project": Optional[str],
    # what its runs may do unless they say otherwise
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # how many it has
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have it, too
    "shared": bool,
    # with pin: the copy of the project
    "pin": "BoxCreateResultPin",
}, total=False)
BOX_CREATE: Method[BoxCreateArgs, BoxCreateResult] = Method("box.create")

# List boxes
BoxLsArgs = TypedDict("BoxLsArgs", {
}, total=False)

BoxLsResultBoxesItem = TypedDict("BoxLsResultBoxesItem", {
    # of the box; stays the same
    "id": str,
    # can be changed
    "name": str,
    # directory of the host it was cloned from, writable
    "project": Optional[str],
    # what its runs may do unless they say otherwise
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # how many it has
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have it, too
    "shared": bool,
    # there, moved (found elsewhere), replaced (another directory has its name) or missing
    "project_is": str,
    # where a project that was moved is now
    "project_now": Optional[str],
}, total=False)

# What box.ls gives.
BoxLsResult = TypedDict("BoxLsResult", {
    # oldest first
    "boxes": List["BoxLsResultBoxesItem"],
}, total=False)
BOX_LS: Method[BoxLsArgs, BoxLsResult] = Method("box.ls")

_BoxShowArgsNeeded = TypedDict("_BoxShowArgsNeeded", {
    # name or id of the box
    "box": str,
})
_BoxShowArgsOthers = TypedDict("_BoxShowArgsOthers", {
    # list what was changed in the real project since the box was made
    "stale": bool,
    # how long to look for what changed in the real project meanwhile; default: 300ms
    "drift": str,
}, total=False)


class BoxShowArgs(_BoxShowArgsNeeded, _BoxShowArgsOthers):
    """Show one box and its snapshots"""


BoxShowResultSnapshotListItem = TypedDict("BoxShowResultSnapshotListItem", {
    # of the snapshot
    "id": str,
    # of the snapshot
    "name": str,
    # id of the box
    "box": str,
    # milliseconds since 1970
    "created_ms": int,
    # taken by aisbx itself
    "automatic": bool,
}, total=False)

BoxShowResultStaleItem = TypedDict("BoxShowResultStaleItem", {
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
}, total=False)

BoxShowResultDriftFilesItem = TypedDict("BoxShowResultDriftFilesItem", {
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # of what was renamed: what it was called
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

BoxShowResultDrift = TypedDict("BoxShowResultDrift", {
    # since what: box, snapshot or pin
    "of": str,
    # when that was; milliseconds since 1970
    "since_ms": int,
    # files that were written; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new ones
    "added": int,
    # files and directories that are gone
    "deleted": int,
    # files and directories with another name
    "renamed": int,
    # directories from which something went, no list says what
    "lost": int,
    # with other permissions, owner, links or times; of what the box changed: whose content is as it was
    "touched": int,
    # changes that are not told, for git ignores the files
    "ignored": int,
    # files and directories that were looked at
    "looked": int,
    # false: the time was up before all were looked at, or the clock was set back
    "complete": bool,
    # the clock is behind the moment the box was made: little can be told
    "clock_back": bool,
    # of git, if it is another one now
    "branch": Optional[str],
    # the branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["BoxShowResultDriftFilesItem"],
    # why nothing can be told
    "error": str,
}, total=False)

# What box.show gives.
BoxShowResult = TypedDict("BoxShowResult", {
    # of the box; stays the same
    "id": str,
    # can be changed
    "name": str,
    # directory of the host it was cloned from, writable
    "project": Optional[str],
    # what its runs may do unless they say otherwise
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # how many it has
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have it, too
    "shared": bool,
    # there, moved (found elsewhere), replaced (another directory has its name) or missing
    "project_is": str,
    # where a project that was moved is now
    "project_now": Optional[str],
    # since when it has a copy of the project; null: it sees the real one
    "pinned_ms": Optional[int],
    # its snapshots, oldest first
    "snapshot_list": List["BoxShowResultSnapshotListItem"],
    # it was at work when the machine stopped: what it has since its last snapshot may be incomplete
    "torn": bool,
    # with --stale: what was changed outside since the box was made
    "stale": List["BoxShowResultStaleItem"],
    # what changed in the real project, outside of boxes, since the box or snapshot was made
    "drift": "BoxShowResultDrift",
}, total=False)
BOX_SHOW: Method[BoxShowArgs, BoxShowResult] = Method("box.show")

_BoxForkArgsNeeded = TypedDict("_BoxForkArgsNeeded", {
    # where to start from
    "from": str,
})
_BoxForkArgsOthers = TypedDict("_BoxForkArgsOthers", {
    # make N of them: NAME-1, NAME-2, ...
    "count": int,
    # name of the new box; default: its id
    "name": str,
    # its life: then runs in it end, and gc removes it
    "ttl": Union[str, float],
    # for others than the session or token that makes it, too; a person has all anyway
    "shared": bool,
    # how long to look for what changed in the real project meanwhile; default: 300ms
    "drift": str,
}, total=False)


class BoxForkArgs(_BoxForkArgsNeeded, _BoxForkArgsOthers):
    """Make boxes that start from a box or one of its snapshots"""


BoxForkResultBoxesItem = TypedDict("BoxForkResultBoxesItem", {
    # of the box; stays the same
    "id": str,
    # can be changed
    "name": str,
    # directory of the host it was cloned from, writable
    "project": Optional[str],
    # what its runs may do unless they say otherwise
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # how many it has
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have it, too
    "shared": bool,
}, total=False)

BoxForkResultDriftFilesItem = TypedDict("BoxForkResultDriftFilesItem", {
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # of what was renamed: what it was called
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

BoxForkResultDrift = TypedDict("BoxForkResultDrift", {
    # since what: box, snapshot or pin
    "of": str,
    # when that was; milliseconds since 1970
    "since_ms": int,
    # files that were written; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new ones
    "added": int,
    # files and directories that are gone
    "deleted": int,
    # files and directories with another name
    "renamed": int,
    # directories from which something went, no list says what
    "lost": int,
    # with other permissions, owner, links or times; of what the box changed: whose content is as it was
    "touched": int,
    # changes that are not told, for git ignores the files
    "ignored": int,
    # files and directories that were looked at
    "looked": int,
    # false: the time was up before all were looked at, or the clock was set back
    "complete": bool,
    # the clock is behind the moment the box was made: little can be told
    "clock_back": bool,
    # of git, if it is another one now
    "branch": Optional[str],
    # the branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["BoxForkResultDriftFilesItem"],
    # why nothing can be told
    "error": str,
}, total=False)

# What box.fork gives.
BoxForkResult = TypedDict("BoxForkResult", {
    # the new boxes
    "boxes": List["BoxForkResultBoxesItem"],
    # what changed in the real project, outside of boxes, since the box or snapshot was made
    "drift": "BoxForkResultDrift",
}, total=False)
BOX_FORK: Method[BoxForkArgs, BoxForkResult] = Method("box.fork")

_BoxSnapArgsNeeded = TypedDict("_BoxSnapArgsNeeded", {
    # of which box
    "box": str,
})
_BoxSnapArgsOthers = TypedDict("_BoxSnapArgsOthers", {
    # its name; default: its id
    "name": str,
    # keep the real project as it is now, too: from here on the box has a copy of it
    "pin": bool,
    # also of a box that was at work when the machine stopped: its files may be incomplete
    "as-is": bool,
}, total=False)


class BoxSnapArgs(_BoxSnapArgsNeeded, _BoxSnapArgsOthers):
    """Take a snapshot of a box"""


BoxSnapResultPin = TypedDict("BoxSnapResultPin", {
    # what changes outside from then on is not in it; milliseconds since 1970
    "since_ms": int,
    # files, directories and links in it
    "files": int,
    # in these files
    "bytes": int,
    # they take no room of their own: the file system shares them
    "shared": bool,
    # files and directories that could not be read: they are empty in it
    "unreadable": int,
}, total=False)

BoxSnapResultDriftFilesItem = TypedDict("BoxSnapResultDriftFilesItem", {
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # of what was renamed: what it was called
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

BoxSnapResultDrift = TypedDict("BoxSnapResultDrift", {
    # since what: box, snapshot or pin
    "of": str,
    # when that was; milliseconds since 1970
    "since_ms": int,
    # files that were written; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new ones
    "added": int,
    # files and directories that are gone
    "deleted": int,
    # files and directories with another name
    "renamed": int,
    # directories from which something went, no list says what
    "lost": int,
    # with other permissions, owner, links or times; of what the box changed: whose content is as it was
    "touched": int,
    # changes that are not told, for git ignores the files
    "ignored": int,
    # files and directories that were looked at
    "looked": int,
    # false: the time was up before all were looked at, or the clock was set back
    "complete": bool,
    # the clock is behind the moment the box was made: little can be told
    "clock_back": bool,
    # of git, if it is another one now
    "branch": Optional[str],
    # the branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["BoxSnapResultDriftFilesItem"],
    # why nothing can be told
    "error": str,
}, total=False)

# What box.snap gives.
BoxSnapResult = TypedDict("BoxSnapResult", {
    # of the snapshot
    "id": str,
    # unique in its box
    "name": str,
    # id of the box
    "box": str,
    # milliseconds since 1970
    "created_ms": int,
    # taken by aisbx itself
    "automatic": bool,
    # with pin: the copy of the project
    "pin": "BoxSnapResultPin",
    # what changed in the real project, outside of boxes, since the box or snapshot was made
    "drift": "BoxSnapResultDrift",
}, total=False)
BOX_SNAP: Method[BoxSnapArgs, BoxSnapResult] = Method("box.snap")

_BoxRollbackArgsNeeded = TypedDict("_BoxRollbackArgsNeeded", {
    # which box
    "box": str,
    # name or id
    "snapshot": str,
})
_BoxRollbackArgsOthers = TypedDict("_BoxRollbackArgsOthers", {
    # how long to look for what changed in the real project meanwhile; default: 300ms
    "drift": str,
}, total=False)


class BoxRollbackArgs(_BoxRollbackArgsNeeded, _BoxRollbackArgsOthers):
    """Take a box back to a snapshot"""


BoxRollbackResultDriftFilesItem = TypedDict("BoxRollbackResultDriftFilesItem", {
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # of what was renamed: what it was called
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

BoxRollbackResultDrift = TypedDict("BoxRollbackResultDrift", {
    # since what: box, snapshot or pin
    "of": str,
    # when that was; milliseconds since 1970
    "since_ms": int,
    # files that were written; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new ones
    "added": int,
    # files and directories that are gone
    "deleted": int,
    # files and directories with another name
    "renamed": int,
    # directories from which something went, no list says what
    "lost": int,
    # with other permissions, owner, links or times; of what the box changed: whose content is as it was
    "touched": int,
    # changes that are not told, for git ignores the files
    "ignored": int,
    # files and directories that were looked at
    "looked": int,
    # false: the time was up before all were looked at, or the clock was set back
    "complete": bool,
    # the clock is behind the moment the box was made: little can be told
    "clock_back": bool,
    # of git, if it is another one now
    "branch": Optional[str],
    # the branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["BoxRollbackResultDriftFilesItem"],
    # why nothing can be told
    "error": str,
}, total=False)

# What box.rollback gives.
BoxRollbackResult = TypedDict("BoxRollbackResult", {
    # its name
    "box": str,
    # what it is like again
    "snapshot": str,
    # what changed in the real project, outside of boxes, since the box or snapshot was made
    "drift": "BoxRollbackResultDrift",
}, total=False)
BOX_ROLLBACK: Method[BoxRollbackArgs, BoxRollbackResult] = Method("box.rollback")

# Show the history of all boxes as a tree
BoxTreeArgs = TypedDict("BoxTreeArgs", {
}, total=False)

BoxTreeResultBoxesItem = TypedDict("BoxTreeResultBoxesItem", {
    # of the box; stays the same
    "id": str,
    # can be changed
    "name": str,
    # directory of the host it was cloned from, writable
    "project": Optional[str],
    # what its runs may do unless they say otherwise
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # how many it has
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have it, too
    "shared": bool,
    # id of the snapshot it goes on from; null: the machine as it is
    "on": Optional[str],
}, total=False)

BoxTreeResultSnapshotsItem = TypedDict("BoxTreeResultSnapshotsItem", {
    # of the snapshot
    "id": str,
    # unique in its box
    "name": str,
    # id of the box
    "box": str,
    # milliseconds since 1970
    "created_ms": int,
    # taken by aisbx itself
    "automatic": bool,
    # id of the snapshot before it; null: the machine as it is
    "parent": Optional[str],
}, total=False)

# What box.tree gives.
BoxTreeResult = TypedDict("BoxTreeResult", {
    # every box
    "boxes": List["BoxTreeResultBoxesItem"],
    # every snapshot
    "snapshots": List["BoxTreeResultSnapshotsItem"],
}, total=False)
BOX_TREE: Method[BoxTreeArgs, BoxTreeResult] = Method("box.tree")

_BoxRenameArgsNeeded = TypedDict("_BoxRenameArgsNeeded", {
    # name or id of the box
    "box": str,
})
_BoxRenameArgsOthers = TypedDict("_BoxRenameArgsOthers", {
    # its new name
    "name": str,
    # where its project is now, which was moved or renamed
    "project": str,
}, total=False)


class BoxRenameArgs(_BoxRenameArgsNeeded, _BoxRenameArgsOthers):
    """Give a box another name, or tell it where its project went"""


# What box.rename gives.
BoxRenameResult = TypedDict("BoxRenameResult", {
    # of the box
    "id": str,
    # its name from now on
    "name": str,
    # directory of its project from now on
    "project": Optional[str],
}, total=False)
BOX_RENAME: Method[BoxRenameArgs, BoxRenameResult] = Method("box.rename")

# Give a box a longer or a shorter life
BoxRenewArgs = TypedDict("BoxRenewArgs", {
    # name or id of the box
    "box": str,
    # from now on; 0: it has no end
    "ttl": Union[str, float],
})

# What box.renew gives.
BoxRenewResult = TypedDict("BoxRenewResult", {
    # of the box; stays the same
    "id": str,
    # can be changed
    "name": str,
    # directory of the host it was cloned from, writable
    "project": Optional[str],
    # what its runs may do unless they say otherwise
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # how many it has
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have it, too
    "shared": bool,
}, total=False)
BOX_RENEW: Method[BoxRenewArgs, BoxRenewResult] = Method("box.renew")

# Remove boxes with everything in them
BoxRmArgs = TypedDict("BoxRmArgs", {
    # names or ids of the boxes
    "boxes": List[str],
})

# What box.rm gives.
BoxRmResult = TypedDict("BoxRmResult", {
    # names of the boxes that are gone
    "removed": List[Any],
}, total=False)
BOX_RM: Method[BoxRmArgs, BoxRmResult] = Method("box.rm")

# Remove expired boxes and layers nobody needs
BoxGcArgs = TypedDict("BoxGcArgs", {
}, total=False)

# What box.gc gives.
BoxGcResult = TypedDict("BoxGcResult", {
    # boxes removed because their time had come
    "expired": int,
    # layers removed because nothing stood on them
    "layers": int,
    # promotions that cannot be taken back any more
    "promotions": int,
    # directories a crash had left
    "leftovers": int,
    # layers, promotions and artifacts that no record speaks of: moved to 'lost' in the state directory
    "aside": int,
    # times at which that was done more than 30 days ago: what was moved then was removed
    "forgotten": int,
    # logs of detached runs, older than a week or beyond 1 GiB
    "logs": int,
}, total=False)
BOX_GC: Method[BoxGcArgs, BoxGcResult] = Method("box.gc")

_BoxDiffArgsNeeded = TypedDict("_BoxDiffArgsNeeded", {
    # what to compare with the real project
    "box": str,
})
_BoxDiffArgsOthers = TypedDict("_BoxDiffArgsOthers", {
    # instead: from the first to this one
    "other": str,
    # as a patch for 'git apply' or 'patch -p1'; of binary files only that they differ
    "patch": bool,
    # what git ignores, too
    "ignored": bool,
    # count lines, as 'git diff --stat' does
    "stat": bool,
    # how long to look for what changed in the real project meanwhile; default: 300ms
    "drift": str,
}, total=False)


class BoxDiffArgs(_BoxDiffArgsNeeded, _BoxDiffArgsOthers):
    """Show what a box changed"""


BoxDiffResultSummary = TypedDict("BoxDiffResultSummary", {
    # only in the second
    "created": int,
    # other content
    "modified": int,
    # only in the first
    "deleted": int,
    # another type of file
    "replaced": int,
    # other permissions, same content
    "mode": int,
    # other extended attributes, the rest the same
    "xattr": int,
}, total=False)

BoxDiffResultChangesItemOld = TypedDict("BoxDiffResultChangesItemOld", {
    # null when it is no UTF-8; then its bytes are in target_hex
    "target": Optional[str],
}, total=False)

BoxDiffResultChangesItemNew = TypedDict("BoxDiffResultChangesItemNew", {
    # null when it is no UTF-8; then its bytes are in target_hex
    "target": Optional[str],
}, total=False)

BoxDiffResultChangesItem = TypedDict("BoxDiffResultChangesItem", {
    # as in the summary
    "kind": str,
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # file, directory, symlink, fifo, socket or device
    "type": str,
    # mode and size before, if it was there; target of a symlink
    "old": "BoxDiffResultChangesItemOld",
    # mode and size after, if it is there; target of a symlink
    "new": "BoxDiffResultChangesItemNew",
    # of a file: NUL in its first 8000 bytes; null when it cannot be read
    "binary": Optional[bool],
    # with stat or patch: lines; null of what is no text
    "added": Optional[int],
    # as added
    "removed": Optional[int],
}, total=False)

BoxDiffResultIgnored = TypedDict("BoxDiffResultIgnored", {
    # files and links
    "files": int,
    # in them
    "bytes": int,
}, total=False)

BoxDiffResultRepositoriesItem = TypedDict("BoxDiffResultRepositoriesItem", {
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
}, total=False)

BoxDiffResultStat = TypedDict("BoxDiffResultStat", {
    # files and symlinks, not those with other times or attributes only
    "files": int,
    # lines
    "insertions": int,
    # lines
    "deletions": int,
}, total=False)

BoxDiffResultDriftFilesItem = TypedDict("BoxDiffResultDriftFilesItem", {
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # of what was renamed: what it was called
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

BoxDiffResultDrift = TypedDict("BoxDiffResultDrift", {
    # since what: box, snapshot or pin
    "of": str,
    # when that was; milliseconds since 1970
    "since_ms": int,
    # files that were written; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new ones
    "added": int,
    # files and directories that are gone
    "deleted": int,
    # files and directories with another name
    "renamed": int,
    # directories from which something went, no list says what
    "lost": int,
    # with other permissions, owner, links or times; of what the box changed: whose content is as it was
    "touched": int,
    # changes that are not told, for git ignores the files
    "ignored": int,
    # files and directories that were looked at
    "looked": int,
    # false: the time was up before all were looked at, or the clock was set back
    "complete": bool,
    # the clock is behind the moment the box was made: little can be told
    "clock_back": bool,
    # of git, if it is another one now
    "branch": Optional[str],
    # the branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["BoxDiffResultDriftFilesItem"],
    # why nothing can be told
    "error": str,
}, total=False)

# What box.diff gives.
BoxDiffResult = TypedDict("BoxDiffResult", {
    # directory the paths are below
    "project": str,
    # how many of each kind
    "summary": "BoxDiffResultSummary",
    # sorted by path
    "changes": List["BoxDiffResultChangesItem"],
    # only when there are more than can be listed: of each list that lacks some, how many
    "more": Dict[str, Any],
    # left out, for git ignores it
    "ignored": "BoxDiffResultIgnored",
    # git directories in which something happened; promote tells what
    "repositories": List["BoxDiffResultRepositoriesItem"],
    # with stat: sums
    "stat": "BoxDiffResultStat",
    # with patch: unified; bytes that are not UTF-8 become U+FFFD, so that it may not apply
    "patch": str,
    # what changed in the real project, outside of boxes, since the box or snapshot was made
    "drift": "BoxDiffResultDrift",
}, total=False)
BOX_DIFF: Method[BoxDiffArgs, BoxDiffResult] = Method("box.diff")

_BoxCombineArgsNeeded = TypedDict("_BoxCombineArgsNeeded", {
    # the first box
    "box": str,
    # the box whose changes come on top
    "other": str,
})
_BoxCombineArgsOthers = TypedDict("_BoxCombineArgsOthers", {
    # of the new box; default: its id
    "name": str,
    # what becomes of conflicts: stop (default: no box is made), keep the first box's version, or overwrite it
    "conflict": Literal["stop", "keep", "overwrite"],
}, total=False)


class BoxCombineArgs(_BoxCombineArgsNeeded, _BoxCombineArgsOthers):
    """Make one box of the changes of two"""


BoxCombineResultChangesItem = TypedDict("BoxCombineResultChangesItem", {
    # below the target; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # what the box did: created, modified, deleted, replaced, mode, xattr or touched
    "kind": str,
    # file, directory, symlink, fifo, socket or device
    "type": str,
    # apply, merge or conflict
    "outcome": str,
}, total=False)

BoxCombineResultConflictsItem = TypedDict("BoxCombineResultConflictsItem", {
    # below the target; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # what the box did
    "box": str,
    # what the other side did meanwhile
    "host": str,
    # for a person
    "reason": str,
    # what --conflict said
    "resolution": str,
}, total=False)

# What box.combine gives.
BoxCombineResult = TypedDict("BoxCombineResult", {
    # the new one, as in show; null when conflicts stand against it
    "box": Optional[Dict[str, Any]],
    # a directory before what is in it
    "changes": List["BoxCombineResultChangesItem"],
    # each path once
    "conflicts": List["BoxCombineResultConflictsItem"],
    # only when there are more than can be listed: of each list that lacks some, how many
    "more": Dict[str, Any],
}, total=False)
BOX_COMBINE: Method[BoxCombineArgs, BoxCombineResult] = Method("box.combine")

_RepoCommitArgsNeeded = TypedDict("_RepoCommitArgsNeeded", {
    # name or id
    "box": str,
    # what the commit says
    "message": str,
})
_RepoCommitArgsOthers = TypedDict("_RepoCommitArgsOthers", {
    # who commits; default: as your own git configuration says
    "author": str,
    # only what was added in the box before (git add)
    "staged": bool,
    # only these, below the project; default: all that changed
    "paths": List[str],
}, total=False)


class RepoCommitArgs(_RepoCommitArgsNeeded, _RepoCommitArgsOthers):
    """Make a git commit in a box"""


RepoCommitResultFilesItem = TypedDict("RepoCommitResultFilesItem", {
    # added, modified, deleted, type or changed
    "change": str,
    # in the repository; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
}, total=False)

# What repo.commit gives.
RepoCommitResult = TypedDict("RepoCommitResult", {
    # its id
    "commit": str,
    # that it is on; null: none
    "branch": Optional[str],
    # id of the run that made it
    "run": str,
    # what it changes, against the commit before
    "files": List["RepoCommitResultFilesItem"],
    # files past the thousandth
    "files_not_listed": int,
}, total=False)
REPO_COMMIT: Method[RepoCommitArgs, RepoCommitResult] = Method("repo.commit")

_PromoteArgsNeeded = TypedDict("_PromoteArgsNeeded", {
    # whose changes
    "box": str,
})
_PromoteArgsOthers = TypedDict("_PromoteArgsOthers", {
    # only these, with all below them
    "paths": List[str],
    # another directory than the project
    "to": str,
    # one file or directory of the box, changed or not; --to says where
    "artifact": str,
    # what git ignores, too: build products, caches, secrets in .env
    "ignored": bool,
    # branches and tags of its repositories that the box is not on, too
    "refs": bool,
    # join commits of both sides in a fork of the box, judge that by the gates, bring it home
    "merge": bool,
    # as --merge, with the box's commits put on top of the real ones
    "rebase": bool,
    # only show what would happen
    "dry-run": bool,
    # go on in spite of the traps that are shown
    "yes": bool,
    # go on though this secret, given to the box by --secret, is in it
    "allow-secret": List[str],
    # of conflicts: stop (default: nothing is changed), keep the real file, overwrite it, put the box's version beside it (both), mark the lines in it (mark)
    "conflict": Literal["stop", "keep", "overwrite", "both", "mark"],
    # how long to look for what changed in the real project meanwhile; default: 300ms
    "drift": str,
}, total=False)


class PromoteArgs(_PromoteArgsNeeded, _PromoteArgsOthers):
    """Bring a box's changes into the real project"""


PromoteResultSummary = TypedDict("PromoteResultSummary", {
    # files and directories
    "created": int,
    # other content
    "modified": int,
    # a directory counts once
    "deleted": int,
    # another type of file
    "replaced": int,
    # other permissions or owner, same content
    "mode": int,
    # other extended attributes, the rest the same
    "xattr": int,
    # another time, the rest the same
    "touched": int,
    # of these: changed on both sides, and both went in
    "merged": int,
    # changed on both sides, and only one can be
    "conflicts": int,
    # changes that would run code later
    "traps": int,
    # places where a secret is that was not allowed
    "secrets": int,
}, total=False)

PromoteResultChangesItem = TypedDict("PromoteResultChangesItem", {
    # below the target; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # what the box did: created, modified, deleted, replaced, mode, xattr or touched
    "kind": str,
    # file, directory, symlink, fifo, socket or device
    "type": str,
    # apply, merge or conflict
    "outcome": str,
}, total=False)

PromoteResultConflictsItem = TypedDict("PromoteResultConflictsItem", {
    # below the target; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # what the box did
    "box": str,
    # what the other side did meanwhile
    "host": str,
    # for a person
    "reason": str,
    # what --conflict said
    "resolution": str,
}, total=False)

PromoteResultTrapsItem = TypedDict("PromoteResultTrapsItem", {
    # below the target; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # git-hook, git-config, editor, agent, tool, lifecycle, startup, ci, gate, setuid, symlink or capability
    "kind": str,
    # for a person
    "why": str,
}, total=False)

PromoteResultSecretsItem = TypedDict("PromoteResultSecretsItem", {
    # below the target; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # as --secret named it
    "name": str,
    # plain, base64, hex, url-encoded or escaped
    "form": str,
    # it is named by allow-secret
    "allowed": bool,
}, total=False)

PromoteResultStaleItem = TypedDict("PromoteResultStaleItem", {
    # below the target; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # what was done to it
    "host": str,
}, total=False)

PromoteResultIgnored = TypedDict("PromoteResultIgnored", {
    # files and links
    "files": int,
    # in them
    "bytes": int,
}, total=False)

PromoteResultBranchesItem = TypedDict("PromoteResultBranchesItem", {
    # of the work tree, below the target; "" is the target; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # as the real repository has it: refs/heads/main
    "branch": str,
    # as the box has it
    "from": str,
    # the commit it stood at; null: there was none
    "old": Optional[str],
    # the commit it stands at
    "new": Optional[str],
    # forward, created, aside (the real one went another way), repository (a new one) or switched
    "how": str,
    # that are new to the real repository
    "commits": int,
}, total=False)

PromoteResultLeftItem = TypedDict("PromoteResultLeftItem", {
    # below the target; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # fifo, socket or device
    "type": str,
}, total=False)

PromoteResultDriftFilesItem = TypedDict("PromoteResultDriftFilesItem", {
    # below the project; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # of what was renamed: what it was called
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

PromoteResultDrift = TypedDict("PromoteResultDrift", {
    # since what: box, snapshot or pin
    "of": str,
    # when that was; milliseconds since 1970
    "since_ms": int,
    # files that were written; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new ones
    "added": int,
    # files and directories that are gone
    "deleted": int,
    # files and directories with another name
    "renamed": int,
    # directories from which something went, no list says what
    "lost": int,
    # with other permissions, owner, links or times; of what the box changed: whose content is as it was
    "touched": int,
    # changes that are not told, for git ignores the files
    "ignored": int,
    # files and directories that were looked at
    "looked": int,
    # false: the time was up before all were looked at, or the clock was set back
    "complete": bool,
    # the clock is behind the moment the box was made: little can be told
    "clock_back": bool,
    # of git, if it is another one now
    "branch": Optional[str],
    # the branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["PromoteResultDriftFilesItem"],
    # why nothing can be told
    "error": str,
}, total=False)

# What promote gives.
PromoteResult = TypedDict("PromoteResult", {
    # its id, for undo; null when nothing was changed
    "promotion": Optional[str],
    # name of the box
    "box": str,
    # its id
    "box_id": str,
    # directory the paths are below
    "target": str,
    # the target was changed
    "applied": bool,
    # it was only asked
    "dry_run": bool,
    # how many of each kind
    "summary": "PromoteResultSummary",
    # a directory before what is in it
    "changes": List["PromoteResultChangesItem"],
    # each path once
    "conflicts": List["PromoteResultConflictsItem"],
    # only when there are more than can be listed: of each list that lacks some, how many
    "more": Dict[str, Any],
    # changes that would run code later, or lead out of the tree
    "traps": List["PromoteResultTrapsItem"],
    # secrets of the box, in names, contents, links or attributes; nothing is changed while one is not allowed
    "secrets": List["PromoteResultSecretsItem"],
    # what was changed outside since the box took it, of what the box changed
    "stale": List["PromoteResultStaleItem"],
    # left out, for git ignores it
    "ignored": "PromoteResultIgnored",
    # of git: what moved, or would
    "branches": List["PromoteResultBranchesItem"],
    # of git: what stayed in the box
    "stayed": List[Any],
    # pipes, sockets and devices that the box made: they stay there
    "left": List["PromoteResultLeftItem"],
    # a sentence: the real project is on another branch than when the box began; stops as a conflict does
    "switched": Optional[str],
    # what failed after the target was changed; the change itself is whole
    "error": str,
    # what changed in the real project, outside of boxes, since the box or snapshot was made
    "drift": "PromoteResultDrift",
}, total=False)
PROMOTE: Method[PromoteArgs, PromoteResult] = Method("promote")

# Take a promotion back
UndoArgs = TypedDict("UndoArgs", {
    # which; default: the newest of this project
    "promotion": str,
    # without PROMOTION: the newest of this box
    "box": str,
    # without PROMOTION: the newest of the project that DIR is in
    "project": str,
    # only show what stands against it
    "dry-run": bool,
    # what becomes of files that were changed since: stop (default: nothing is taken back), keep them, or overwrite them (they are put aside for a month)
    "conflict": Literal["stop", "keep", "overwrite"],
}, total=False)

UndoResultConflictsItem = TypedDict("UndoResultConflictsItem", {
    # below the target; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
}, total=False)

# What undo gives.
UndoResult = TypedDict("UndoResult", {
    # which
    "promotion": str,
    # name its box had
    "box": str,
    # directory the paths are below
    "target": str,
    # the target is as it was before
    "undone": bool,
    # it was only asked
    "dry_run": bool,
    # what was changed since the promotion
    "conflicts": List["UndoResultConflictsItem"],
    # only when there are more than can be listed: of each list that lacks some, how many
    "more": Dict[str, Any],
    # what could not be taken back besides, in a sentence
    "error": str,
}, total=False)
UNDO: Method[UndoArgs, UndoResult] = Method("undo")

# Finish a promotion that was cut off; make a lost store anew
RecoverArgs = TypedDict("RecoverArgs", {
    # leave one that cannot be finished half done, for good; what it replaced stays in promotions/broken-ID of the state directory
    "give-up": bool,
    # make the store anew, when it is gone, damaged or an older copy, from what lies beside it; the old file is kept
    "rebuild": bool,
}, total=False)

RecoverResultRecoveredItem = TypedDict("RecoverResultRecoveredItem", {
    # which
    "promotion": str,
    # finished (the tree is the new one), discarded or taken back (it is the old one), or given up
    "action": str,
}, total=False)

RecoverResultRebuilt = TypedDict("RecoverResultRebuilt", {
    # boxes
    "boxes": int,
    # snapshots
    "snapshots": int,
    # promotions that can be taken back
    "promotions": int,
    # artifacts that were kept
    "artifacts": int,
    # runs of the history: those that could be read of the old store
    "runs": int,
    # what the old file is called now, in the state directory; null: there was none
    "aside": Optional[str],
    # in words: what could not be had
    "missing": List[Any],
}, total=False)

# What recover gives.
RecoverResult = TypedDict("RecoverResult", {
    # empty when nothing was broken
    "recovered": List["RecoverResultRecoveredItem"],
    # only with --rebuild: what the new store has
    "rebuilt": "RecoverResultRebuilt",
}, total=False)
RECOVER: Method[RecoverArgs, RecoverResult] = Method("recover")

# Show what has run
RunHistoryArgs = TypedDict("RunHistoryArgs", {
    # only this one, with its whole result; the beginning of its id is enough
    "run": str,
    # only of this box
    "box": str,
    # only runs that ended so
    "status": Literal["ok", "failed", "limit", "denied", "interrupted", "error"],
    # only commands that contain this
    "match": str,
    # only of the last TIME, e.g. 2h
    "since": Union[str, float],
    # at most N; default 20
    "limit": int,
    # with results: usage, violations, walls
    "full": bool,
    # not runs, but what happened to boxes
    "events": bool,
}, total=False)

RunHistoryResultRunsItem = TypedDict("RunHistoryResultRunsItem", {
    # id
    "run": str,
    # id of its box, null if that went with the run
    "box": Optional[str],
    # as in the result of run
    "status": str,
    # of the command
    "exit_code": Optional[int],
    # milliseconds since 1970
    "started_ms": int,
    # how long it took
    "wall_ms": float,
    # with its arguments
    "command": str,
    # with RUN or --full: the result of run, without output; null if none was kept
    "result": Optional[Dict[str, Any]],
}, total=False)

RunHistoryResultEventsItem = TypedDict("RunHistoryResultEventsItem", {
    # grows with every event
    "seq": int,
    # milliseconds since 1970
    "time_ms": int,
    # box.created, box.forked, box.snapshotted, box.rolled-back, box.removed, box.expired
    "kind": str,
    # id of the box
    "box": Optional[str],
    # id of the run
    "run": Optional[str],
    # more about it, by kind: name, snapshot, from
    "what": Optional[Dict[str, Any]],
}, total=False)

# What run.history gives.
RunHistoryResult = TypedDict("RunHistoryResult", {
    # newest first; not there with --events
    "runs": List["RunHistoryResultRunsItem"],
    # newest first; only there with --events
    "events": List["RunHistoryResultEventsItem"],
}, total=False)
RUN_HISTORY: Method[RunHistoryArgs, RunHistoryResult] = Method("run.history")

# Tell what programs would do, before they run
CodeScanArgs = TypedDict("CodeScanArgs", {
    # what to scan; '-' is standard input
    "files": List[str],
    # instead: every file a box changed that is in a language it can read
    "box": str,
    # the language; default: by the name of the file, then by its first line (#!)
    "lang": Literal["python", "javascript", "typescript", "shell"],
    # the rules: a file, or a name in ~/.config/aisbx/scan or /etc/aisbx/scan; default: those built in
    "policy": str,
    # as a SARIF 2.1.0 log, for editors and code hosts
    "sarif": bool,
    # also everything that was found and rules could judge: for who writes rules
    "facts": bool,
}, total=False)

CodeScanResultFindingsItem = TypedDict("CodeScanResultFindingsItem", {
    # its id in the policy
    "rule": str,
    # low, medium, high or critical
    "severity": str,
    # import, call, use, command, write, text, hidden, broken or unread
    "kind": str,
    # what was found: of a module, a function, a command, a file; or a text
    "name": str,
    # the same with its arguments; '?' stands for what only running would tell
    "call": str,
    # by an alias, a text put together or the like
    "indirect": bool,
    # in a program inside a text
    "nested": bool,
    # from 1
    "line": int,
    # from 1, in bytes
    "column": int,
    # where it ends
    "end_line": int,
    # one behind its last byte
    "end_column": int,
    # the line of the source, or the part of a long one
    "text": str,
    # bytes of the line before that part
    "text_offset": int,
    # the reason of the rule
    "why": str,
    # what to do instead
    "advice": Optional[str],
}, total=False)

CodeScanResultFilesItemFindingsItem = TypedDict("CodeScanResultFilesItemFindingsItem", {
    # its id in the policy
    "rule": str,
    # low, medium, high or critical
    "severity": str,
    # import, call, use, command, write, text, hidden, broken or unread
    "kind": str,
    # what was found: of a module, a function, a command, a file; or a text
    "name": str,
    # the same with its arguments; '?' stands for what only running would tell
    "call": str,
    # by an alias, a text put together or the like
    "indirect": bool,
    # in a program inside a text
    "nested": bool,
    # from 1
    "line": int,
    # from 1, in bytes
    "column": int,
    # where it ends
    "end_line": int,
    # one behind its last byte
    "end_column": int,
    # the line of the source, or the part of a long one
    "text": str,
    # bytes of the line before that part
    "text_offset": int,
    # the reason of the rule
    "why": str,
    # what to do instead
    "advice": Optional[str],
}, total=False)

CodeScanResultFilesItem = TypedDict("CodeScanResultFilesItem", {
    # as named, or below the project of the box; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # python, javascript, typescript or shell
    "language": str,
    # of the program
    "bytes": int,
    # none, low, medium, high or critical: that of its worst finding
    "risk": str,
    # what the policy says to that: allow, warn, sandbox, ask or refuse
    "action": str,
    # findings that are not listed
    "more": int,
    # by line and column
    "findings": List["CodeScanResultFilesItemFindingsItem"],
}, total=False)

# What code.scan gives.
CodeScanResult = TypedDict("CodeScanResult", {
    # the rules it was judged by
    "policy": str,
    # programs
    "scanned": int,
    # with several files or a box: changed files in no language it can read
    "skipped": int,
    # of the program; also null for standard input; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # python, javascript, typescript or shell
    "language": str,
    # of the program
    "bytes": int,
    # none, low, medium, high or critical: that of its worst finding
    "risk": str,
    # what the policy says to that: allow, warn, sandbox, ask or refuse
    "action": str,
    # findings that are not listed
    "more": int,
    # by line and column
    "findings": List["CodeScanResultFindingsItem"],
    # with facts: kind, name, args, from, indirect, nested, line and column of each
    "facts": List[Any],
    # with several files or a box: path, language, bytes, risk, action, more and findings of each that has some
    "files": List["CodeScanResultFilesItem"],
    # with sarif: the log
    "sarif": Dict[str, Any],
}, total=False)
CODE_SCAN: Method[CodeScanArgs, CodeScanResult] = Method("code.scan")

_PipelineRunArgsNeeded = TypedDict("_PipelineRunArgsNeeded", {
    # whose changes
    "box": str,
})
_PipelineRunArgsOthers = TypedDict("_PipelineRunArgsOthers", {
    # stop behind this stage; default: all of them
    "to": str,
    # what becomes of files of a directory that were changed on both sides: stop there (default), keep them, or overwrite them
    "conflict": Literal["stop", "keep", "overwrite"],
    # you approve of every stage that asks; commands of stages run outside of any box
    "yes": bool,
}, total=False)


class PipelineRunArgs(_PipelineRunArgsNeeded, _PipelineRunArgsOthers):
    """Bring a box's changes through the stages of its project"""


PipelineRunResultStagesItemTarget = TypedDict("PipelineRunResultStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # how many of each kind of change; see promote
    "summary": Dict[str, Any],
    # changes that would run code later; see promote
    "traps": List[Any],
    # changed on both sides; see promote
    "conflicts": List[Any],
}, total=False)

PipelineRunResultStagesItemBeforeChecksItem = TypedDict("PipelineRunResultStagesItemBeforeChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineRunResultStagesItemBefore = TypedDict("PipelineRunResultStagesItemBefore", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineRunResultStagesItemBeforeChecksItem"],
}, total=False)

PipelineRunResultStagesItemAfterChecksItem = TypedDict("PipelineRunResultStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineRunResultStagesItemAfter = TypedDict("PipelineRunResultStagesItemAfter", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineRunResultStagesItemAfterChecksItem"],
}, total=False)

PipelineRunResultStagesItemApproval = TypedDict("PipelineRunResultStagesItemApproval", {
    # yes or no
    "approved": bool,
    # who
    "name": str,
    # user id
    "uid": int,
    # approve, terminal, yes or asked
    "way": str,
    # as given
    "note": str,
    # milliseconds since 1970
    "time_ms": int,
}, total=False)

PipelineRunResultStagesItem = TypedDict("PipelineRunResultStagesItem", {
    # its name
    "stage": str,
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look)
    "state": str,
    # for a person
    "why": Optional[str],
    # id of what was put into its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # where it goes, and what would change there
    "target": "PipelineRunResultStagesItemTarget",
    # what its gates said of what would go in
    "before": "PipelineRunResultStagesItemBefore",
    # what its gates said of its target then
    "after": "PipelineRunResultStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # the end of what its command wrote
    "output": str,
    # what a person said of it
    "approval": Optional["PipelineRunResultStagesItemApproval"],
}, total=False)

# What pipeline.run gives.
PipelineRunResult = TypedDict("PipelineRunResult", {
    # its id
    "pipeline": str,
    # running (or cut off: 'live' tells), waiting, done, stopped or undone
    "state": str,
    # somebody works on it, or on another of its project, now
    "live": bool,
    # name its box had
    "box": str,
    # id of what goes through
    "snapshot": str,
    # whose aisbx.yaml says which stages there are
    "project": str,
    # it is being, or was, taken back
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in their order
    "stages": List["PipelineRunResultStagesItem"],
}, total=False)
PIPELINE_RUN: Method[PipelineRunArgs, PipelineRunResult] = Method("pipeline.run")

# Go on with a pipeline that was cut off, or that waited
PipelineResumeArgs = TypedDict("PipelineResumeArgs", {
    # id of the pipeline; its beginning is enough
    "pipeline": str,
})

PipelineResumeResultStagesItemTarget = TypedDict("PipelineResumeResultStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # how many of each kind of change; see promote
    "summary": Dict[str, Any],
    # changes that would run code later; see promote
    "traps": List[Any],
    # changed on both sides; see promote
    "conflicts": List[Any],
}, total=False)

PipelineResumeResultStagesItemBeforeChecksItem = TypedDict("PipelineResumeResultStagesItemBeforeChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineResumeResultStagesItemBefore = TypedDict("PipelineResumeResultStagesItemBefore", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineResumeResultStagesItemBeforeChecksItem"],
}, total=False)

PipelineResumeResultStagesItemAfterChecksItem = TypedDict("PipelineResumeResultStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineResumeResultStagesItemAfter = TypedDict("PipelineResumeResultStagesItemAfter", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineResumeResultStagesItemAfterChecksItem"],
}, total=False)

PipelineResumeResultStagesItemApproval = TypedDict("PipelineResumeResultStagesItemApproval", {
    # yes or no
    "approved": bool,
    # who
    "name": str,
    # user id
    "uid": int,
    # approve, terminal, yes or asked
    "way": str,
    # as given
    "note": str,
    # milliseconds since 1970
    "time_ms": int,
}, total=False)

PipelineResumeResultStagesItem = TypedDict("PipelineResumeResultStagesItem", {
    # its name
    "stage": str,
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look)
    "state": str,
    # for a person
    "why": Optional[str],
    # id of what was put into its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # where it goes, and what would change there
    "target": "PipelineResumeResultStagesItemTarget",
    # what its gates said of what would go in
    "before": "PipelineResumeResultStagesItemBefore",
    # what its gates said of its target then
    "after": "PipelineResumeResultStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # the end of what its command wrote
    "output": str,
    # what a person said of it
    "approval": Optional["PipelineResumeResultStagesItemApproval"],
}, total=False)

# What pipeline.resume gives.
PipelineResumeResult = TypedDict("PipelineResumeResult", {
    # its id
    "pipeline": str,
    # running (or cut off: 'live' tells), waiting, done, stopped or undone
    "state": str,
    # somebody works on it, or on another of its project, now
    "live": bool,
    # name its box had
    "box": str,
    # id of what goes through
    "snapshot": str,
    # whose aisbx.yaml says which stages there are
    "project": str,
    # it is being, or was, taken back
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in their order
    "stages": List["PipelineResumeResultStagesItem"],
}, total=False)
PIPELINE_RESUME: Method[PipelineResumeArgs, PipelineResumeResult] = Method("pipeline.resume")

# Show a pipeline and how far it came
PipelineShowArgs = TypedDict("PipelineShowArgs", {
    # id of the pipeline; its beginning is enough
    "pipeline": str,
})

PipelineShowResultStagesItemTarget = TypedDict("PipelineShowResultStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # how many of each kind of change; see promote
    "summary": Dict[str, Any],
    # changes that would run code later; see promote
    "traps": List[Any],
    # changed on both sides; see promote
    "conflicts": List[Any],
}, total=False)

PipelineShowResultStagesItemBeforeChecksItem = TypedDict("PipelineShowResultStagesItemBeforeChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineShowResultStagesItemBefore = TypedDict("PipelineShowResultStagesItemBefore", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineShowResultStagesItemBeforeChecksItem"],
}, total=False)

PipelineShowResultStagesItemAfterChecksItem = TypedDict("PipelineShowResultStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineShowResultStagesItemAfter = TypedDict("PipelineShowResultStagesItemAfter", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineShowResultStagesItemAfterChecksItem"],
}, total=False)

PipelineShowResultStagesItemApproval = TypedDict("PipelineShowResultStagesItemApproval", {
    # yes or no
    "approved": bool,
    # who
    "name": str,
    # user id
    "uid": int,
    # approve, terminal, yes or asked
    "way": str,
    # as given
    "note": str,
    # milliseconds since 1970
    "time_ms": int,
}, total=False)

PipelineShowResultStagesItem = TypedDict("PipelineShowResultStagesItem", {
    # its name
    "stage": str,
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look)
    "state": str,
    # for a person
    "why": Optional[str],
    # id of what was put into its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # where it goes, and what would change there
    "target": "PipelineShowResultStagesItemTarget",
    # what its gates said of what would go in
    "before": "PipelineShowResultStagesItemBefore",
    # what its gates said of its target then
    "after": "PipelineShowResultStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # the end of what its command wrote
    "output": str,
    # what a person said of it
    "approval": Optional["PipelineShowResultStagesItemApproval"],
}, total=False)

# What pipeline.show gives.
PipelineShowResult = TypedDict("PipelineShowResult", {
    # its id
    "pipeline": str,
    # running (or cut off: 'live' tells), waiting, done, stopped or undone
    "state": str,
    # somebody works on it, or on another of its project, now
    "live": bool,
    # name its box had
    "box": str,
    # id of what goes through
    "snapshot": str,
    # whose aisbx.yaml says which stages there are
    "project": str,
    # it is being, or was, taken back
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in their order
    "stages": List["PipelineShowResultStagesItem"],
}, total=False)
PIPELINE_SHOW: Method[PipelineShowArgs, PipelineShowResult] = Method("pipeline.show")

# List pipelines
PipelineLsArgs = TypedDict("PipelineLsArgs", {
    # at most N; default 20
    "limit": int,
}, total=False)

PipelineLsResultPipelinesItemStagesItemTarget = TypedDict("PipelineLsResultPipelinesItemStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # how many of each kind of change; see promote
    "summary": Dict[str, Any],
    # changes that would run code later; see promote
    "traps": List[Any],
    # changed on both sides; see promote
    "conflicts": List[Any],
}, total=False)

PipelineLsResultPipelinesItemStagesItemBeforeChecksItem = TypedDict("PipelineLsResultPipelinesItemStagesItemBeforeChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineLsResultPipelinesItemStagesItemBefore = TypedDict("PipelineLsResultPipelinesItemStagesItemBefore", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineLsResultPipelinesItemStagesItemBeforeChecksItem"],
}, total=False)

PipelineLsResultPipelinesItemStagesItemAfterChecksItem = TypedDict("PipelineLsResultPipelinesItemStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineLsResultPipelinesItemStagesItemAfter = TypedDict("PipelineLsResultPipelinesItemStagesItemAfter", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineLsResultPipelinesItemStagesItemAfterChecksItem"],
}, total=False)

PipelineLsResultPipelinesItemStagesItemApproval = TypedDict("PipelineLsResultPipelinesItemStagesItemApproval", {
    # yes or no
    "approved": bool,
    # who
    "name": str,
    # user id
    "uid": int,
    # approve, terminal, yes or asked
    "way": str,
    # as given
    "note": str,
    # milliseconds since 1970
    "time_ms": int,
}, total=False)

PipelineLsResultPipelinesItemStagesItem = TypedDict("PipelineLsResultPipelinesItemStagesItem", {
    # its name
    "stage": str,
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look)
    "state": str,
    # for a person
    "why": Optional[str],
    # id of what was put into its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # where it goes, and what would change there
    "target": "PipelineLsResultPipelinesItemStagesItemTarget",
    # what its gates said of what would go in
    "before": "PipelineLsResultPipelinesItemStagesItemBefore",
    # what its gates said of its target then
    "after": "PipelineLsResultPipelinesItemStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # the end of what its command wrote
    "output": str,
    # what a person said of it
    "approval": Optional["PipelineLsResultPipelinesItemStagesItemApproval"],
}, total=False)

PipelineLsResultPipelinesItem = TypedDict("PipelineLsResultPipelinesItem", {
    # its id
    "pipeline": str,
    # running (or cut off: 'live' tells), waiting, done, stopped or undone
    "state": str,
    # somebody works on it, or on another of its project, now
    "live": bool,
    # name its box had
    "box": str,
    # id of what goes through
    "snapshot": str,
    # whose aisbx.yaml says which stages there are
    "project": str,
    # it is being, or was, taken back
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in their order
    "stages": List["PipelineLsResultPipelinesItemStagesItem"],
}, total=False)

# What pipeline.ls gives.
PipelineLsResult = TypedDict("PipelineLsResult", {
    # newest first
    "pipelines": List["PipelineLsResultPipelinesItem"],
}, total=False)
PIPELINE_LS: Method[PipelineLsArgs, PipelineLsResult] = Method("pipeline.ls")

_PipelineUndoArgsNeeded = TypedDict("_PipelineUndoArgsNeeded", {
    # id of the pipeline; its beginning is enough
    "pipeline": str,
})
_PipelineUndoArgsOthers = TypedDict("_PipelineUndoArgsOthers", {
    # when taking back: what becomes of files that were changed since: stop (default), keep or overwrite
    "conflict": Literal["stop", "keep", "overwrite"],
}, total=False)


class PipelineUndoArgs(_PipelineUndoArgsNeeded, _PipelineUndoArgsOthers):
    """Take a pipeline back, the last stage first"""


PipelineUndoResultStagesItemTarget = TypedDict("PipelineUndoResultStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # how many of each kind of change; see promote
    "summary": Dict[str, Any],
    # changes that would run code later; see promote
    "traps": List[Any],
    # changed on both sides; see promote
    "conflicts": List[Any],
}, total=False)

PipelineUndoResultStagesItemBeforeChecksItem = TypedDict("PipelineUndoResultStagesItemBeforeChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineUndoResultStagesItemBefore = TypedDict("PipelineUndoResultStagesItemBefore", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineUndoResultStagesItemBeforeChecksItem"],
}, total=False)

PipelineUndoResultStagesItemAfterChecksItem = TypedDict("PipelineUndoResultStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineUndoResultStagesItemAfter = TypedDict("PipelineUndoResultStagesItemAfter", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineUndoResultStagesItemAfterChecksItem"],
}, total=False)

PipelineUndoResultStagesItemApproval = TypedDict("PipelineUndoResultStagesItemApproval", {
    # yes or no
    "approved": bool,
    # who
    "name": str,
    # user id
    "uid": int,
    # approve, terminal, yes or asked
    "way": str,
    # as given
    "note": str,
    # milliseconds since 1970
    "time_ms": int,
}, total=False)

PipelineUndoResultStagesItem = TypedDict("PipelineUndoResultStagesItem", {
    # its name
    "stage": str,
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look)
    "state": str,
    # for a person
    "why": Optional[str],
    # id of what was put into its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # where it goes, and what would change there
    "target": "PipelineUndoResultStagesItemTarget",
    # what its gates said of what would go in
    "before": "PipelineUndoResultStagesItemBefore",
    # what its gates said of its target then
    "after": "PipelineUndoResultStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # the end of what its command wrote
    "output": str,
    # what a person said of it
    "approval": Optional["PipelineUndoResultStagesItemApproval"],
}, total=False)

# What pipeline.undo gives.
PipelineUndoResult = TypedDict("PipelineUndoResult", {
    # its id
    "pipeline": str,
    # running (or cut off: 'live' tells), waiting, done, stopped or undone
    "state": str,
    # somebody works on it, or on another of its project, now
    "live": bool,
    # name its box had
    "box": str,
    # id of what goes through
    "snapshot": str,
    # whose aisbx.yaml says which stages there are
    "project": str,
    # it is being, or was, taken back
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in their order
    "stages": List["PipelineUndoResultStagesItem"],
}, total=False)
PIPELINE_UNDO: Method[PipelineUndoArgs, PipelineUndoResult] = Method("pipeline.undo")

_PipelineApproveArgsNeeded = TypedDict("_PipelineApproveArgsNeeded", {
    # id of the pipeline; its beginning is enough
    "pipeline": str,
})
_PipelineApproveArgsOthers = TypedDict("_PipelineApproveArgsOthers", {
    # say no: the stage fails, and nothing further happens
    "reject": bool,
    # kept with your word
    "note": str,
    # only if it is about this snapshot: the one that was looked at
    "snapshot": str,
    # only say so; 'aisbx pipeline resume' goes on
    "no-resume": bool,
}, total=False)


class PipelineApproveArgs(_PipelineApproveArgsNeeded, _PipelineApproveArgsOthers):
    """Approve of the stage at which a pipeline waits"""


PipelineApproveResultStagesItemTarget = TypedDict("PipelineApproveResultStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # how many of each kind of change; see promote
    "summary": Dict[str, Any],
    # changes that would run code later; see promote
    "traps": List[Any],
    # changed on both sides; see promote
    "conflicts": List[Any],
}, total=False)

PipelineApproveResultStagesItemBeforeChecksItem = TypedDict("PipelineApproveResultStagesItemBeforeChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineApproveResultStagesItemBefore = TypedDict("PipelineApproveResultStagesItemBefore", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineApproveResultStagesItemBeforeChecksItem"],
}, total=False)

PipelineApproveResultStagesItemAfterChecksItem = TypedDict("PipelineApproveResultStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # for a person
    "why": Optional[str],
}, total=False)

PipelineApproveResultStagesItemAfter = TypedDict("PipelineApproveResultStagesItemAfter", {
    # all of them hold
    "passed": bool,
    # what was asked
    "checks": List["PipelineApproveResultStagesItemAfterChecksItem"],
}, total=False)

PipelineApproveResultStagesItemApproval = TypedDict("PipelineApproveResultStagesItemApproval", {
    # yes or no
    "approved": bool,
    # who
    "name": str,
    # user id
    "uid": int,
    # approve, terminal, yes or asked
    "way": str,
    # as given
    "note": str,
    # milliseconds since 1970
    "time_ms": int,
}, total=False)

PipelineApproveResultStagesItem = TypedDict("PipelineApproveResultStagesItem", {
    # its name
    "stage": str,
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look)
    "state": str,
    # for a person
    "why": Optional[str],
    # id of what was put into its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # where it goes, and what would change there
    "target": "PipelineApproveResultStagesItemTarget",
    # what its gates said of what would go in
    "before": "PipelineApproveResultStagesItemBefore",
    # what its gates said of its target then
    "after": "PipelineApproveResultStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # the end of what its command wrote
    "output": str,
    # what a person said of it
    "approval": Optional["PipelineApproveResultStagesItemApproval"],
}, total=False)

# What pipeline.approve gives.
PipelineApproveResult = TypedDict("PipelineApproveResult", {
    # its id
    "pipeline": str,
    # running (or cut off: 'live' tells), waiting, done, stopped or undone
    "state": str,
    # somebody works on it, or on another of its project, now
    "live": bool,
    # name its box had
    "box": str,
    # id of what goes through
    "snapshot": str,
    # whose aisbx.yaml says which stages there are
    "project": str,
    # it is being, or was, taken back
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in their order
    "stages": List["PipelineApproveResultStagesItem"],
}, total=False)
PIPELINE_APPROVE: Method[PipelineApproveArgs, PipelineApproveResult] = Method("pipeline.approve")

_FileReadArgsNeeded = TypedDict("_FileReadArgsNeeded", {
    # name or id of the box
    "box": str,
    # the file; in the box, relative to the project unless it begins with /
    "path": str,
})
_FileReadArgsOthers = TypedDict("_FileReadArgsOthers", {
    # first line, counted from 1
    "from": int,
    # so many lines
    "count": int,
    # first byte, counted from 0
    "offset": Union[str, int],
    # at most so many bytes; default: 1m, at most 16m
    "limit": Union[str, int],
    # of the content in the result: utf-8 (default), which refuses what is no text, or base64
    "encoding": Literal["utf-8", "base64"],
}, total=False)


class FileReadArgs(_FileReadArgsNeeded, _FileReadArgsOthers):
    """Read a file of a box"""


# What file.read gives.
FileReadResult = TypedDict("FileReadResult", {
    # of it, in the box
    "path": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # when it was changed, milliseconds since 1970
    "mtime_ms": int,
    # of its content; null for what is no file, or one above 256 MiB
    "sha256": Optional[str],
    # what was read
    "content": str,
    # of the content: utf-8 or base64
    "encoding": str,
    # where it begins, in bytes
    "offset": int,
    # where to read on; null: that was the end
    "next_offset": Optional[int],
    # how many the file has; null for one above 256 MiB
    "lines": Optional[int],
    # with from or count: the first line
    "line": int,
    # then: the line to read on from; null: that was the last
    "next_line": Optional[int],
    # a secret that a box was given was taken out of the content
    "redacted": bool,
    # only there when a decoy was opened: as in the result of run
    "violations": List[Any],
    # only there when the box's automatic snapshot failed: why
    "snapshot_error": str,
}, total=False)
FILE_READ: Method[FileReadArgs, FileReadResult] = Method("file.read")

_FileWriteArgsNeeded = TypedDict("_FileWriteArgsNeeded", {
    # name or id of the box
    "box": str,
    # the file; directories that are missing are made; in the box, relative to the project unless it begins with /
    "path": str,
})
_FileWriteArgsOthers = TypedDict("_FileWriteArgsOthers", {
    # what it shall hold; default: standard input
    "content": str,
    # edit: this exact text, which the file must have once, ...
    "replace": str,
    # ... becomes this
    "with": str,
    # write behind what is there
    "append": bool,
    # of the texts given: utf-8 (default) or base64; standard input is taken as it is
    "encoding": Literal["utf-8", "base64"],
    # only if the file has this content now, as read told it; absent: only if there is none
    "if": str,
    # permissions, such as 755; default: those it has, or 644
    "mode": str,
}, total=False)


class FileWriteArgs(_FileWriteArgsNeeded, _FileWriteArgsOthers):
    """Write or edit a file of a box"""


# What file.write gives.
FileWriteResult = TypedDict("FileWriteResult", {
    # of it, in the box
    "path": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # when it was changed, milliseconds since 1970
    "mtime_ms": int,
    # of its content; null for what is no file, or one above 256 MiB
    "sha256": Optional[str],
    # there was none before
    "created": bool,
    # only there when a decoy was opened: as in the result of run
    "violations": List[Any],
    # only there when the box's automatic snapshot failed: why
    "snapshot_error": str,
}, total=False)
FILE_WRITE: Method[FileWriteArgs, FileWriteResult] = Method("file.write")

_FileLsArgsNeeded = TypedDict("_FileLsArgsNeeded", {
    # name or id of the box
    "box": str,
})
_FileLsArgsOthers = TypedDict("_FileLsArgsOthers", {
    # the directory; default: the project; in the box, relative to the project unless it begins with /
    "path": str,
    # levels below it; 1 (default): only what is in it
    "depth": int,
    # only names like this, such as *.py; with a / it is compared with the whole path below the directory
    "pattern": str,
    # at most so many entries; default: 1000
    "limit": int,
}, total=False)


class FileLsArgs(_FileLsArgsNeeded, _FileLsArgsOthers):
    """List files of a box"""


FileLsResultEntriesItem = TypedDict("FileLsResultEntriesItem", {
    # below the directory; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # when it was changed, milliseconds since 1970
    "mtime_ms": int,
    # of a link: where it leads; null when that is no UTF-8
    "target": Optional[str],
    # then: its bytes
    "target_hex": str,
}, total=False)

# What file.ls gives.
FileLsResult = TypedDict("FileLsResult", {
    # of the directory, in the box
    "path": str,
    # what is there, by name; links are not followed
    "entries": List["FileLsResultEntriesItem"],
    # there are more than were listed
    "more": bool,
    # only there when a decoy was opened: as in the result of run
    "violations": List[Any],
    # only there when the box's automatic snapshot failed: why
    "snapshot_error": str,
}, total=False)
FILE_LS: Method[FileLsArgs, FileLsResult] = Method("file.ls")

# Tell type, size and sum of a file of a box
FileStatArgs = TypedDict("FileStatArgs", {
    # name or id of the box
    "box": str,
    # what to look at; a link is not followed; in the box, relative to the project unless it begins with /
    "path": str,
})

# What file.stat gives.
FileStatResult = TypedDict("FileStatResult", {
    # of it, in the box
    "path": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # when it was changed, milliseconds since 1970
    "mtime_ms": int,
    # of its content; null for what is no file, or one above 256 MiB
    "sha256": Optional[str],
    # of a link: where it leads; null when that is no UTF-8
    "target": Optional[str],
    # then: its bytes
    "target_hex": str,
    # only there when a decoy was opened: as in the result of run
    "violations": List[Any],
    # only there when the box's automatic snapshot failed: why
    "snapshot_error": str,
}, total=False)
FILE_STAT: Method[FileStatArgs, FileStatResult] = Method("file.stat")

_FileRmArgsNeeded = TypedDict("_FileRmArgsNeeded", {
    # name or id of the box
    "box": str,
    # what to remove; of a link, the link; in the box, relative to the project unless it begins with /
    "path": str,
})
_FileRmArgsOthers = TypedDict("_FileRmArgsOthers", {
    # a directory with all that is in it
    "recursive": bool,
    # nothing there is no error
    "force": bool,
}, total=False)


class FileRmArgs(_FileRmArgsNeeded, _FileRmArgsOthers):
    """Remove a file of a box"""


# What file.rm gives.
FileRmResult = TypedDict("FileRmResult", {
    # of it, in the box
    "path": str,
    # false: there was nothing
    "removed": bool,
    # only there when a decoy was opened: as in the result of run
    "violations": List[Any],
    # only there when the box's automatic snapshot failed: why
    "snapshot_error": str,
}, total=False)
FILE_RM: Method[FileRmArgs, FileRmResult] = Method("file.rm")

_FileMvArgsNeeded = TypedDict("_FileMvArgsNeeded", {
    # name or id of the box
    "box": str,
    # what to move; in the box, relative to the project unless it begins with /
    "path": str,
    # its new path, not a directory to put it in; directories that are missing are made
    "to": str,
})
_FileMvArgsOthers = TypedDict("_FileMvArgsOthers", {
    # replace what is there
    "force": bool,
}, total=False)


class FileMvArgs(_FileMvArgsNeeded, _FileMvArgsOthers):
    """Move or rename a file of a box"""


# What file.mv gives.
FileMvResult = TypedDict("FileMvResult", {
    # where it is now
    "path": str,
    # where it was
    "from": str,
    # file, directory, link or other
    "type": str,
    # only there when a decoy was opened: as in the result of run
    "violations": List[Any],
    # only there when the box's automatic snapshot failed: why
    "snapshot_error": str,
}, total=False)
FILE_MV: Method[FileMvArgs, FileMvResult] = Method("file.mv")

_FileMkdirArgsNeeded = TypedDict("_FileMkdirArgsNeeded", {
    # name or id of the box
    "box": str,
    # the directory; those above it are made, too; in the box, relative to the project unless it begins with /
    "path": str,
})
_FileMkdirArgsOthers = TypedDict("_FileMkdirArgsOthers", {
    # permissions, such as 700; default: 755
    "mode": str,
}, total=False)


class FileMkdirArgs(_FileMkdirArgsNeeded, _FileMkdirArgsOthers):
    """Make a directory in a box"""


# What file.mkdir gives.
FileMkdirResult = TypedDict("FileMkdirResult", {
    # of it, in the box
    "path": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # when it was changed, milliseconds since 1970
    "mtime_ms": int,
    # of its content; null for what is no file, or one above 256 MiB
    "sha256": Optional[str],
    # there was none before
    "created": bool,
    # only there when a decoy was opened: as in the result of run
    "violations": List[Any],
    # only there when the box's automatic snapshot failed: why
    "snapshot_error": str,
}, total=False)
FILE_MKDIR: Method[FileMkdirArgs, FileMkdirResult] = Method("file.mkdir")

_FileWatchArgsNeeded = TypedDict("_FileWatchArgsNeeded", {
    # name or id of the box
    "box": str,
})
_FileWatchArgsOthers = TypedDict("_FileWatchArgsOthers", {
    # the directory; default: the project; in the box, relative to the project unless it begins with /
    "path": str,
    # also all below what is in it
    "recursive": bool,
    # end after this long; default: when it is interrupted
    "timeout": Union[str, float],
}, total=False)


class FileWatchArgs(_FileWatchArgsNeeded, _FileWatchArgsOthers):
    """Tell changes of files of a box as they happen"""


# What file.watch gives.
FileWatchResult = TypedDict("FileWatchResult", {
    # of the directory, in the box
    "path": str,
    # how many were told
    "events": int,
}, total=False)
FILE_WATCH: Method[FileWatchArgs, FileWatchResult] = Method("file.watch")

_ArtifactSaveArgsNeeded = TypedDict("_ArtifactSaveArgsNeeded", {
    # name or id of the box
    "box": str,
    # the file or directory; in the box, relative to the project unless it begins with /
    "path": str,
})
_ArtifactSaveArgsOthers = TypedDict("_ArtifactSaveArgsOthers", {
    # to find it by; default: as it is called in the box
    "name": str,
    # what is worth knowing about it
    "note": str,
    # go on though this secret, given to the box by --secret, is in it
    "allow-secret": List[str],
}, total=False)


class ArtifactSaveArgs(_ArtifactSaveArgsNeeded, _ArtifactSaveArgsOthers):
    """Keep a file or directory of a box beyond it"""


# What artifact.save gives.
ArtifactSaveResult = TypedDict("ArtifactSaveResult", {
    # of the artifact
    "id": str,
    # can be given to several; the newest is meant
    "name": str,
    # what somebody wrote about it
    "note": Optional[str],
    # id of the box it comes from, which may be gone
    "box": str,
    # of the box then
    "box_name": str,
    # the newest run of that box then
    "run": Optional[str],
    # where it was, in the box
    "path": str,
    # file or directory
    "type": str,
    # of a file: of its content; of a directory: of all that is kept of it
    "sha256": str,
    # bytes that are kept
    "size": int,
    # files and links in it
    "files": int,
    # type of the content, such as image/png
    "media": str,
    # permissions, octal
    "mode": str,
    # when it was kept, milliseconds since 1970
    "created_ms": int,
    # pipes, sockets and devices, which are not kept
    "left_out": int,
    # only there when a decoy was opened: as in the result of run
    "violations": List[Any],
    # only there when the box's automatic snapshot failed: why
    "snapshot_error": str,
}, total=False)
ARTIFACT_SAVE: Method[ArtifactSaveArgs, ArtifactSaveResult] = Method("artifact.save")

# List what was kept of boxes
ArtifactLsArgs = TypedDict("ArtifactLsArgs", {
    # only those of this box, which may be gone
    "box": str,
}, total=False)

ArtifactLsResultArtifactsItem = TypedDict("ArtifactLsResultArtifactsItem", {
    # of the artifact
    "id": str,
    # can be given to several; the newest is meant
    "name": str,
    # what somebody wrote about it
    "note": Optional[str],
    # id of the box it comes from, which may be gone
    "box": str,
    # of the box then
    "box_name": str,
    # the newest run of that box then
    "run": Optional[str],
    # where it was, in the box
    "path": str,
    # file or directory
    "type": str,
    # of a file: of its content; of a directory: of all that is kept of it
    "sha256": str,
    # bytes that are kept
    "size": int,
    # files and links in it
    "files": int,
    # type of the content, such as image/png
    "media": str,
    # permissions, octal
    "mode": str,
    # when it was kept, milliseconds since 1970
    "created_ms": int,
}, total=False)

# What artifact.ls gives.
ArtifactLsResult = TypedDict("ArtifactLsResult", {
    # newest first
    "artifacts": List["ArtifactLsResultArtifactsItem"],
}, total=False)
ARTIFACT_LS: Method[ArtifactLsArgs, ArtifactLsResult] = Method("artifact.ls")

# Tell what an artifact is
ArtifactShowArgs = TypedDict("ArtifactShowArgs", {
    # its id, or its name: then the newest of that name
    "artifact": str,
})

ArtifactShowResultEntriesItem = TypedDict("ArtifactShowResultEntriesItem", {
    # below the directory; null when it is no UTF-8
    "path": Optional[str],
    # then: its bytes
    "path_hex": str,
    # file, directory or link
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # of a link
    "target": Optional[str],
    # when that is no UTF-8: its bytes
    "target_hex": str,
}, total=False)

# What artifact.show gives.
ArtifactShowResult = TypedDict("ArtifactShowResult", {
    # of the artifact
    "id": str,
    # can be given to several; the newest is meant
    "name": str,
    # what somebody wrote about it
    "note": Optional[str],
    # id of the box it comes from, which may be gone
    "box": str,
    # of the box then
    "box_name": str,
    # the newest run of that box then
    "run": Optional[str],
    # where it was, in the box
    "path": str,
    # file or directory
    "type": str,
    # of a file: of its content; of a directory: of all that is kept of it
    "sha256": str,
    # bytes that are kept
    "size": int,
    # files and links in it
    "files": int,
    # type of the content, such as image/png
    "media": str,
    # permissions, octal
    "mode": str,
    # when it was kept, milliseconds since 1970
    "created_ms": int,
    # of a directory: what is in it, at most a thousand
    "entries": List["ArtifactShowResultEntriesItem"],
    # then: there are more than were listed
    "more": bool,
}, total=False)
ARTIFACT_SHOW: Method[ArtifactShowArgs, ArtifactShowResult] = Method("artifact.show")

_ArtifactReadArgsNeeded = TypedDict("_ArtifactReadArgsNeeded", {
    # its id, or its name: then the newest of that name
    "artifact": str,
})
_ArtifactReadArgsOthers = TypedDict("_ArtifactReadArgsOthers", {
    # of a directory: which file in it
    "path": str,
    # first byte, counted from 0
    "offset": Union[str, int],
    # at most so many bytes; default: 1m, at most 16m
    "limit": Union[str, int],
    # of the content in the result: utf-8 (default), which refuses what is no text, or base64
    "encoding": Literal["utf-8", "base64"],
}, total=False)


class ArtifactReadArgs(_ArtifactReadArgsNeeded, _ArtifactReadArgsOthers):
    """Read an artifact"""


# What artifact.read gives.
ArtifactReadResult = TypedDict("ArtifactReadResult", {
    # of it, in the box
    "path": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # when it was changed, milliseconds since 1970
    "mtime_ms": int,
    # of its content; null for what is no file, or one above 256 MiB
    "sha256": Optional[str],
    # what was read
    "content": str,
    # of the content: utf-8 or base64
    "encoding": str,
    # where it begins, in bytes
    "offset": int,
    # where to read on; null: that was the end
    "next_offset": Optional[int],
    # a secret that a box was given was taken out of the content
    "redacted": bool,
    # type of the content; null for a file of a directory
    "media": Optional[str],
}, total=False)
ARTIFACT_READ: Method[ArtifactReadArgs, ArtifactReadResult] = Method("artifact.read")

_ArtifactGetArgsNeeded = TypedDict("_ArtifactGetArgsNeeded", {
    # its id, or its name: then the newest of that name
    "artifact": str,
    # where to put it, on this machine
    "to": str,
})
_ArtifactGetArgsOthers = TypedDict("_ArtifactGetArgsOthers", {
    # replace a file that is there; directories are never replaced
    "force": bool,
    # though some tool of yours would obey something of it unasked
    "yes": bool,
}, total=False)


class ArtifactGetArgs(_ArtifactGetArgsNeeded, _ArtifactGetArgsOthers):
    """Put an artifact somewhere on this machine"""


# What artifact.get gives.
ArtifactGetResult = TypedDict("ArtifactGetResult", {
    # of the artifact
    "id": str,
    # can be given to several; the newest is meant
    "name": str,
    # what somebody wrote about it
    "note": Optional[str],
    # id of the box it comes from, which may be gone
    "box": str,
    # of the box then
    "box_name": str,
    # the newest run of that box then
    "run": Optional[str],
    # where it was, in the box
    "path": str,
    # file or directory
    "type": str,
    # of a file: of its content; of a directory: of all that is kept of it
    "sha256": str,
    # bytes that are kept
    "size": int,
    # files and links in it
    "files": int,
    # type of the content, such as image/png
    "media": str,
    # permissions, octal
    "mode": str,
    # when it was kept, milliseconds since 1970
    "created_ms": int,
    # where it was put
    "to": str,
}, total=False)
ARTIFACT_GET: Method[ArtifactGetArgs, ArtifactGetResult] = Method("artifact.get")

# Remove an artifact
ArtifactRmArgs = TypedDict("ArtifactRmArgs", {
    # its id, or its name: then the newest of that name
    "artifact": str,
})

# What artifact.rm gives.
ArtifactRmResult = TypedDict("ArtifactRmResult", {
    # of what is gone
    "id": str,
    # of it
    "name": str,
}, total=False)
ARTIFACT_RM: Method[ArtifactRmArgs, ArtifactRmResult] = Method("artifact.rm")

# List the profiles there are
ProfileLsArgs = TypedDict("ProfileLsArgs", {
}, total=False)

ProfileLsResultProfilesItem = TypedDict("ProfileLsResultProfilesItem", {
    # what --profile takes
    "name": str,
    # what it is for
    "about": Optional[str],
    # where it is: a path, or shipped:NAME
    "file": Optional[str],
    # what it stands on
    "extends": Optional[str],
    # why it cannot be used
    "error": Optional[str],
}, total=False)

# What profile.ls gives.
ProfileLsResult = TypedDict("ProfileLsResult", {
    # by name; a person's comes before the system's, and that before the shipped one
    "profiles": List["ProfileLsResultProfilesItem"],
}, total=False)
PROFILE_LS: Method[ProfileLsArgs, ProfileLsResult] = Method("profile.ls")

# Show all that a profile says, as one file
ProfileShowArgs = TypedDict("ProfileShowArgs", {
    # a name that 'aisbx profile ls' shows, or a file (with a '/'); default: $AISBX_PROFILE, or dev
    "profile": str,
}, total=False)

# What profile.show gives.
ProfileShowResult = TypedDict("ProfileShowResult", {
    # its name, or the path of its file
    "name": str,
    # what was read: its own file, then what each extends; shipped:NAME for those that come along
    "files": List[Any],
    # all that holds, as a file that stands alone would say it
    "profile": Dict[str, Any],
}, total=False)
PROFILE_SHOW: Method[ProfileShowArgs, ProfileShowResult] = Method("profile.show")

# Tell whether a file is a profile that can be used
ProfileCheckArgs = TypedDict("ProfileCheckArgs", {
    # the file to read
    "file": str,
})

# What profile.check gives.
ProfileCheckResult = TypedDict("ProfileCheckResult", {
    # true; what is wrong is told as an error
    "ok": bool,
    # what was read: its own file, then what each extends; shipped:NAME for those that come along
    "files": List[Any],
    # all that holds, as a file that stands alone would say it
    "profile": Dict[str, Any],
}, total=False)
PROFILE_CHECK: Method[ProfileCheckArgs, ProfileCheckResult] = Method("profile.check")

# Tell for each value of a profile where it comes from
ProfileExplainArgs = TypedDict("ProfileExplainArgs", {
    # a name that 'aisbx profile ls' shows, or a file (with a '/'); default: $AISBX_PROFILE, or dev
    "profile": str,
    # as for run
    "net": Literal["none", "loopback"],
    # as for run
    "no-net": bool,
    # as for run
    "seccomp": Literal["default", "python", "javascript", "shell", "go", "rust", "java", "c"],
    # end the run after this long; 0: never
    "timeout": Union[str, float],
    # processors at any time, such as 2 or 0.5; 0: all
    "cpu": float,
    # processor time of all processes together
    "cpu-time": Union[str, float],
    # memory of all processes together, with files in memory
    "mem": Union[str, int],
    # bytes the box may write
    "disk": Union[str, int],
    # files, directories and links the box may make
    "inodes": int,
    # bytes of one file
    "file-size": Union[str, int],
    # processes and threads at once
    "pids": int,
    # open files per process
    "files": int,
    # bytes let through of each output stream; with --json kept in the result (default 4m)
    "output": Union[str, int],
}, total=False)

ProfileExplainResultValuesItem = TypedDict("ProfileExplainResultValuesItem", {
    # as in a file; env.set is the key set below env
    "key": str,
    # of a variable or secret; the mode of a mount
    "name": Optional[str],
    # what holds
    "value": str,
    # the file that says so, option --NAME, or default
    "from": str,
    # of that file
    "line": Optional[int],
}, total=False)

# What profile.explain gives.
ProfileExplainResult = TypedDict("ProfileExplainResult", {
    # its name, or the path of its file
    "profile": str,
    # you, variable AISBX_PROFILE or default
    "chosen_by": str,
    # what was read: its own file, then what each extends; shipped:NAME for those that come along
    "files": List[Any],
    # every key, with each of its values
    "values": List["ProfileExplainResultValuesItem"],
}, total=False)
PROFILE_EXPLAIN: Method[ProfileExplainArgs, ProfileExplainResult] = Method("profile.explain")

# Show in what two profiles differ
ProfileDiffArgs = TypedDict("ProfileDiffArgs", {
    # a name, or a file (with a '/')
    "a": str,
    # the other
    "b": str,
})

ProfileDiffResultDifferencesItem = TypedDict("ProfileDiffResultDifferencesItem", {
    # as in a file
    "key": str,
}, total=False)

# What profile.diff gives.
ProfileDiffResult = TypedDict("ProfileDiffResult", {
    # the first
    "a": str,
    # the second
    "b": str,
    # keys whose values are not the same
    "differences": List["ProfileDiffResultDifferencesItem"],
}, total=False)
PROFILE_DIFF: Method[ProfileDiffArgs, ProfileDiffResult] = Method("profile.diff")

# Show the JSON schema of profiles
ProfileSchemaArgs = TypedDict("ProfileSchemaArgs", {
}, total=False)

# What profile.schema gives.
ProfileSchemaResult = TypedDict("ProfileSchemaResult", {
    # the language it is written in
    "$schema": str,
    # what it is the schema of
    "title": str,
    # object
    "type": str,
    # every key of a profile
    "properties": Dict[str, Any],
}, total=False)
PROFILE_SCHEMA: Method[ProfileSchemaArgs, ProfileSchemaResult] = Method("profile.schema")

# Tell everything that is wrong with an aisbx.yaml
ProjectCheckArgs = TypedDict("ProjectCheckArgs", {
    # the file, or a directory that has one in it or above it; default: the current directory
    "path": str,
}, total=False)

ProjectCheckResultErrorsItem = TypedDict("ProjectCheckResultErrorsItem", {
    # where; null: of the whole file
    "line": Optional[int],
    # where in the line
    "column": Optional[int],
    # what is wrong, and what would be right
    "text": str,
}, total=False)

# What project.check gives.
ProjectCheckResult = TypedDict("ProjectCheckResult", {
    # nothing is wrong with it
    "ok": bool,
    # what was read
    "file": str,
    # everything that is wrong
    "errors": List["ProjectCheckResultErrorsItem"],
}, total=False)
PROJECT_CHECK: Method[ProjectCheckArgs, ProjectCheckResult] = Method("project.check")

# Show what holds in a project: its gates, stages, experiments, rules
ProjectShowArgs = TypedDict("ProjectShowArgs", {
    # the project; default: the current directory
    "dir": str,
}, total=False)

# What project.show gives.
ProjectShowResult = TypedDict("ProjectShowResult", {
    # what was read; null: the project has none
    "file": Optional[str],
    # all that were read: that of the directory and those above it, the outermost first
    "files": List[Any],
    # the file names stages; if not, those shown are what holds without
    "own_stages": bool,
    # all that holds, as a file would say it
    "project": Dict[str, Any],
}, total=False)
PROJECT_SHOW: Method[ProjectShowArgs, ProjectShowResult] = Method("project.show")

# Show the JSON schema of aisbx.yaml
ProjectSchemaArgs = TypedDict("ProjectSchemaArgs", {
}, total=False)

# What project.schema gives.
ProjectSchemaResult = TypedDict("ProjectSchemaResult", {
    # the language it is written in
    "$schema": str,
    # what it is the schema of
    "title": str,
    # object
    "type": str,
    # every section of the file
    "properties": Dict[str, Any],
}, total=False)
PROJECT_SCHEMA: Method[ProjectSchemaArgs, ProjectSchemaResult] = Method("project.schema")

# Tell what this machine can do and how to get the rest
DoctorArgs = TypedDict("DoctorArgs", {
    # also count what earlier runs have left behind
    "leaks": bool,
}, total=False)

DoctorResultChecksItem = TypedDict("DoctorResultChecksItem", {
    # of the wall or ability; walls are called as in --without
    "name": str,
    # ok, missing, or limited: there, but a newer kernel gives more
    "status": str,
    # what was tried and what came of it
    "detail": str,
    # what brings it: a command, an option, a version
    "fix": Optional[str],
    # 'aisbx run' does not start because of it
    "refuses": bool,
}, total=False)

DoctorResultFacts = TypedDict("DoctorResultFacts", {
    # docker, podman or another this runs in, as far as it can be seen
    "container": Optional[str],
    # not inside another user namespace
    "first_userns": bool,
    # the kernel's limit
    "max_user_namespaces": Optional[int],
    # Ubuntu's switch
    "apparmor_restrict_unprivileged_userns": Optional[int],
    # Debian's switch
    "unprivileged_userns_clone": Optional[int],
    # v2, v1, hybrid or none
    "cgroup": str,
    # controllers this user may use
    "cgroup_delegated": List[Any],
    # subordinate ids of this user, START:COUNT
    "subuid": List[Any],
}, total=False)

DoctorResultLeaks = TypedDict("DoctorResultLeaks", {
    # aisbx-jail without a supervisor
    "processes": int,
    # mounts of aisbx in this mount namespace
    "mounts": int,
    # empty cgroups of boxes whose supervisor is gone
    "cgroups": int,
    # network namespaces those processes hold
    "namespaces": int,
    # layers of runs that were killed, and directories of policies whose judge was
    "files": int,
    # boxes that run right now; not a leak
    "live_boxes": int,
    # runs whose supervisor was killed and that nobody has written down yet; not a leak
    "dead_runs": int,
    # network namespaces of the whole machine; null unless root
    "kernel_net_namespaces": Optional[int],
    # the leaks in words; the first 32
    "found": List[Any],
}, total=False)

# What doctor gives.
DoctorResult = TypedDict("DoctorResult", {
    # release of the running kernel
    "kernel": str,
    # of the machine
    "arch": str,
    # who asks
    "user": str,
    # effective id of who asks
    "uid": int,
    # root: boxes have shifted ids, user: own id only, nested: inside a user namespace
    "mode": str,
    # a box was started just now and it worked
    "run_will_start": bool,
    # of that box's isolation: full, or null when it did not start
    "level": Optional[str],
    # every wall, what building them takes, and last the box that was started
    "checks": List["DoctorResultChecksItem"],
    # what was read, not tried
    "facts": "DoctorResultFacts",
    # only with --leaks: what runs have left; root counts everybody's, others their own
    "leaks": "DoctorResultLeaks",
}, total=False)
DOCTOR: Method[DoctorArgs, DoctorResult] = Method("doctor")

# Show the JSON schema of arguments and results
SchemaArgs = TypedDict("SchemaArgs", {
    # only this one
    "operation": str,
}, total=False)

SchemaResultOperationsItem = TypedDict("SchemaResultOperationsItem", {
    # name, as on the command line
    "name": str,
    # name in the protocols; null: only the command line has it
    "method": Optional[str],
    # name of the tool that models are shown; null: only when they ask for all
    "tool": Optional[str],
    # what it does
    "summary": str,
    # what a caller must be allowed: read, run
    "grant": str,
    # JSON schema
    "arguments": Dict[str, Any],
    # JSON schema
    "result": Dict[str, Any],
}, total=False)

# What schema gives.
SchemaResult = TypedDict("SchemaResult", {
    # of the format
    "version": int,
    # every operation with the schemas of its arguments and result
    "operations": List["SchemaResultOperationsItem"],
}, total=False)
SCHEMA: Method[SchemaArgs, SchemaResult] = Method("schema")
