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
    # run in this box, which keeps the changes; default: a new box that is removed after the run
    "box": str,
    # what the box may do: a name that 'aisbx profile ls' lists, or a file (with a '/'); default: $AISBX_PROFILE, or dev
    "profile": str,
    # run on top of this image, not of this machine, with its entrypoint, variables, user and working directory; the project is there only with --project or --here
    "image": str,
    # of an ordinary user's box on an image: one (default), where every file is yours, or sub, where files belong to whom the image says, by your subordinate ids
    "ids": Literal["one", "sub"],
    # bring the image from its registry if it is not here, as 'image pull' does
    "pull": bool,
    # driver that builds the walls: native (default), oci or oci:RUNTIME (runc, crun, runsc, or the path of one), wasm (the command is a module, or python3 or node as WebAssembly), or chroot (the last resort, for root); 'aisbx doctor' lists the runtimes
    "driver": str,
    # directory that is cloned as writable into the box; default: the current one, or on the command line the project that it is in
    "project": str,
    # directory to start in; default: the project
    "cwd": str,
    # make a file or directory visible, read-only
    "ro": List[str],
    # share a file or directory: changes affect the real one
    "rw": List[str],
    # hide a file or directory
    "hide": List[str],
    # show a character device of /dev that you may open, or a directory of them: /dev/dri
    "device": List[str],
    # show the devices of graphics processors: /dev/dri, /dev/nvidia*, /dev/kfd
    "gpu": bool,
    # set a variable, or pass on the caller's value
    "env": List[str],
    # give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env appended, the variable NAME. It is removed from all output. With ,inject=HOST appended, the box gets only a placeholder, and requests to HOST get the secret on their way out
    "secret": List[str],
    # values in .env and similar files of the project that look like secrets: scrub (remove them from output, the default) or plain
    "secret-files": Literal["scrub", "plain"],
    # what the box reaches: none, loopback (an interface of its own), allow (what the profile's rules name), ask (a person is asked about the rest), a preset (python-packages, npm, crates, go, maven, debian, github, github:OWNER/REPO[:read]) or a rule such as github.com:443
    "net": List[str],
    # make port BOXPORT of the box (default: PORT) reachable at port PORT of this machine's loopback; PORT 0: any that is free, which 'aisbx ports' shows
    "publish": List[str],
    # allowed system calls: default, or fewer, for a language: python, javascript, shell, go, rust, java, c
    "seccomp": Literal["default", "python", "javascript", "shell", "go", "rust", "java", "c", "wasm"],
    # the same as --net none
    "no-net": bool,
    # end the run after this time; 0: never
    "timeout": Union[str, float],
    # maximum number of processors, such as 2 or 0.5; 0: all
    "cpu": float,
    # processor time of all processes together
    "cpu-time": Union[str, float],
    # memory of all processes together, including files in memory; 0: no limit
    "mem": Union[str, int],
    # bytes that the box may write
    "disk": Union[str, int],
    # files, directories and links that the box may make
    "inodes": int,
    # bytes of one file
    "file-size": Union[str, int],
    # processes and threads at once
    "pids": int,
    # open files per process
    "files": int,
    # bytes of each output stream that are passed on; with --json stored in the result (default 4m)
    "output": Union[str, int],
    # instructions that a WebAssembly program may execute; only with the driver wasm; 0: no limit
    "fuel": int,
    # start the services of this file; default: those of the project's aisbx.yaml
    "services": str,
    # start no services
    "no-services": bool,
    # do not show the caches of package managers and compilers in the home directory
    "no-caches": bool,
    # allocate a terminal in the box, and set no deadline; by default a command has a terminal if all three standard streams are one
    "tty": bool,
    # allocate no terminal
    "no-tty": bool,
    # lines of a terminal that no person sits at, as with --detach; default: 24
    "rows": int,
    # columns of such a terminal; default: 80
    "cols": int,
    # print the run's name and return at once; see logs, wait, attach, kill
    "detach": bool,
    # name of the run, accepted wherever a run id is; default with --detach: two words
    "name": str,
    # pass on standard input, which is always the case; with --detach: keep it open for 'aisbx input' and 'aisbx attach'
    "interactive": bool,
    # store what 'aisbx replay' needs: the output and, for a box, snapshots before and after
    "record": bool,
    # run without this wall; the result says so ('aisbx doctor' lists the names)
    "without": List[str],
    # the command and its arguments; appended to the profile's entrypoint, if it has one
    "command": List[str],
}, total=False)

RunExecResultTruncated = TypedDict("RunExecResultTruncated", {
    # bytes
    "stdout": int,
    # bytes
    "stderr": int,
}, total=False)

RunExecResultIsolation = TypedDict("RunExecResultIsolation", {
    # driver that built them
    "driver": str,
    # of driver oci: the runtime and its version
    "runtime": str,
    # full; reduced if walls were disabled; none if the command never started
    "level": str,
    # names of the walls that were verified
    "walls": List[Any],
    # names of the walls that were disabled
    "missing": List[Any],
    # capabilities kept, valid only inside the box's user namespace
    "caps": List[Any],
    # what --device, --gpu or the profile showed of /dev
    "devices": List[Any],
}, total=False)

RunExecResultUsage = TypedDict("RunExecResultUsage", {
    # time from start to end
    "wall_ms": float,
    # only present if it waited for its turn before (queue.yaml): how long
    "queued_ms": int,
    # of all processes of the box
    "cpu_ms": float,
    # peak memory of all processes together, bytes; without a control group by sampling
    "mem_peak": int,
    # peak number of processes and threads; 0 if it was not sampled
    "pids_peak": int,
    # bytes written that still existed at the end
    "disk": int,
    # files, directories and links made that still existed at the end
    "inodes": int,
    # only present with the driver wasm: instructions that the program executed; the same for the same program and input on every machine
    "fuel": int,
}, total=False)

RunExecResultLimit = TypedDict("RunExecResultLimit", {
    # wall_time, cpu_time, memory, processes, files, file_size, disk, inodes, lifetime or fuel
    "kind": str,
    # in milliseconds, bytes or a plain number
    "value": int,
    # amount used
    "used": int,
    # the option that changes it
    "raise_with": str,
    # false: nobody counted it; the last output of the command, which failed, says so
    "sure": bool,
}, total=False)

RunExecResultViolationsItem = TypedDict("RunExecResultViolationsItem", {
    # syscall, decoy, net, limit or import
    "kind": str,
    # what was tried
    "what": str,
    # name of the program that tried
    "by": Optional[str],
    # its process id on the host; the first of several
    "pid": Optional[int],
    # the rule that refused it
    "rule": str,
    # what would allow it
    "allow_with": str,
    # number of times
    "count": int,
}, total=False)

RunExecResultNetConnectionsItem = TypedDict("RunExecResultNetConnectionsItem", {
    # lookup (of a name), tcp, udp, or in: from this machine to a published port
    "act": str,
    # the name
    "name": Optional[str],
    # the address
    "address": Optional[str],
    # the port
    "port": Optional[int],
    # allowed; refused by a rule; broken: allowed, but the other side could not be reached
    "verdict": str,
    # why not: no-rule, bad-name, not-public, wrong-sni ...
    "reason": Optional[str],
    # the rule that allowed it, or that it exceeded
    "rule": Optional[str],
    # number of times
    "count": int,
    # bytes from the box
    "sent": int,
    # bytes to the box
    "received": int,
}, total=False)

RunExecResultNet = TypedDict("RunExecResultNet", {
    # names that it reached; an address where there is no name
    "hosts": List[Any],
    # what it wanted of the network, each kind once
    "connections": List["RunExecResultNetConnectionsItem"],
    # bytes from the box, of all connections out of it
    "sent": int,
    # bytes to the box
    "received": int,
    # further kinds that were only counted
    "not_kept": int,
}, total=False)

RunExecResultServicesItem = TypedDict("RunExecResultServicesItem", {
    # as in the file
    "name": str,
    # running when the command ended; waiting, starting, restarting; exited with 0 by itself; failed
    "state": str,
    # why it failed: exec, ended, restarts, timeout (not ready in time) or join
    "error": Optional[str],
    # number of restarts
    "restarts": int,
    # when it last ended by itself
    "exit_code": Optional[int],
    # signal that ended it then
    "signal": Optional[int],
    # time from its start until it was ready
    "ready_ms": Optional[float],
    # last lines of its output
    "output": str,
}, total=False)

# What run.exec gives.
RunExecResult = TypedDict("RunExecResult", {
    # run id
    "run": str,
    # only present if it has one: its name
    "name": str,
    # identifies the run in logs and traces
    "trace_id": str,
    # ok, failed, limit, denied, interrupted or error
    "status": str,
    # of the command; null if a signal or limit ended it
    "exit_code": Optional[int],
    # exit status of aisbx run: the command's own, 124, 126, 127 or 128+N
    "exit_status": int,
    # signal that ended the command
    "signal": Optional[int],
    # output of the command; what is not UTF-8 becomes U+FFFD
    "stdout": str,
    # as stdout
    "stderr": str,
    # bytes cut off, per stream
    "truncated": "RunExecResultTruncated",
    # the walls around the command, as measured from inside
    "isolation": "RunExecResultIsolation",
    # resources used by the run
    "usage": "RunExecResultUsage",
    # only present if a WebAssembly program was stopped in the middle: stack_overflow, unreachable, memory_out_of_bounds, division_by_zero ...
    "trap": str,
    # every limit that really held: its name, with `value` and `by`, what enforced it; `asked` if the caller may not have that much itself; of files `soft`, what a program has without asking for more. `memory` is null if it was lifted
    "limits": Dict[str, Any],
    # the limit that ended the run, or that was reached
    "limit": Optional["RunExecResultLimit"],
    # what the command tried and was refused, decoys it opened, limits it reached
    "violations": List["RunExecResultViolationsItem"],
    # violations of other kinds, if there were too many to store
    "violations_not_listed": int,
    # only present if the box had rules for its network: what it did there
    "net": "RunExecResultNet",
    # services that ran beside the command, as the file names them
    "services": List["RunExecResultServicesItem"],
    # why the command could not be executed
    "error": Optional[str],
    # only present if the automatic snapshot of the box failed: why
    "snapshot_error": str,
    # only present if files of the project belong to a group that the box does not have: what to do
    "unknown_group": str,
    # only present if the profile uses words of another tool: how they were read, one per line
    "profile_notes": str,
    # only present if the box does not have an environment or toolchain that is active outside: which, and what to do
    "hidden_environment": str,
    # only present if the image wants another user than root and the box has one id only: what its commands are instead
    "image_user": str,
    # only present if output of a detached run could not be stored: why
    "log_error": str,
    # with --detach: true; of the other fields only run, name, trace_id and box are present
    "detached": bool,
    # with --detach: id of its box; null if the box is removed after the run
    "box": Optional[str],
    # only present if output could not be written to its destination: why; the exit status is not 0 then
    "output_error": str,
    # only present if the run could not be recorded in the history: why
    "history_error": str,
}, total=False)
RUN_EXEC: Method[RunExecArgs, RunExecResult] = Method("run.exec")

_RunReplayArgsNeeded = TypedDict("_RunReplayArgsNeeded", {
    # its name, its id or a prefix of that
    "run": str,
})
_RunReplayArgsOthers = TypedDict("_RunReplayArgsOthers", {
    # number of replays: several tell random differences from real ones; default 1
    "times": int,
    # keep the boxes of the replays
    "keep": bool,
}, total=False)


class RunReplayArgs(_RunReplayArgsNeeded, _RunReplayArgsOthers):
    """Repeat a run and show what differs"""


RunReplayResultStdout = TypedDict("RunReplayResultStdout", {
    # identical to the last byte
    "same": bool,
    # as below
    "kind": Optional[str],
    # the first 20 different lines: line, was, is
    "lines": List[Any],
}, total=False)

RunReplayResultStderr = TypedDict("RunReplayResultStderr", {
    # identical to the last byte
    "same": bool,
    # as below
    "kind": Optional[str],
    # the first 20 different lines: line, was, is
    "lines": List[Any],
}, total=False)

RunReplayResultChangesPathsItem = TypedDict("RunReplayResultChangesPathsItem", {
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # as the kinds of diff
    "how": str,
    # as below
    "kind": str,
}, total=False)

RunReplayResultChanges = TypedDict("RunReplayResultChanges", {
    # no path differs
    "same": bool,
    # number of paths that differ
    "count": int,
    # the first 100 of them
    "paths": List["RunReplayResultChangesPathsItem"],
}, total=False)

RunReplayResultNotDeterministicItem = TypedDict("RunReplayResultNotDeterministicItem", {
    # exit_code, signal, status, stdout, stderr or "file PATH"
    "what": str,
    # time, number, address, temporary name, order, mixed (of these), attributes, bytes or content
    "kind": str,
    # members was and is; for a text with its line
    "example": Optional[Dict[str, Any]],
}, total=False)

RunReplayResultChangedItem = TypedDict("RunReplayResultChangedItem", {
    # exit_code, signal, status, stdout, stderr or "file PATH"
    "what": str,
    # time, number, address, temporary name, order, mixed (of these), attributes, bytes or content
    "kind": str,
    # members was and is; for a text with its line
    "example": Optional[Dict[str, Any]],
}, total=False)

RunReplayResultNotComparedItem = TypedDict("RunReplayResultNotComparedItem", {
    # start, stdin, stdout, stderr, changes, project, terminal or "variable NAME"
    "what": str,
    # an explanation for people
    "why": str,
}, total=False)

# What run.replay gives.
RunReplayResult = TypedDict("RunReplayResult", {
    # id of the replayed run
    "run": str,
    # run ids of the replays
    "replay": List[Any],
    # with keep: ids of their boxes
    "boxes": List[Any],
    # no differences in what was compared
    "same": bool,
    # members was and is; is: of the first replay
    "exit_code": Dict[str, Any],
    # as exit_code
    "status": Dict[str, Any],
    # as exit_code: the usage of run
    "usage": Dict[str, Any],
    # null: not compared
    "stdout": Optional["RunReplayResultStdout"],
    # null: not compared
    "stderr": Optional["RunReplayResultStderr"],
    # files of the project after the replay compared with those after the run; null: not compared
    "changes": Optional["RunReplayResultChanges"],
    # the differences; with several replays: between them
    "not_deterministic": List["RunReplayResultNotDeterministicItem"],
    # with several replays: differences from the run that all replays share, so they are not random
    "changed": List["RunReplayResultChangedItem"],
    # what could not be compared, and why
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
    # its name, if it has one
    "name": Optional[str],
    # waiting (for its turn), starting, running, paused, ending (commands that joined its box still run) or unresponsive
    "state": str,
    # id of its box; null if the box is removed after the run
    "box": Optional[str],
    # name of its box
    "box_name": Optional[str],
    # command with arguments
    "command": Optional[str],
    # milliseconds since 1970
    "started_ms": Optional[int],
    # time since its start
    "wall_ms": float,
    # it was started with --detach
    "detached": Optional[bool],
    # its profile
    "profile": Optional[str],
    # it joined the live box of another run
    "joined": bool,
    # process id of its supervisor
    "pid": int,
    # as in its result
    "trace_id": Optional[str],
}, total=False)

# What run.ls gives.
RunLsResult = TypedDict("RunLsResult", {
    # oldest first
    "runs": List["RunLsResultRunsItem"],
    # only on the command line, and without --all: runs of other projects
    "others": int,
}, total=False)
RUN_LS: Method[RunLsArgs, RunLsResult] = Method("run.ls")

_RunWaitArgsNeeded = TypedDict("_RunWaitArgsNeeded", {
    # its name, its id or a prefix of that
    "run": str,
})
_RunWaitArgsOthers = TypedDict("_RunWaitArgsOthers", {
    # give up after this time, with exit status 125
    "timeout": Union[str, float],
    # also return the last SIZE bytes written to each stream, if the output is stored; also if the run has not ended by the timeout
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
    # exit status of aisbx run
    "exit_status": int,
    # signal that ended the command
    "signal": Optional[int],
    # with --output: the end of the command's output, if it is stored
    "stdout": str,
    # as stdout
    "stderr": str,
    # with --output: bytes before that, and those dropped by the output limit
    "truncated": "RunWaitResultTruncated",
    # why the result is missing
    "error": Optional[str],
}, total=False)
RUN_WAIT: Method[RunWaitArgs, RunWaitResult] = Method("run.wait")

_RunKillArgsNeeded = TypedDict("_RunKillArgsNeeded", {
    # names, ids or their prefixes
    "runs": List[str],
})
_RunKillArgsOthers = TypedDict("_RunKillArgsOthers", {
    # send this signal to the command, which may handle or ignore it; default: end the run
    "signal": str,
}, total=False)


class RunKillArgs(_RunKillArgsNeeded, _RunKillArgsOthers):
    """End runs, or send them a signal"""


# What run.kill gives.
RunKillResult = TypedDict("RunKillResult", {
    # run ids
    "runs": List[Any],
}, total=False)
RUN_KILL: Method[RunKillArgs, RunKillResult] = Method("run.kill")

# Pause all processes of a run's box
RunPauseArgs = TypedDict("RunPauseArgs", {
    # names, ids or their prefixes
    "runs": List[str],
})

# What run.pause gives.
RunPauseResult = TypedDict("RunPauseResult", {
    # run ids
    "runs": List[Any],
}, total=False)
RUN_PAUSE: Method[RunPauseArgs, RunPauseResult] = Method("run.pause")

# Resume a paused run
RunResumeArgs = TypedDict("RunResumeArgs", {
    # names, ids or their prefixes
    "runs": List[str],
})

# What run.resume gives.
RunResumeResult = TypedDict("RunResumeResult", {
    # run ids
    "runs": List[Any],
}, total=False)
RUN_RESUME: Method[RunResumeArgs, RunResumeResult] = Method("run.resume")

_RunLogsArgsNeeded = TypedDict("_RunLogsArgsNeeded", {
    # its name, its id or a prefix of that
    "run": str,
})
_RunLogsArgsOthers = TypedDict("_RunLogsArgsOthers", {
    # continue until the run has ended
    "follow": bool,
    # show the output of this service of the run
    "service": str,
    # print the time before each line
    "timestamps": bool,
}, total=False)


class RunLogsArgs(_RunLogsArgsNeeded, _RunLogsArgsOthers):
    """Show the output of a run"""


# What run.logs gives.
RunLogsResult = TypedDict("RunLogsResult", {
    # in a record: microseconds since 1970
    "time_us": int,
    # in a record: stdout or stderr
    "stream": str,
    # in a record: the output; bytes that are not UTF-8 become U+FFFD
    "data": str,
    # in the last line: run id
    "run": str,
    # in the last line: the run has ended, and the output is complete
    "complete": bool,
    # in the last line, if there are any: bytes in the middle that are not kept
    "cut": int,
    # all records, where they cannot be sent one by one
    "records": List[Any],
}, total=False)
RUN_LOGS: Method[RunLogsArgs, RunLogsResult] = Method("run.logs")

_RunInputArgsNeeded = TypedDict("_RunInputArgsNeeded", {
    # its name, its id or a prefix of that
    "run": str,
})
_RunInputArgsOthers = TypedDict("_RunInputArgsOthers", {
    # then close it: the command sees the end of its input
    "close": bool,
}, total=False)


class RunInputArgs(_RunInputArgsNeeded, _RunInputArgsOthers):
    """Write to the input of a detached run"""


# What run.input gives.
RunInputResult = TypedDict("RunInputResult", {
    # id
    "run": str,
    # bytes that were passed on
    "bytes": int,
    # the command's input is now closed
    "closed": bool,
}, total=False)
RUN_INPUT: Method[RunInputArgs, RunInputResult] = Method("run.input")

_RunResizeArgsNeeded = TypedDict("_RunResizeArgsNeeded", {
    # its name, its id or a prefix of that
    "run": str,
})
_RunResizeArgsOthers = TypedDict("_RunResizeArgsOthers", {
    # lines; default: as many as it has
    "rows": int,
    # columns; default: as many as it has
    "cols": int,
}, total=False)


class RunResizeArgs(_RunResizeArgsNeeded, _RunResizeArgsOthers):
    """Resize the terminal of a detached run"""


# What run.resize gives.
RunResizeResult = TypedDict("RunResizeResult", {
    # id
    "run": str,
    # lines that the terminal has now
    "rows": int,
    # columns that it has now
    "cols": int,
}, total=False)
RUN_RESIZE: Method[RunResizeArgs, RunResizeResult] = Method("run.resize")

_BoxExecArgsNeeded = TypedDict("_BoxExecArgsNeeded", {
    # name or id of a live box, or name or id of a live run
    "target": str,
    # the command and its arguments
    "command": List[str],
})
_BoxExecArgsOthers = TypedDict("_BoxExecArgsOthers", {
    # directory to start in; default: the project
    "cwd": str,
    # set a variable, or pass on the caller's value
    "env": List[str],
    # give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env appended, the variable NAME. It is removed from all output. With ,inject=HOST appended, the box gets only a placeholder, and requests to HOST get the secret on their way out
    "secret": List[str],
    # end the command after this time; 0: never
    "timeout": Union[str, float],
    # bytes of each output stream that are passed on
    "output": Union[str, int],
    # allocate a terminal in the box, and set no deadline; by default a command has a terminal if all three standard streams are one
    "tty": bool,
    # allocate no terminal
    "no-tty": bool,
    # lines of a terminal that no person sits at, as with --detach; default: 24
    "rows": int,
    # columns of such a terminal; default: 80
    "cols": int,
    # pass on standard input; always the case, accepted for compatibility (-it)
    "interactive": bool,
}, total=False)


class BoxExecArgs(_BoxExecArgsNeeded, _BoxExecArgsOthers):
    """Run a command in a live box"""


# What box.exec gives.
BoxExecResult = TypedDict("BoxExecResult", {
    # run id; the other fields are as in the result of run
    "run": str,
    # ok, failed, limit, denied, interrupted or error
    "status": str,
    # of the command
    "exit_code": Optional[int],
    # output of the command
    "stdout": str,
    # as stdout
    "stderr": str,
}, total=False)
BOX_EXEC: Method[BoxExecArgs, BoxExecResult] = Method("box.exec")

# Show resource usage of live runs
RunStatsArgs = TypedDict("RunStatsArgs", {
    # only these runs; default: all live runs
    "runs": List[str],
    # repeat until the runs have ended; without RUN until interrupted
    "follow": bool,
    # interval with --follow; default 1s
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
    # its name, if it has one
    "name": Optional[str],
    # as in ps
    "state": str,
    # command with arguments
    "command": Optional[str],
    # time since its start
    "wall_ms": float,
    # processor time so far; null, like all below, if it joined another run's box
    "cpu_ms": Optional[float],
    # of one processor, since the previous measurement
    "cpu_percent": Optional[float],
    # current memory, bytes
    "mem": Optional[int],
    # peak memory, bytes
    "mem_peak": Optional[int],
    # current number of processes and threads
    "pids": Optional[int],
    # peak number of processes and threads
    "pids_peak": Optional[int],
    # bytes written that exist now
    "disk": Optional[int],
    # files, directories and links made that exist now
    "inodes": Optional[int],
    # bytes of output so far
    "output": "RunStatsResultRunsItemOutput",
}, total=False)

# What run.stats gives.
RunStatsResult = TypedDict("RunStatsResult", {
    # time of the measurement, in milliseconds since 1970
    "time_ms": int,
    # oldest first
    "runs": List["RunStatsResultRunsItem"],
}, total=False)
RUN_STATS: Method[RunStatsArgs, RunStatsResult] = Method("run.stats")

_BoxAllowArgsNeeded = TypedDict("_BoxAllowArgsNeeded", {
    # name or id of a box, or id of a live run
    "box": str,
})
_BoxAllowArgsOthers = TypedDict("_BoxAllowArgsOthers", {
    # rules or presets to add, such as net:egress:github.com:443 or npm; without any: list those of the box
    "rules": List[str],
}, total=False)


class BoxAllowArgs(_BoxAllowArgsNeeded, _BoxAllowArgsOthers):
    """Let a box reach a host"""


# What box.allow gives.
BoxAllowResult = TypedDict("BoxAllowResult", {
    # as given
    "box": str,
    # rules that were added or removed, in their full form
    "changed": List[Any],
    # all rules that the box has now
    "rules": List[Any],
}, total=False)
BOX_ALLOW: Method[BoxAllowArgs, BoxAllowResult] = Method("box.allow")

# Remove rules of a live box
BoxDenyArgs = TypedDict("BoxDenyArgs", {
    # rules to remove, as 'aisbx allow --box BOX' lists them
    "rules": List[str],
    # name or id of a box, or id of a live run
    "box": str,
})

# What box.deny gives.
BoxDenyResult = TypedDict("BoxDenyResult", {
    # as given
    "box": str,
    # rules that were added or removed, in their full form
    "changed": List[Any],
    # all rules that the box has now
    "rules": List[Any],
}, total=False)
BOX_DENY: Method[BoxDenyArgs, BoxDenyResult] = Method("box.deny")

_BoxPortsArgsNeeded = TypedDict("_BoxPortsArgsNeeded", {
    # name or id of a live box, or id of a live run
    "box": str,
})
_BoxPortsArgsOthers = TypedDict("_BoxPortsArgsOthers", {
    # make port BOXPORT of the box (default: PORT) reachable at port PORT of this machine's loopback; PORT 0: any that is free, which 'aisbx ports' shows
    "publish": List[str],
}, total=False)


class BoxPortsArgs(_BoxPortsArgsNeeded, _BoxPortsArgsOthers):
    """Show or publish ports of a live box"""


BoxPortsResultPortsItem = TypedDict("BoxPortsResultPortsItem", {
    # in the box
    "port": int,
    # on this machine
    "host_port": int,
    # where programs of this machine connect: 127.0.0.1 and host_port
    "address": str,
}, total=False)

# What box.ports gives.
BoxPortsResult = TypedDict("BoxPortsResult", {
    # as given
    "box": str,
    # all ports that are published
    "ports": List["BoxPortsResultPortsItem"],
}, total=False)
BOX_PORTS: Method[BoxPortsArgs, BoxPortsResult] = Method("box.ports")

_RunCodeArgsNeeded = TypedDict("_RunCodeArgsNeeded", {
    # its language
    "lang": Literal["python", "javascript", "shell"],
})
_RunCodeArgsOthers = TypedDict("_RunCodeArgsOthers", {
    # the program itself
    "code": str,
    # auto: wasm if it suffices
    "driver": Literal["native", "wasm", "auto"],
    # with the driver wasm: instructions that the program may execute; 0: no limit
    "fuel": int,
    # with --context: box of the interpreter
    "box": str,
    # use an interpreter that stays in the box and remembers earlier programs
    "context": str,
    # end that interpreter; takes no program
    "end-context": bool,
    # when starting the interpreter: end it after this idle time; default: 30min, 0: with its box
    "idle": Union[str, float],
    # copy the files that the program left in its directory to this one; nothing is overwritten, and traps are not copied
    "out": str,
    # scan the program with this policy first; default: as in the profile; none: no scan
    "policy": str,
    # run it if the policy says to ask, and with --out copy traps, too
    "yes": bool,
    # what the box may do; default: the profile of the language
    "profile": str,
    # make a file or directory visible, read-only
    "ro": List[str],
    # set a variable, or pass on the caller's value; with --context it stays set there
    "env": List[str],
    # give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env appended, the variable NAME. It is removed from all output. With ,inject=HOST appended, the box gets only a placeholder, and requests to HOST get the secret on their way out
    "secret": List[str],
    # what the box reaches: none, loopback (an interface of its own), allow (what the profile's rules name), ask (a person is asked about the rest), a preset (python-packages, npm, crates, go, maven, debian, github, github:OWNER/REPO[:read]) or a rule such as github.com:443
    "net": List[str],
    # end the program after this time; 0: never
    "timeout": Union[str, float],
    # maximum number of processors, such as 2 or 0.5; 0: all
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
    # bytes of each output stream that are passed on
    "output": Union[str, int],
    # the program; - (default): standard input, which the program then cannot read
    "file": str,
    # arguments of the program
    "args": List[str],
}, total=False)


class RunCodeArgs(_RunCodeArgsNeeded, _RunCodeArgsOthers):
    """Run a program given as text, in a box of its own"""


RunCodeResultDriver = TypedDict("RunCodeResultDriver", {
    # native or wasm
    "name": str,
    # why, in words
    "why": str,
}, total=False)

RunCodeResultScanFindingsItem = TypedDict("RunCodeResultScanFindingsItem", {
    # rule id in the policy
    "rule": str,
    # low, medium, high or critical
    "severity": str,
    # import, call, use, command, write, text, hidden, broken or unread
    "kind": str,
    # what was found: a module, a function, a command, a file, or a text
    "name": str,
    # the same with its arguments; '?' stands for values that are only known at run time
    "call": str,
    # found through an alias, a concatenated string or similar
    "indirect": bool,
    # in a program inside a string
    "nested": bool,
    # from 1
    "line": int,
    # from 1, in bytes
    "column": int,
    # where it ends
    "end_line": int,
    # one after its last byte
    "end_column": int,
    # the line of the source, or the part of a long one
    "text": str,
    # bytes of the line before that part
    "text_offset": int,
    # reason given by the rule
    "why": str,
    # what to do instead
    "advice": Optional[str],
}, total=False)

RunCodeResultScan = TypedDict("RunCodeResultScan", {
    # python, javascript, typescript or shell
    "language": str,
    # of the program
    "bytes": int,
    # none, low, medium, high or critical: that of the worst finding
    "risk": str,
    # action of the policy for that risk: allow, warn, sandbox, ask or refuse
    "action": str,
    # findings that are not listed
    "more": int,
    # sorted by line and column
    "findings": List["RunCodeResultScanFindingsItem"],
}, total=False)

RunCodeResultException = TypedDict("RunCodeResultException", {
    # such as ValueError; null for shell
    "name": Optional[str],
    # message
    "message": Optional[str],
    # line of the program
    "line": Optional[int],
    # with --context: the whole traceback
    "traceback": Optional[str],
}, total=False)

RunCodeResultResultsItem = TypedDict("RunCodeResultResultsItem", {
    # as the language prints it
    "text": str,
    # only present, as those below, if the value has it: by _repr_html_ and so on
    "html": str,
    # as html
    "markdown": str,
    # as html
    "svg": str,
    # in base64
    "png": str,
    # in base64
    "jpeg": str,
    # in base64
    "pdf": str,
    # as html
    "latex": str,
    # as html
    "json": Union[Dict[str, Any], List[Any]],
    # as html
    "javascript": str,
    # by type: other forms that a kernel of Jupyter told, such as plotly's charts
    "extra": Dict[str, Any],
    # it is the value of the last expression
    "is_main_result": bool,
}, total=False)

RunCodeResultFilesItem = TypedDict("RunCodeResultFilesItem", {
    # relative to the directory, or to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
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
    # run id; fields that are not listed here are as in the result of run
    "run": str,
    # ok, failed, limit, denied (by the scan: nothing ran), interrupted or error
    "status": str,
    # of the interpreter
    "exit_code": Optional[int],
    # exit status of aisbx run-code
    "exit_status": int,
    # output of the program
    "stdout": str,
    # as stdout
    "stderr": str,
    # as given
    "language": str,
    # only present if --driver was given: what ran it
    "driver": "RunCodeResultDriver",
    # findings of the scan; null: not scanned
    "scan": Optional["RunCodeResultScan"],
    # exception of a failed program, if stderr shows it and is part of the result
    "exception": Optional["RunCodeResultException"],
    # with --context: as given
    "box": str,
    # with --context: as given
    "context": str,
    # with --context: the interpreter was started for this call, so it has no earlier definitions
    "context_new": bool,
    # with --context: the interpreter has ended, and its state is lost
    "context_ended": bool,
    # with --context: ipykernel, if the box's Python has it; else plain
    "engine": Optional[str],
    # value of the last expression, as the language prints it; null: none, or the language is shell
    "text": Optional[str],
    # values that the program showed: open matplotlib figures, then its last expression
    "results": List["RunCodeResultResultsItem"],
    # with --context: the figures among the results, as PNG in base64
    "charts": List[Any],
    # regular files that the program left in its directory, by path; with --context: those of the project that were made or changed while it ran
    "files": List["RunCodeResultFilesItem"],
    # links and other special files, files beyond the first thousand, directories that could not be read
    "files_not_listed": int,
    # only present if the files could not be listed: why
    "files_error": str,
    # as in the result of run
    "violations": List[Any],
    # as in the result of run
    "limit": Optional[Dict[str, Any]],
    # why the program could not be started
    "error": Optional[str],
}, total=False)
RUN_CODE: Method[RunCodeArgs, RunCodeResult] = Method("run.code")

_CodeContextsArgsNeeded = TypedDict("_CodeContextsArgsNeeded", {
    # name or id of the box
    "box": str,
})
_CodeContextsArgsOthers = TypedDict("_CodeContextsArgsOthers", {
    # end the contexts of this name; what they remember is lost
    "end": str,
    # only contexts of this language
    "lang": Literal["python", "javascript", "shell"],
}, total=False)


class CodeContextsArgs(_CodeContextsArgsNeeded, _CodeContextsArgsOthers):
    """List the interpreters that stay in a box, or end one"""


CodeContextsResultContextsItem = TypedDict("CodeContextsResultContextsItem", {
    # its name
    "context": str,
    # python, javascript or shell
    "language": str,
    # run id of the interpreter
    "run": str,
    # since 1970
    "started_ms": int,
}, total=False)

# What code.contexts gives.
CodeContextsResult = TypedDict("CodeContextsResult", {
    # as given
    "box": str,
    # those that are there, by start; without those that ended
    "contexts": List["CodeContextsResultContextsItem"],
    # how many this call ended
    "ended": int,
}, total=False)
CODE_CONTEXTS: Method[CodeContextsArgs, CodeContextsResult] = Method("code.contexts")

_RunLearnArgsNeeded = TypedDict("_RunLearnArgsNeeded", {
    # the command and its arguments; it gets no input
    "command": List[str],
})
_RunLearnArgsOthers = TypedDict("_RunLearnArgsOthers", {
    # write the profile to this file, which must not exist yet; default: to standard output
    "output": str,
    # name of the profile; default: learned
    "name": str,
    # profile to start from; default: dev
    "profile": str,
    # directory that is cloned as writable; default: the current one, or on the command line the project that it is in
    "project": str,
    # directory to start in; default: the project
    "cwd": str,
    # show a file or directory, read-only; becomes part of the profile
    "ro": List[str],
    # set a variable, or pass on the caller's value; becomes part of the profile
    "env": List[str],
    # what the box reaches: none, loopback (an interface of its own), allow (what the profile's rules name), ask (a person is asked about the rest), a preset (python-packages, npm, crates, go, maven, debian, github, github:OWNER/REPO[:read]) or a rule such as github.com:443
    "net": List[str],
}, total=False)


class RunLearnArgs(_RunLearnArgsNeeded, _RunLearnArgsOthers):
    """Find the smallest profile with which a command works"""


RunLearnResultValuesItem = TypedDict("RunLearnResultValuesItem", {
    # as in the profile
    "key": str,
    # as in the profile
    "value": str,
    # why it has this value
    "why": str,
}, total=False)

RunLearnResultRefusedItem = TypedDict("RunLearnResultRefusedItem", {
    # what was tried
    "what": str,
    # the rule that refused it
    "rule": str,
}, total=False)

# What run.learn gives.
RunLearnResult = TypedDict("RunLearnResult", {
    # the text of the profile
    "profile": str,
    # where it was written
    "file": Optional[str],
    # of the command; the same every time
    "exit_code": Optional[int],
    # signal that ended it; the same every time
    "signal": Optional[int],
    # number of runs
    "runs": int,
    # its output was the same every time, so it was compared, too
    "steady": bool,
    # values of the profile
    "values": List["RunLearnResultValuesItem"],
    # what the command tried but does not need: no profile would allow it
    "refused": List["RunLearnResultRefusedItem"],
}, total=False)
RUN_LEARN: Method[RunLearnArgs, RunLearnResult] = Method("run.learn")

_IntentRunArgsNeeded = TypedDict("_IntentRunArgsNeeded", {
    # run, test, build, format, lint or bench
    "intent": Literal["run", "test", "build", "format", "lint", "bench"],
})
_IntentRunArgsOthers = TypedDict("_IntentRunArgsOthers", {
    # run in this box, which keeps the changes; default: a new box that is removed after the run
    "box": str,
    # what the box may do; default: as for run
    "profile": str,
    # shell command that must exit with 0 afterwards; without --box a box is made, and stays
    "tests": List[str],
    # what must hold afterwards
    "gates": List[str],
    # directory that is cloned as writable into the box; default: the current one, or on the command line the project that it is in
    "project": str,
    # directory of the project whose command is used; default: the project
    "cwd": str,
    # set a variable, or pass on the caller's value
    "env": List[str],
    # give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env appended, the variable NAME. It is removed from all output. With ,inject=HOST appended, the box gets only a placeholder, and requests to HOST get the secret on their way out
    "secret": List[str],
    # what the box reaches: none, loopback (an interface of its own), allow (what the profile's rules name), ask (a person is asked about the rest), a preset (python-packages, npm, crates, go, maven, debian, github, github:OWNER/REPO[:read]) or a rule such as github.com:443
    "net": List[str],
    # end the run after this time; 0: never
    "timeout": Union[str, float],
    # maximum number of processors, such as 2 or 0.5; 0: all
    "cpu": float,
    # processor time of all processes together
    "cpu-time": Union[str, float],
    # memory of all processes together, including files in memory; 0: no limit
    "mem": Union[str, int],
    # bytes that the box may write
    "disk": Union[str, int],
    # files, directories and links that the box may make
    "inodes": int,
    # bytes of one file
    "file-size": Union[str, int],
    # processes and threads at once
    "pids": int,
    # open files per process
    "files": int,
    # bytes of each output stream that are passed on; with --json stored in the result (default 4m)
    "output": Union[str, int],
    # instructions that a WebAssembly program may execute; only with the driver wasm; 0: no limit
    "fuel": int,
    # do not start the project's services
    "no-services": bool,
    # store what 'aisbx replay' needs: the output and, for a box, snapshots before and after
    "record": bool,
    # further arguments for the command
    "args": List[str],
}, total=False)


class IntentRunArgs(_IntentRunArgsNeeded, _IntentRunArgsOthers):
    """Run, test, build, format, lint or bench a project with its own command"""


IntentRunResultTests = TypedDict("IntentRunResultTests", {
    # tests
    "passed": int,
    # failed tests, including errors
    "failed": int,
    # skipped tests, including expected failures
    "skipped": int,
    # runner that reported them: pytest, unittest, node, tap, jest, vitest, mocha, cargo, go, meson, ctest, surefire, junit, deno
    "runner": str,
}, total=False)

# What intent.run gives.
IntentRunResult = TypedDict("IntentRunResult", {
    # as given
    "intent": str,
    # the command that was run
    "command": List[Any],
    # the file of the project that defines it
    "found_in": str,
    # counts from the runner's output; null if unclear, and for other intents
    "tests": Optional["IntentRunResultTests"],
    # run id; other fields are as in the result of run
    "run": str,
    # ok, failed, limit, denied, interrupted or error
    "status": str,
    # of the command; only this says whether the tests passed
    "exit_code": Optional[int],
    # exit status of aisbx do
    "exit_status": int,
    # output of the command
    "stdout": str,
    # as stdout
    "stderr": str,
    # as in the result of run
    "limit": Optional[Dict[str, Any]],
    # as in the result of run
    "violations": List[Any],
    # why the command could not be started
    "error": Optional[str],
    # the box that tests or gates made for it, if any
    "box": str,
    # of tests and gates, if the command succeeded: as of 'gate check'
    "gate": Dict[str, Any],
}, total=False)
INTENT_RUN: Method[IntentRunArgs, IntentRunResult] = Method("intent.run")

# Show the commands that run, test, build, format and lint a project
IntentLsArgs = TypedDict("IntentLsArgs", {
    # as the project is in this box; default: as it is now
    "box": str,
    # the project; default: the current directory, or on the command line the project that it is in
    "project": str,
    # directory of the project to look in; default: the project
    "cwd": str,
}, total=False)

IntentLsResultIntentsItem = TypedDict("IntentLsResultIntentsItem", {
    # run, test, build, format, lint or bench
    "intent": str,
    # command and arguments
    "command": List[Any],
    # the file that defines it
    "found_in": str,
    # which part of the file
    "why": str,
    # the one that 'aisbx do' uses
    "used": bool,
}, total=False)

# What intent.ls gives.
IntentLsResult = TypedDict("IntentLsResult", {
    # every command that was found, by intent, the best first
    "intents": List["IntentLsResultIntentsItem"],
}, total=False)
INTENT_LS: Method[IntentLsArgs, IntentLsResult] = Method("intent.ls")

# Check whether a box passes the project's gates
GateCheckArgs = TypedDict("GateCheckArgs", {
    # box or snapshot to check; '.' or nothing: the directory itself
    "box": str,
    # names of gates, or checks; default: all gates of the project
    "checks": List[str],
    # shell command that must exit with 0
    "command": List[str],
    # policy file in the project, evaluated by opa
    "rego": str,
    # query that must be true: data.aisbx.allow
    "query": str,
    # directory whose aisbx.yaml is used; default: the project of the box, or the current one
    "dir": str,
    # what the commands may do; default: the box's profile, or as for run
    "profile": str,
}, total=False)

GateCheckResultChecksItem = TypedDict("GateCheckResultChecksItem", {
    # as it was written
    "check": str,
    # intent, expression, command, rego or wasm
    "kind": str,
    # its gate
    "gate": Optional[str],
    # it holds
    "passed": bool,
    # the reason; facts that are not known are named
    "why": str,
    # id of the run made for it; 'aisbx logs' shows its output
    "run": Optional[str],
    # score that a command reported
    "score": Optional[float],
    # files that decide this check and that the box had changed, relative to the project: the person's own versions were used
    "judges": List[Any],
}, total=False)

GateCheckResultDriftFilesItem = TypedDict("GateCheckResultDriftFilesItem", {
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # previous name, if it was renamed
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

GateCheckResultDrift = TypedDict("GateCheckResultDrift", {
    # compared with: box, snapshot or pin
    "of": str,
    # when that was made, in milliseconds since 1970
    "since_ms": int,
    # modified files; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new files
    "added": int,
    # deleted files and directories
    "deleted": int,
    # renamed files and directories
    "renamed": int,
    # directories from which something was removed, but it is not known what
    "lost": int,
    # with other permissions, owner, links or times; if the box changed them, too: with the same content
    "touched": int,
    # changes that are not listed because git ignores the files
    "ignored": int,
    # files and directories examined
    "looked": int,
    # false: the time limit was reached, or the clock was set back
    "complete": bool,
    # the clock is behind the time at which the box was made: few changes can be detected
    "clock_back": bool,
    # git branch, if it is a different one now
    "branch": Optional[str],
    # git branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["GateCheckResultDriftFilesItem"],
    # why changes could not be detected
    "error": str,
}, total=False)

# What gate.check gives.
GateCheckResult = TypedDict("GateCheckResult", {
    # all checks hold
    "passed": bool,
    # name of the box; null: a directory
    "box": Optional[str],
    # snapshot of the box that was checked, taken because a command had to be run
    "snapshot": Optional[str],
    # names of the requested gates
    "gates": List[Any],
    # every aisbx.yaml that was used: that of the project and those of directories above it, the outermost first
    "files": List[Any],
    # all checks, in order
    "checks": List["GateCheckResultChecksItem"],
    # processor time of the commands that were run
    "cpu_ms": float,
    # all facts that were needed, by name; null: not known
    "facts": Dict[str, Any],
    # changes to the real project, outside of boxes, since the box or snapshot was made
    "drift": "GateCheckResultDrift",
}, total=False)
GATE_CHECK: Method[GateCheckArgs, GateCheckResult] = Method("gate.check")

_PlanCreateArgsNeeded = TypedDict("_PlanCreateArgsNeeded", {
    # the goal, in words
    "goal": str,
    # run, test, build, format, lint or bench, or a shell command; in order
    "step": List[str],
})
_PlanCreateArgsOthers = TypedDict("_PlanCreateArgsOthers", {
    # run the steps in this box, which keeps their changes; default: each in a box of its own
    "box": str,
}, total=False)


class PlanCreateArgs(_PlanCreateArgsNeeded, _PlanCreateArgsOthers):
    """Store a goal and the steps to it"""


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
    # of that run
    "exit_code": Optional[int],
    # why there was no run
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
    # open, running, failed (a step failed) or done
    "state": str,
    # id of the box its steps run in; null: each in a box of its own
    "box": Optional[str],
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # in order
    "steps": List["PlanCreateResultStepsItem"],
}, total=False)
PLAN_CREATE: Method[PlanCreateArgs, PlanCreateResult] = Method("plan.create")

# List plans
PlanLsArgs = TypedDict("PlanLsArgs", {
    # only plans whose goal or steps contain this text
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
    # of that run
    "exit_code": Optional[int],
    # why there was no run
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
    # open, running, failed (a step failed) or done
    "state": str,
    # id of the box its steps run in; null: each in a box of its own
    "box": Optional[str],
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # in order
    "steps": List["PlanLsResultPlansItemStepsItem"],
}, total=False)

# What plan.ls gives.
PlanLsResult = TypedDict("PlanLsResult", {
    # newest first
    "plans": List["PlanLsResultPlansItem"],
}, total=False)
PLAN_LS: Method[PlanLsArgs, PlanLsResult] = Method("plan.ls")

# Show a plan and its progress
PlanShowArgs = TypedDict("PlanShowArgs", {
    # plan id; a prefix is enough
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
    # of that run
    "exit_code": Optional[int],
    # why there was no run
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
    # open, running, failed (a step failed) or done
    "state": str,
    # id of the box its steps run in; null: each in a box of its own
    "box": Optional[str],
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # in order
    "steps": List["PlanShowResultStepsItem"],
}, total=False)
PLAN_SHOW: Method[PlanShowArgs, PlanShowResult] = Method("plan.show")

_PlanStepArgsNeeded = TypedDict("_PlanStepArgsNeeded", {
    # plan id; a prefix is enough
    "plan": str,
})
_PlanStepArgsOthers = TypedDict("_PlanStepArgsOthers", {
    # run it in this box; default: the plan's
    "box": str,
    # end the step after this time; 0: never
    "timeout": Union[str, float],
    # repeat the step that failed
    "again": bool,
    # continue without the step that failed
    "skip": bool,
}, total=False)


class PlanStepArgs(_PlanStepArgsNeeded, _PlanStepArgsOthers):
    """Run the next step of a plan"""


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
    # of that run
    "exit_code": Optional[int],
    # why there was no run
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
    # open, running, failed (a step failed) or done
    "state": str,
    # id of the box its steps run in; null: each in a box of its own
    "box": Optional[str],
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # in order
    "steps": List["PlanStepResultStepsItem"],
    # the step that was run; null: the last one was skipped
    "did": Optional[int],
    # as in the result of run or, for an intent, of do
    "result": Optional[Dict[str, Any]],
}, total=False)
PLAN_STEP: Method[PlanStepArgs, PlanStepResult] = Method("plan.step")

# Remove plans
PlanRmArgs = TypedDict("PlanRmArgs", {
    # plan ids; a prefix of each is enough
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
    # where to start; default: the project as it is
    "box": str,
    # shell command that must succeed; default: the project's own test command
    "test": str,
    # which branch wins: the best of all that pass (default), or the first that passes; all: only compare
    "mode": Literal["first", "best", "all"],
    # as defined in the project's aisbx.yaml; options override it
    "experiment": str,
    # must hold as well: a gate of the project's aisbx.yaml, an intent or an expression; can be repeated
    "gate": List[str],
    # expression to compare branches by: facts as in gates; default: the time of the test
    "score": str,
    # whether the lowest (default) or the highest score is best
    "prefer": Literal["least", "most"],
    # run the test K times; a branch that fails any of them does not pass
    "repeat": int,
    # stop all branches after this time
    "budget-time": Union[str, float],
    # stop all branches when together they have used this much processor time
    "budget-cpu": Union[str, float],
    # start at most this many runs: commands and tests of all branches
    "budget-runs": int,
    # run at most N branches at once; default: all
    "parallel": int,
    # promote the winner, through the project's stages if there are any
    "promote": bool,
    # keep the boxes of the other branches, too
    "keep": bool,
    # names of the branches, in order; default: 1, 2, ...
    "name": List[str],
    # what the boxes may do; default: as for run
    "profile": str,
    # directory that is cloned as writable into the boxes; default: the current one, or on the command line the project that it is in
    "project": str,
    # share a file or directory with all of them: changes affect the real one
    "rw": List[str],
    # make a file or directory visible, read-only
    "ro": List[str],
    # set a variable, or pass on the caller's value
    "env": List[str],
    # give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env appended, the variable NAME. It is removed from all output. With ,inject=HOST appended, the box gets only a placeholder, and requests to HOST get the secret on their way out
    "secret": List[str],
    # what the box reaches: none, loopback (an interface of its own), allow (what the profile's rules name), ask (a person is asked about the rest), a preset (python-packages, npm, crates, go, maven, debian, github, github:OWNER/REPO[:read]) or a rule such as github.com:443
    "net": List[str],
    # end the run after this time; 0: never
    "timeout": Union[str, float],
    # maximum number of processors, such as 2 or 0.5; 0: all
    "cpu": float,
    # processor time of all processes together
    "cpu-time": Union[str, float],
    # memory of all processes together, including files in memory; 0: no limit
    "mem": Union[str, int],
    # bytes that the box may write
    "disk": Union[str, int],
    # files, directories and links that the box may make
    "inodes": int,
    # bytes of one file
    "file-size": Union[str, int],
    # processes and threads at once
    "pids": int,
    # open files per process
    "files": int,
    # bytes of each output stream that are passed on; with --json stored in the result (default 4m)
    "output": Union[str, int],
    # instructions that a WebAssembly program may execute; only with the driver wasm; 0: no limit
    "fuel": int,
    # do not start the project's services
    "no-services": bool,
    # shell commands, one for each branch
    "branches": List[str],
    # approaches: one word is a shell command, several are a command and its arguments; '--' separates them
    "command": List[str],
}, total=False)

ExperimentTryResultBranchesItem = TypedDict("ExperimentTryResultBranchesItem", {
    # position on the command line, from 1
    "n": int,
    # as given, or its position
    "name": str,
    # as given
    "command": str,
    # its box; null: removed
    "box": Optional[str],
    # snapshot of the box that was judged
    "snapshot": Optional[str],
    # winner, passed, failed, flaky (passed some of its tests), stopped or waiting
    "state": str,
    # rank among those that passed, from 1
    "rank": Optional[int],
    # run ids: the command, then the tests
    "runs": List[Any],
    # time from start to end
    "wall_ms": float,
    # of all its runs
    "cpu_ms": float,
    # peak memory of its runs, bytes
    "mem_peak": int,
    # numbers of passed, failed and skipped tests, if the runner reports them
    "tests": Optional[Dict[str, Any]],
    # numbers of created, modified and deleted files
    "changes": Optional[Dict[str, Any]],
    # value it is compared by: --score, or the milliseconds of its test
    "score": Optional[float],
    # how many of its tests passed: 3/3
    "passed_of": Optional[str],
    # why it did not win; may be empty
    "why": str,
    # last lines of its last run's output
    "stdout_tail": str,
    # as stdout_tail
    "stderr_tail": str,
}, total=False)

ExperimentTryResultDiffersItem = TypedDict("ExperimentTryResultDiffersItem", {
    # the best branch
    "branch": str,
    # the other
    "against": str,
    # paths that differ, relative to the project, at most 50
    "files": List[Any],
    # number of further paths
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
    # those that passed first, by rank
    "branches": List["ExperimentTryResultBranchesItem"],
    # how the best differs from each other branch that passed
    "differs": List["ExperimentTryResultDiffersItem"],
    # with --promote: as in the result of promote
    "promotion": Optional[Dict[str, Any]],
    # with --promote in a project with stages: as in the result of pipeline run
    "pipeline": Optional[Dict[str, Any]],
    # of all branches
    "wall_ms": float,
}, total=False)
EXPERIMENT_TRY: Method[ExperimentTryArgs, ExperimentTryResult] = Method("experiment.try")

# Make boxes for different approaches, to be judged when they are ready
ExperimentOpenArgs = TypedDict("ExperimentOpenArgs", {
    # where to start; default: the project as it is
    "box": str,
    # shell command that must succeed; default: the project's own test command
    "test": str,
    # which branch wins: the best of all that pass (default), or the first that passes; all: only compare
    "mode": Literal["first", "best", "all"],
    # as defined in the project's aisbx.yaml; options override it
    "experiment": str,
    # must hold as well: a gate of the project's aisbx.yaml, an intent or an expression; can be repeated
    "gate": List[str],
    # expression to compare branches by: facts as in gates; default: the time of the test
    "score": str,
    # whether the lowest (default) or the highest score is best
    "prefer": Literal["least", "most"],
    # run the test K times; a branch that fails any of them does not pass
    "repeat": int,
    # number of boxes; default 2
    "count": int,
    # names of the branches, in order; default: 1, 2, ...
    "name": List[str],
    # what the boxes may do; default: as for run
    "profile": str,
    # directory that is cloned as writable into the boxes; default: the current one, or on the command line the project that it is in
    "project": str,
}, total=False)

ExperimentOpenResultBranchesItem = TypedDict("ExperimentOpenResultBranchesItem", {
    # position on the command line, from 1
    "n": int,
    # as given, or its position
    "name": str,
    # as given
    "command": str,
    # its box; null: removed
    "box": Optional[str],
    # snapshot of the box that was judged
    "snapshot": Optional[str],
    # winner, passed, failed, flaky (passed some of its tests), stopped or waiting
    "state": str,
    # rank among those that passed, from 1
    "rank": Optional[int],
    # run ids: the command, then the tests
    "runs": List[Any],
    # time from start to end
    "wall_ms": float,
    # of all its runs
    "cpu_ms": float,
    # peak memory of its runs, bytes
    "mem_peak": int,
    # numbers of passed, failed and skipped tests, if the runner reports them
    "tests": Optional[Dict[str, Any]],
    # numbers of created, modified and deleted files
    "changes": Optional[Dict[str, Any]],
    # value it is compared by: --score, or the milliseconds of its test
    "score": Optional[float],
    # how many of its tests passed: 3/3
    "passed_of": Optional[str],
    # why it did not win; may be empty
    "why": str,
    # last lines of its last run's output
    "stdout_tail": str,
    # as stdout_tail
    "stderr_tail": str,
}, total=False)

# What experiment.open gives.
ExperimentOpenResult = TypedDict("ExperimentOpenResult", {
    # its id
    "experiment": str,
    # name in aisbx.yaml; empty: none
    "name": str,
    # first, best or all
    "mode": str,
    # running, open, or its outcome: won, none, compared, budget, interrupted, error
    "state": str,
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # name of the branch
    "winner": Optional[str],
    # the winner's box
    "box": Optional[str],
    # in the given order, or ranked after the end
    "branches": List["ExperimentOpenResultBranchesItem"],
}, total=False)
EXPERIMENT_OPEN: Method[ExperimentOpenArgs, ExperimentOpenResult] = Method("experiment.open")

# Judge a branch of an open experiment
ExperimentReadyArgs = TypedDict("ExperimentReadyArgs", {
    # experiment id; a prefix is enough
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
    # its test passed every time
    "passed": bool,
    # with mode first: it was the first to pass, and the experiment has ended
    "won": bool,
    # why it did not pass
    "why": str,
    # as a branch in the result of try
    "record": Dict[str, Any],
    # if it won: as in the result of experiment end
    "ended": Optional[Dict[str, Any]],
}, total=False)
EXPERIMENT_READY: Method[ExperimentReadyArgs, ExperimentReadyResult] = Method("experiment.ready")

# Show an experiment and its branches
ExperimentShowArgs = TypedDict("ExperimentShowArgs", {
    # experiment id; a prefix is enough
    "experiment": str,
})

ExperimentShowResultBranchesItem = TypedDict("ExperimentShowResultBranchesItem", {
    # position on the command line, from 1
    "n": int,
    # as given, or its position
    "name": str,
    # as given
    "command": str,
    # its box; null: removed
    "box": Optional[str],
    # snapshot of the box that was judged
    "snapshot": Optional[str],
    # winner, passed, failed, flaky (passed some of its tests), stopped or waiting
    "state": str,
    # rank among those that passed, from 1
    "rank": Optional[int],
    # run ids: the command, then the tests
    "runs": List[Any],
    # time from start to end
    "wall_ms": float,
    # of all its runs
    "cpu_ms": float,
    # peak memory of its runs, bytes
    "mem_peak": int,
    # numbers of passed, failed and skipped tests, if the runner reports them
    "tests": Optional[Dict[str, Any]],
    # numbers of created, modified and deleted files
    "changes": Optional[Dict[str, Any]],
    # value it is compared by: --score, or the milliseconds of its test
    "score": Optional[float],
    # how many of its tests passed: 3/3
    "passed_of": Optional[str],
    # why it did not win; may be empty
    "why": str,
    # last lines of its last run's output
    "stdout_tail": str,
    # as stdout_tail
    "stderr_tail": str,
}, total=False)

# What experiment.show gives.
ExperimentShowResult = TypedDict("ExperimentShowResult", {
    # its id
    "experiment": str,
    # name in aisbx.yaml; empty: none
    "name": str,
    # first, best or all
    "mode": str,
    # running, open, or its outcome: won, none, compared, budget, interrupted, error
    "state": str,
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # name of the branch
    "winner": Optional[str],
    # the winner's box
    "box": Optional[str],
    # in the given order, or ranked after the end
    "branches": List["ExperimentShowResultBranchesItem"],
}, total=False)
EXPERIMENT_SHOW: Method[ExperimentShowArgs, ExperimentShowResult] = Method("experiment.show")

# List experiments
ExperimentLsArgs = TypedDict("ExperimentLsArgs", {
    # maximum number; default 20
    "limit": int,
}, total=False)

ExperimentLsResultExperimentsItemBranchesItem = TypedDict("ExperimentLsResultExperimentsItemBranchesItem", {
    # position on the command line, from 1
    "n": int,
    # as given, or its position
    "name": str,
    # as given
    "command": str,
    # its box; null: removed
    "box": Optional[str],
    # snapshot of the box that was judged
    "snapshot": Optional[str],
    # winner, passed, failed, flaky (passed some of its tests), stopped or waiting
    "state": str,
    # rank among those that passed, from 1
    "rank": Optional[int],
    # run ids: the command, then the tests
    "runs": List[Any],
    # time from start to end
    "wall_ms": float,
    # of all its runs
    "cpu_ms": float,
    # peak memory of its runs, bytes
    "mem_peak": int,
    # numbers of passed, failed and skipped tests, if the runner reports them
    "tests": Optional[Dict[str, Any]],
    # numbers of created, modified and deleted files
    "changes": Optional[Dict[str, Any]],
    # value it is compared by: --score, or the milliseconds of its test
    "score": Optional[float],
    # how many of its tests passed: 3/3
    "passed_of": Optional[str],
    # why it did not win; may be empty
    "why": str,
    # last lines of its last run's output
    "stdout_tail": str,
    # as stdout_tail
    "stderr_tail": str,
}, total=False)

ExperimentLsResultExperimentsItem = TypedDict("ExperimentLsResultExperimentsItem", {
    # its id
    "experiment": str,
    # name in aisbx.yaml; empty: none
    "name": str,
    # first, best or all
    "mode": str,
    # running, open, or its outcome: won, none, compared, budget, interrupted, error
    "state": str,
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # name of the branch
    "winner": Optional[str],
    # the winner's box
    "box": Optional[str],
    # in the given order, or ranked after the end
    "branches": List["ExperimentLsResultExperimentsItemBranchesItem"],
}, total=False)

# What experiment.ls gives.
ExperimentLsResult = TypedDict("ExperimentLsResult", {
    # newest first
    "experiments": List["ExperimentLsResultExperimentsItem"],
}, total=False)
EXPERIMENT_LS: Method[ExperimentLsArgs, ExperimentLsResult] = Method("experiment.ls")

_ExperimentEndArgsNeeded = TypedDict("_ExperimentEndArgsNeeded", {
    # experiment id; a prefix is enough
    "experiment": str,
})
_ExperimentEndArgsOthers = TypedDict("_ExperimentEndArgsOthers", {
    # promote the winner, through the project's stages if there are any
    "promote": bool,
    # keep the boxes of the other branches, too
    "keep": bool,
}, total=False)


class ExperimentEndArgs(_ExperimentEndArgsNeeded, _ExperimentEndArgsOthers):
    """End an open experiment: the best branch that passed wins"""


ExperimentEndResultBranchesItem = TypedDict("ExperimentEndResultBranchesItem", {
    # position on the command line, from 1
    "n": int,
    # as given, or its position
    "name": str,
    # as given
    "command": str,
    # its box; null: removed
    "box": Optional[str],
    # snapshot of the box that was judged
    "snapshot": Optional[str],
    # winner, passed, failed, flaky (passed some of its tests), stopped or waiting
    "state": str,
    # rank among those that passed, from 1
    "rank": Optional[int],
    # run ids: the command, then the tests
    "runs": List[Any],
    # time from start to end
    "wall_ms": float,
    # of all its runs
    "cpu_ms": float,
    # peak memory of its runs, bytes
    "mem_peak": int,
    # numbers of passed, failed and skipped tests, if the runner reports them
    "tests": Optional[Dict[str, Any]],
    # numbers of created, modified and deleted files
    "changes": Optional[Dict[str, Any]],
    # value it is compared by: --score, or the milliseconds of its test
    "score": Optional[float],
    # how many of its tests passed: 3/3
    "passed_of": Optional[str],
    # why it did not win; may be empty
    "why": str,
    # last lines of its last run's output
    "stdout_tail": str,
    # as stdout_tail
    "stderr_tail": str,
}, total=False)

# What experiment.end gives.
ExperimentEndResult = TypedDict("ExperimentEndResult", {
    # its id
    "experiment": str,
    # name in aisbx.yaml; empty: none
    "name": str,
    # first, best or all
    "mode": str,
    # running, open, or its outcome: won, none, compared, budget, interrupted, error
    "state": str,
    # directory it was made in
    "project": str,
    # milliseconds since 1970
    "created_ms": int,
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # name of the branch
    "winner": Optional[str],
    # the winner's box
    "box": Optional[str],
    # in the given order, or ranked after the end
    "branches": List["ExperimentEndResultBranchesItem"],
    # as in the result of try
    "differs": List[Any],
    # with --promote: as in the result of promote
    "promotion": Optional[Dict[str, Any]],
    # with --promote in a project with stages: as in the result of pipeline run
    "pipeline": Optional[Dict[str, Any]],
}, total=False)
EXPERIMENT_END: Method[ExperimentEndArgs, ExperimentEndResult] = Method("experiment.end")

# Make a box: a clone of this machine that keeps its changes
BoxCreateArgs = TypedDict("BoxCreateArgs", {
    # what it starts from: this machine (default), an image or a template of that name, or a box, which is forked; image:NAME, template:NAME and box:NAME say which. A box from an image has a project only with --project or --here
    "from": str,
    # of an ordinary user's box on an image: one (default), where every file is yours, or sub, where files belong to whom the image says, by your subordinate ids
    "ids": Literal["one", "sub"],
    # bring the image from its registry if it is not here, as 'image pull' does
    "pull": bool,
    # take over this box, which an ended session left
    "take": str,
    # directory that is writable in the box; default: the current one, or on the command line the project that it is in
    "project": str,
    # what its runs may do: a name that 'aisbx profile ls' lists, or a file (with a '/'); default: $AISBX_PROFILE, or dev
    "profile": str,
    # lifetime: after it runs in the box end, and gc removes the box
    "ttl": Union[str, float],
    # give every run in it this secret, read again each time; as in run
    "secret": List[str],
    # a variable that every command in it gets, or the caller's value; 'aisbx show' tells only names
    "env": List[str],
    # note this of it, for 'aisbx ls --metadata'
    "metadata": List[str],
    # what its runs may reach, each of which can add to it; as in run
    "net": List[str],
    # share it with other sessions and tokens, too; a person has access to all boxes
    "shared": bool,
    # give it a copy of the project as it is now, so that later changes outside do not show; copying takes time
    "pin": bool,
    # take a snapshot after each run that changed something
    "autosnap": bool,
    # its runs do not see the caches of package managers and compilers in the home directory
    "no-caches": bool,
    # record every run in it, as 'run --record' does
    "record": bool,
    # name; default: two words
    "name": str,
}, total=False)

BoxCreateResultPin = TypedDict("BoxCreateResultPin", {
    # when it was made; later changes outside are not in it; milliseconds since 1970
    "since_ms": int,
    # files, directories and links copied
    "files": int,
    # bytes in these files
    "bytes": int,
    # the copy takes no space of its own: the file system shares the data
    "shared": bool,
    # files and directories that could not be read: they are empty in the copy
    "unreadable": int,
}, total=False)

BoxCreateResultSecretFilesItem = TypedDict("BoxCreateResultSecretFilesItem", {
    # in the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # so many values
    "values": int,
}, total=False)

# What box.create gives.
BoxCreateResult = TypedDict("BoxCreateResult", {
    # box id; never changes
    "id": str,
    # can be changed
    "name": str,
    # directory of the host that it clones as writable
    "project": Optional[str],
    # id of the image that it stands on; null: this machine
    "image": Optional[str],
    # profile of its runs, unless they choose another
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # number of snapshots
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have access, too
    "shared": bool,
    # with pin: the copy of the project
    "pin": "BoxCreateResultPin",
    # only present if there are any: files of the project with values that look like secrets; these are removed from the output of its runs, and stop a promotion
    "secret_files": List["BoxCreateResultSecretFilesItem"],
    # only present if there are any: values beyond the first 48
    "secrets_not_looked_for": int,
}, total=False)
BOX_CREATE: Method[BoxCreateArgs, BoxCreateResult] = Method("box.create")

# List boxes
BoxLsArgs = TypedDict("BoxLsArgs", {
    # only boxes of which this was noted; several: all of it
    "metadata": List[str],
}, total=False)

BoxLsResultBoxesItem = TypedDict("BoxLsResultBoxesItem", {
    # box id; never changes
    "id": str,
    # can be changed
    "name": str,
    # directory of the host that it clones as writable
    "project": Optional[str],
    # id of the image that it stands on; null: this machine
    "image": Optional[str],
    # profile of its runs, unless they choose another
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # number of snapshots
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have access, too
    "shared": bool,
    # what was noted of it when it was made: texts by their keys
    "metadata": Dict[str, Any],
    # there, moved (found elsewhere), replaced (another directory has its name) or missing
    "project_is": str,
    # where the project is now, if it was moved
    "project_now": Optional[str],
    # only on the command line: it is the current box
    "current": bool,
}, total=False)

BoxLsResultLeftItem = TypedDict("BoxLsResultLeftItem", {
    # box id
    "id": str,
    # its name there
    "name": str,
    # as of a box
    "project": Optional[str],
    # number of snapshots
    "snapshots": int,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # the session that made it
    "owner": str,
}, total=False)

# What box.ls gives.
BoxLsResult = TypedDict("BoxLsResult", {
    # oldest first
    "boxes": List["BoxLsResultBoxesItem"],
    # only if there are any: boxes of ended sessions of the same token, which box.take takes over
    "left": List["BoxLsResultLeftItem"],
    # only on the command line, and without --all: boxes of other projects
    "others": int,
}, total=False)
BOX_LS: Method[BoxLsArgs, BoxLsResult] = Method("box.ls")

_BoxShowArgsNeeded = TypedDict("_BoxShowArgsNeeded", {
    # name or id of the box
    "box": str,
})
_BoxShowArgsOthers = TypedDict("_BoxShowArgsOthers", {
    # list what changed in the real project since the box was made
    "stale": bool,
    # time limit for the search for changes in the real project; default: 300ms
    "drift": str,
}, total=False)


class BoxShowArgs(_BoxShowArgsNeeded, _BoxShowArgsOthers):
    """Show one box and its snapshots"""


BoxShowResultSnapshotListItem = TypedDict("BoxShowResultSnapshotListItem", {
    # snapshot id
    "id": str,
    # snapshot id
    "name": str,
    # id of the box
    "box": str,
    # milliseconds since 1970
    "created_ms": int,
    # aisbx took it automatically
    "automatic": bool,
}, total=False)

BoxShowResultPolicy = TypedDict("BoxShowResultPolicy", {
    # capabilities; null: it says nothing about them
    "caps": Optional[List[Any]],
    # preset of system calls; null: it says nothing
    "seccomp": Optional[str],
    # none, loopback or any; null: it says nothing
    "net": Optional[str],
}, total=False)

BoxShowResultStaleItem = TypedDict("BoxShowResultStaleItem", {
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
}, total=False)

BoxShowResultDriftFilesItem = TypedDict("BoxShowResultDriftFilesItem", {
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # previous name, if it was renamed
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

BoxShowResultDrift = TypedDict("BoxShowResultDrift", {
    # compared with: box, snapshot or pin
    "of": str,
    # when that was made, in milliseconds since 1970
    "since_ms": int,
    # modified files; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new files
    "added": int,
    # deleted files and directories
    "deleted": int,
    # renamed files and directories
    "renamed": int,
    # directories from which something was removed, but it is not known what
    "lost": int,
    # with other permissions, owner, links or times; if the box changed them, too: with the same content
    "touched": int,
    # changes that are not listed because git ignores the files
    "ignored": int,
    # files and directories examined
    "looked": int,
    # false: the time limit was reached, or the clock was set back
    "complete": bool,
    # the clock is behind the time at which the box was made: few changes can be detected
    "clock_back": bool,
    # git branch, if it is a different one now
    "branch": Optional[str],
    # git branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["BoxShowResultDriftFilesItem"],
    # why changes could not be detected
    "error": str,
}, total=False)

# What box.show gives.
BoxShowResult = TypedDict("BoxShowResult", {
    # box id; never changes
    "id": str,
    # can be changed
    "name": str,
    # directory of the host that it clones as writable
    "project": Optional[str],
    # id of the image that it stands on; null: this machine
    "image": Optional[str],
    # profile of its runs, unless they choose another
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # number of snapshots
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have access, too
    "shared": bool,
    # what was noted of it when it was made: texts by their keys
    "metadata": Dict[str, Any],
    # names of the variables that its commands get; values are not shown
    "variables": List[Any],
    # there, moved (found elsewhere), replaced (another directory has its name) or missing
    "project_is": str,
    # where the project is now, if it was moved
    "project_now": Optional[str],
    # when its copy of the project was made; null: it sees the real project
    "pinned_ms": Optional[int],
    # snapshots of the box, oldest first
    "snapshot_list": List["BoxShowResultSnapshotListItem"],
    # it was in use when the machine stopped: its changes since the last snapshot may be incomplete
    "torn": bool,
    # what runs on this image have at most; null: it says nothing
    "policy": Optional["BoxShowResultPolicy"],
    # with --stale: what changed outside of boxes since the box was made
    "stale": List["BoxShowResultStaleItem"],
    # changes to the real project, outside of boxes, since the box or snapshot was made
    "drift": "BoxShowResultDrift",
}, total=False)
BOX_SHOW: Method[BoxShowArgs, BoxShowResult] = Method("box.show")

_BoxForkArgsNeeded = TypedDict("_BoxForkArgsNeeded", {
    # where to start
    "from": str,
})
_BoxForkArgsOthers = TypedDict("_BoxForkArgsOthers", {
    # make N boxes: NAME-1, NAME-2, ...
    "count": int,
    # name; default: that of BOX with a number
    "name": str,
    # lifetime: after it runs in the box end, and gc removes the box
    "ttl": Union[str, float],
    # share it with other sessions and tokens, too; a person has access to all boxes
    "shared": bool,
    # time limit for the search for changes in the real project; default: 300ms
    "drift": str,
}, total=False)


class BoxForkArgs(_BoxForkArgsNeeded, _BoxForkArgsOthers):
    """Make boxes that start from a box or one of its snapshots"""


BoxForkResultBoxesItem = TypedDict("BoxForkResultBoxesItem", {
    # box id; never changes
    "id": str,
    # can be changed
    "name": str,
    # directory of the host that it clones as writable
    "project": Optional[str],
    # id of the image that it stands on; null: this machine
    "image": Optional[str],
    # profile of its runs, unless they choose another
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # number of snapshots
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have access, too
    "shared": bool,
}, total=False)

BoxForkResultDriftFilesItem = TypedDict("BoxForkResultDriftFilesItem", {
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # previous name, if it was renamed
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

BoxForkResultDrift = TypedDict("BoxForkResultDrift", {
    # compared with: box, snapshot or pin
    "of": str,
    # when that was made, in milliseconds since 1970
    "since_ms": int,
    # modified files; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new files
    "added": int,
    # deleted files and directories
    "deleted": int,
    # renamed files and directories
    "renamed": int,
    # directories from which something was removed, but it is not known what
    "lost": int,
    # with other permissions, owner, links or times; if the box changed them, too: with the same content
    "touched": int,
    # changes that are not listed because git ignores the files
    "ignored": int,
    # files and directories examined
    "looked": int,
    # false: the time limit was reached, or the clock was set back
    "complete": bool,
    # the clock is behind the time at which the box was made: few changes can be detected
    "clock_back": bool,
    # git branch, if it is a different one now
    "branch": Optional[str],
    # git branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["BoxForkResultDriftFilesItem"],
    # why changes could not be detected
    "error": str,
}, total=False)

# What box.fork gives.
BoxForkResult = TypedDict("BoxForkResult", {
    # the new boxes
    "boxes": List["BoxForkResultBoxesItem"],
    # changes to the real project, outside of boxes, since the box or snapshot was made
    "drift": "BoxForkResultDrift",
}, total=False)
BOX_FORK: Method[BoxForkArgs, BoxForkResult] = Method("box.fork")

_BoxSnapArgsNeeded = TypedDict("_BoxSnapArgsNeeded", {
    # box
    "box": str,
})
_BoxSnapArgsOthers = TypedDict("_BoxSnapArgsOthers", {
    # name; default: its id
    "name": str,
    # also give the box a copy of the real project as it is now; it uses the copy from here on
    "pin": bool,
    # even if the box was in use when the machine stopped: its files may be incomplete
    "as-is": bool,
}, total=False)


class BoxSnapArgs(_BoxSnapArgsNeeded, _BoxSnapArgsOthers):
    """Take a snapshot of a box"""


BoxSnapResultPin = TypedDict("BoxSnapResultPin", {
    # when it was made; later changes outside are not in it; milliseconds since 1970
    "since_ms": int,
    # files, directories and links copied
    "files": int,
    # bytes in these files
    "bytes": int,
    # the copy takes no space of its own: the file system shares the data
    "shared": bool,
    # files and directories that could not be read: they are empty in the copy
    "unreadable": int,
}, total=False)

BoxSnapResultDriftFilesItem = TypedDict("BoxSnapResultDriftFilesItem", {
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # previous name, if it was renamed
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

BoxSnapResultDrift = TypedDict("BoxSnapResultDrift", {
    # compared with: box, snapshot or pin
    "of": str,
    # when that was made, in milliseconds since 1970
    "since_ms": int,
    # modified files; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new files
    "added": int,
    # deleted files and directories
    "deleted": int,
    # renamed files and directories
    "renamed": int,
    # directories from which something was removed, but it is not known what
    "lost": int,
    # with other permissions, owner, links or times; if the box changed them, too: with the same content
    "touched": int,
    # changes that are not listed because git ignores the files
    "ignored": int,
    # files and directories examined
    "looked": int,
    # false: the time limit was reached, or the clock was set back
    "complete": bool,
    # the clock is behind the time at which the box was made: few changes can be detected
    "clock_back": bool,
    # git branch, if it is a different one now
    "branch": Optional[str],
    # git branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["BoxSnapResultDriftFilesItem"],
    # why changes could not be detected
    "error": str,
}, total=False)

# What box.snap gives.
BoxSnapResult = TypedDict("BoxSnapResult", {
    # snapshot id
    "id": str,
    # unique within its box
    "name": str,
    # id of the box
    "box": str,
    # milliseconds since 1970
    "created_ms": int,
    # aisbx took it automatically
    "automatic": bool,
    # with pin: the copy of the project
    "pin": "BoxSnapResultPin",
    # changes to the real project, outside of boxes, since the box or snapshot was made
    "drift": "BoxSnapResultDrift",
}, total=False)
BOX_SNAP: Method[BoxSnapArgs, BoxSnapResult] = Method("box.snap")

_BoxRollbackArgsNeeded = TypedDict("_BoxRollbackArgsNeeded", {
    # box
    "box": str,
    # name or id
    "snapshot": str,
})
_BoxRollbackArgsOthers = TypedDict("_BoxRollbackArgsOthers", {
    # time limit for the search for changes in the real project; default: 300ms
    "drift": str,
}, total=False)


class BoxRollbackArgs(_BoxRollbackArgsNeeded, _BoxRollbackArgsOthers):
    """Restore a snapshot of a box"""


BoxRollbackResultDriftFilesItem = TypedDict("BoxRollbackResultDriftFilesItem", {
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # previous name, if it was renamed
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

BoxRollbackResultDrift = TypedDict("BoxRollbackResultDrift", {
    # compared with: box, snapshot or pin
    "of": str,
    # when that was made, in milliseconds since 1970
    "since_ms": int,
    # modified files; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new files
    "added": int,
    # deleted files and directories
    "deleted": int,
    # renamed files and directories
    "renamed": int,
    # directories from which something was removed, but it is not known what
    "lost": int,
    # with other permissions, owner, links or times; if the box changed them, too: with the same content
    "touched": int,
    # changes that are not listed because git ignores the files
    "ignored": int,
    # files and directories examined
    "looked": int,
    # false: the time limit was reached, or the clock was set back
    "complete": bool,
    # the clock is behind the time at which the box was made: few changes can be detected
    "clock_back": bool,
    # git branch, if it is a different one now
    "branch": Optional[str],
    # git branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["BoxRollbackResultDriftFilesItem"],
    # why changes could not be detected
    "error": str,
}, total=False)

# What box.rollback gives.
BoxRollbackResult = TypedDict("BoxRollbackResult", {
    # its name
    "box": str,
    # snapshot that was restored
    "snapshot": str,
    # changes to the real project, outside of boxes, since the box or snapshot was made
    "drift": "BoxRollbackResultDrift",
}, total=False)
BOX_ROLLBACK: Method[BoxRollbackArgs, BoxRollbackResult] = Method("box.rollback")

# Show boxes and snapshots as a tree
BoxTreeArgs = TypedDict("BoxTreeArgs", {
}, total=False)

BoxTreeResultBoxesItem = TypedDict("BoxTreeResultBoxesItem", {
    # box id; never changes
    "id": str,
    # can be changed
    "name": str,
    # directory of the host that it clones as writable
    "project": Optional[str],
    # id of the image that it stands on; null: this machine
    "image": Optional[str],
    # profile of its runs, unless they choose another
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # number of snapshots
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have access, too
    "shared": bool,
    # id of its parent snapshot; null: the machine as it is
    "on": Optional[str],
}, total=False)

BoxTreeResultSnapshotsItem = TypedDict("BoxTreeResultSnapshotsItem", {
    # snapshot id
    "id": str,
    # unique within its box
    "name": str,
    # id of the box
    "box": str,
    # milliseconds since 1970
    "created_ms": int,
    # aisbx took it automatically
    "automatic": bool,
    # id of its parent snapshot; null: the machine as it is
    "parent": Optional[str],
}, total=False)

# What box.tree gives.
BoxTreeResult = TypedDict("BoxTreeResult", {
    # every box
    "boxes": List["BoxTreeResultBoxesItem"],
    # only on the command line, and without --all: boxes of other projects
    "others": int,
    # every snapshot
    "snapshots": List["BoxTreeResultSnapshotsItem"],
}, total=False)
BOX_TREE: Method[BoxTreeArgs, BoxTreeResult] = Method("box.tree")

_BoxRenameArgsNeeded = TypedDict("_BoxRenameArgsNeeded", {
    # name or id of the box
    "box": str,
})
_BoxRenameArgsOthers = TypedDict("_BoxRenameArgsOthers", {
    # new name
    "name": str,
    # directory of the project, if it was moved or renamed
    "project": str,
}, total=False)


class BoxRenameArgs(_BoxRenameArgsNeeded, _BoxRenameArgsOthers):
    """Rename a box, or tell it where its project is now"""


# What box.rename gives.
BoxRenameResult = TypedDict("BoxRenameResult", {
    # box id
    "id": str,
    # new name
    "name": str,
    # directory of the project after this
    "project": Optional[str],
}, total=False)
BOX_RENAME: Method[BoxRenameArgs, BoxRenameResult] = Method("box.rename")

# Change the lifetime of a box
BoxRenewArgs = TypedDict("BoxRenewArgs", {
    # name or id of the box
    "box": str,
    # time from now; 0: never expires
    "ttl": Union[str, float],
})

# What box.renew gives.
BoxRenewResult = TypedDict("BoxRenewResult", {
    # box id; never changes
    "id": str,
    # can be changed
    "name": str,
    # directory of the host that it clones as writable
    "project": Optional[str],
    # id of the image that it stands on; null: this machine
    "image": Optional[str],
    # profile of its runs, unless they choose another
    "profile": str,
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # number of snapshots
    "snapshots": int,
    # a snapshot after each run that changed something
    "autosnap": bool,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # others than its owner have access, too
    "shared": bool,
}, total=False)
BOX_RENEW: Method[BoxRenewArgs, BoxRenewResult] = Method("box.renew")

_BoxRmArgsNeeded = TypedDict("_BoxRmArgsNeeded", {
    # names or ids
    "boxes": List[str],
})
_BoxRmArgsOthers = TypedDict("_BoxRmArgsOthers", {
    # end what runs in them
    "kill": bool,
}, total=False)


class BoxRmArgs(_BoxRmArgsNeeded, _BoxRmArgsOthers):
    """Remove boxes with their changes and snapshots"""


# What box.rm gives.
BoxRmResult = TypedDict("BoxRmResult", {
    # names of the removed boxes
    "removed": List[Any],
}, total=False)
BOX_RM: Method[BoxRmArgs, BoxRmResult] = Method("box.rm")

# List the languages that can be added for the driver wasm
LangListArgs = TypedDict("LangListArgs", {
}, total=False)

LangListResultLanguagesItemPackagesItem = TypedDict("LangListResultLanguagesItemPackagesItem", {
    # name of the package
    "name": str,
    # its version
    "version": str,
    # of its archive; anything else is refused
    "sha256": str,
}, total=False)

LangListResultLanguagesItem = TypedDict("LangListResultLanguagesItem", {
    # its name
    "name": str,
    # as run-code has it
    "language": str,
    # what it is, and what it lacks
    "about": str,
    # of what is fetched
    "licence": str,
    # what is fetched
    "packages": List["LangListResultLanguagesItemPackagesItem"],
    # it is on this machine
    "added": bool,
    # bytes on disk
    "size": Optional[int],
    # its file
    "path": Optional[str],
}, total=False)

# What lang.list gives.
LangListResult = TypedDict("LangListResult", {
    # all that aisbx knows
    "languages": List["LangListResultLanguagesItem"],
}, total=False)
LANG_LIST: Method[LangListArgs, LangListResult] = Method("lang.list")

_TemplateSaveArgsNeeded = TypedDict("_TemplateSaveArgsNeeded", {
    # box that is ready to be used
    "box": str,
    # name of the template
    "name": str,
})
_TemplateSaveArgsOthers = TypedDict("_TemplateSaveArgsOthers", {
    # also keep the box's changes of its project; the template is for that project only, then
    "with-project": bool,
    # sessions of agents may use it, too; a person can use all
    "shared": bool,
    # lifetime: after it the template cannot be used, and gc removes it
    "ttl": Union[str, float],
    # instead of a template of that name; its boxes stay as they are
    "replace": bool,
}, total=False)


class TemplateSaveArgs(_TemplateSaveArgsNeeded, _TemplateSaveArgsOthers):
    """Keep a prepared box under a name, to make others from"""


TemplateSaveResultPulled = TypedDict("TemplateSaveResultPulled", {
    # where it came from
    "reference": str,
    # SHA-256 of its manifest
    "digest": str,
    # profile that it had
    "profile": Optional[str],
    # what its boxes could reach; give it with --net
    "net": List[Any],
    # recipe that it was built by there
    "recipe": Optional[str],
    # SHA-256 of recipe, lock and base there
    "lock": Optional[str],
}, total=False)

# What template.save gives.
TemplateSaveResult = TypedDict("TemplateSaveResult", {
    # its name; OWNER/NAME if it belongs to another
    "name": str,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # profile of its boxes, unless another is chosen
    "profile": str,
    # image that it stands on; null: this machine
    "image": Optional[str],
    # project whose changes it has, too; null: of none
    "project": Optional[str],
    # what its boxes may reach, as for --net
    "net": List[Any],
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # sessions of agents may use it, too
    "shared": bool,
    # recipe that it was built by; null: saved or pulled
    "recipe": Optional[str],
    # what came with it from a registry: nothing of it is granted; null: made here
    "pulled": Optional["TemplateSaveResultPulled"],
}, total=False)
TEMPLATE_SAVE: Method[TemplateSaveArgs, TemplateSaveResult] = Method("template.save")

# List templates
TemplateLsArgs = TypedDict("TemplateLsArgs", {
}, total=False)

TemplateLsResultTemplatesItemPulled = TypedDict("TemplateLsResultTemplatesItemPulled", {
    # where it came from
    "reference": str,
    # SHA-256 of its manifest
    "digest": str,
    # profile that it had
    "profile": Optional[str],
    # what its boxes could reach; give it with --net
    "net": List[Any],
    # recipe that it was built by there
    "recipe": Optional[str],
    # SHA-256 of recipe, lock and base there
    "lock": Optional[str],
}, total=False)

TemplateLsResultTemplatesItem = TypedDict("TemplateLsResultTemplatesItem", {
    # its name; OWNER/NAME if it belongs to another
    "name": str,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # profile of its boxes, unless another is chosen
    "profile": str,
    # image that it stands on; null: this machine
    "image": Optional[str],
    # project whose changes it has, too; null: of none
    "project": Optional[str],
    # what its boxes may reach, as for --net
    "net": List[Any],
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # sessions of agents may use it, too
    "shared": bool,
    # recipe that it was built by; null: saved or pulled
    "recipe": Optional[str],
    # what came with it from a registry: nothing of it is granted; null: made here
    "pulled": Optional["TemplateLsResultTemplatesItemPulled"],
}, total=False)

# What template.ls gives.
TemplateLsResult = TypedDict("TemplateLsResult", {
    # by name
    "templates": List["TemplateLsResultTemplatesItem"],
}, total=False)
TEMPLATE_LS: Method[TemplateLsArgs, TemplateLsResult] = Method("template.ls")

# Remove a template
TemplateRmArgs = TypedDict("TemplateRmArgs", {
    # name of the template
    "template": str,
})

# What template.rm gives.
TemplateRmResult = TypedDict("TemplateRmResult", {
    # of the removed template
    "name": str,
}, total=False)
TEMPLATE_RM: Method[TemplateRmArgs, TemplateRmResult] = Method("template.rm")

# Send a template to a registry
TemplatePushArgs = TypedDict("TemplatePushArgs", {
    # name of the template
    "template": str,
    # where to: REGISTRY/REPOSITORY:TAG
    "reference": str,
})

# What template.push gives.
TemplatePushResult = TypedDict("TemplatePushResult", {
    # SHA-256 of its manifest
    "digest": str,
    # the full reference that it has there
    "to": str,
    # blobs that were sent
    "sent": int,
    # blobs that the registry had already
    "there": int,
}, total=False)
TEMPLATE_PUSH: Method[TemplatePushArgs, TemplatePushResult] = Method("template.push")

_TemplatePullArgsNeeded = TypedDict("_TemplatePullArgsNeeded", {
    # [REGISTRY/]REPOSITORY[:TAG][@DIGEST]
    "reference": str,
})
_TemplatePullArgsOthers = TypedDict("_TemplatePullArgsOthers", {
    # what it is called here; default: as it was called there
    "name": str,
    # sessions of agents may use it, too; a person can use all
    "shared": bool,
    # instead of a template of that name; its boxes stay as they are
    "replace": bool,
}, total=False)


class TemplatePullArgs(_TemplatePullArgsNeeded, _TemplatePullArgsOthers):
    """Bring a template from a registry"""


TemplatePullResultPulled = TypedDict("TemplatePullResultPulled", {
    # where it came from
    "reference": str,
    # SHA-256 of its manifest
    "digest": str,
    # profile that it had
    "profile": Optional[str],
    # what its boxes could reach; give it with --net
    "net": List[Any],
    # recipe that it was built by there
    "recipe": Optional[str],
    # SHA-256 of recipe, lock and base there
    "lock": Optional[str],
}, total=False)

# What template.pull gives.
TemplatePullResult = TypedDict("TemplatePullResult", {
    # its name; OWNER/NAME if it belongs to another
    "name": str,
    # the session or token that made it; null: a person
    "owner": Optional[str],
    # profile of its boxes, unless another is chosen
    "profile": str,
    # image that it stands on; null: this machine
    "image": Optional[str],
    # project whose changes it has, too; null: of none
    "project": Optional[str],
    # what its boxes may reach, as for --net
    "net": List[Any],
    # milliseconds since 1970
    "created_ms": int,
    # when gc removes it
    "expires_ms": Optional[int],
    # sessions of agents may use it, too
    "shared": bool,
    # recipe that it was built by; null: saved or pulled
    "recipe": Optional[str],
    # what came with it from a registry: nothing of it is granted; null: made here
    "pulled": Optional["TemplatePullResultPulled"],
}, total=False)
TEMPLATE_PULL: Method[TemplatePullArgs, TemplatePullResult] = Method("template.pull")

# Remove expired boxes and unused layers
BoxGcArgs = TypedDict("BoxGcArgs", {
    # also store equal files of different snapshots, images and templates once; boxes see such a file with a higher link count
    "share": bool,
}, total=False)

# What box.gc gives.
BoxGcResult = TypedDict("BoxGcResult", {
    # expired boxes removed
    "expired": int,
    # layers removed because no box needed them
    "layers": int,
    # promotions that can no longer be undone
    "promotions": int,
    # with share: bytes freed, since equal files are stored once
    "shared": int,
    # directories left by a crash, removed
    "leftovers": int,
    # blobs removed because no image needed them, and what was left of downloads
    "blobs": int,
    # images and blobs of which is not known what they need, because they are damaged: all blobs stay
    "unreadable": int,
    # layers, promotions and artifacts that the store has no record of: moved to 'lost' in the state directory
    "aside": int,
    # batches in 'lost' older than 30 days, removed
    "forgotten": int,
    # logs of detached runs removed: older than a week, or beyond 1 GiB; and kept outputs of projects that are gone, or beyond 1 GiB
    "logs": int,
}, total=False)
BOX_GC: Method[BoxGcArgs, BoxGcResult] = Method("box.gc")

# Show what boxes, snapshots and images take on disk
BoxDuArgs = TypedDict("BoxDuArgs", {
    # box, BOX@SNAPSHOT, image or template; default: all of them
    "names": List[str],
}, total=False)

BoxDuResultItemsItem = TypedDict("BoxDuResultItemsItem", {
    # box, snapshot, image or template
    "kind": str,
    # a snapshot: BOX@NAME
    "name": str,
    # empty for a template
    "id": str,
    # of all its layers on disk
    "bytes": int,
    # of these, what nothing else needs: removing it frees so much
    "own": int,
    # the rest
    "shared": int,
    # of an image: bytes of its blobs, compressed
    "blobs": int,
    # what stands on the same layers, at most 5
    "with": List[Any],
    # how many there are
    "sharers": int,
}, total=False)

# What box.du gives.
BoxDuResult = TypedDict("BoxDuResult", {
    # boxes, each with its snapshots; images; templates
    "items": List["BoxDuResultItemsItem"],
    # bytes of all layers on disk
    "layers": int,
    # bytes that equal files would take in addition if they were not stored once
    "saved": int,
    # bytes of all blobs of images on disk
    "blobs": int,
    # bytes of those blobs that are stored as chunks, equal chunks once
    "chunked": int,
    # bytes of these chunks on disk
    "chunks": int,
    # bytes that 'aisbx gc' would free
    "free": int,
}, total=False)
BOX_DU: Method[BoxDuArgs, BoxDuResult] = Method("box.du")

_BoxDiffArgsNeeded = TypedDict("_BoxDiffArgsNeeded", {
    # what to compare with the real project
    "box": str,
})
_BoxDiffArgsOthers = TypedDict("_BoxDiffArgsOthers", {
    # compare the first with this one instead
    "other": str,
    # print a patch for 'git apply' or 'patch -p1'; binary files are only named
    "patch": bool,
    # include files that git ignores
    "ignored": bool,
    # count lines, as 'git diff --stat' does
    "stat": bool,
    # list the changed files of the system, too: what a box of root, or from an image, changed outside of the project
    "system": bool,
    # time limit for the search for changes in the real project; default: 300ms
    "drift": str,
}, total=False)


class BoxDiffArgs(_BoxDiffArgsNeeded, _BoxDiffArgsOthers):
    """Show what a box changed"""


BoxDiffResultSummary = TypedDict("BoxDiffResultSummary", {
    # only in the second
    "created": int,
    # different content
    "modified": int,
    # only in the first
    "deleted": int,
    # different file type
    "replaced": int,
    # different permissions, same content
    "mode": int,
    # different extended attributes, otherwise the same
    "xattr": int,
}, total=False)

BoxDiffResultChangesItemOld = TypedDict("BoxDiffResultChangesItemOld", {
    # null if it is not UTF-8; its bytes are in target_hex then
    "target": Optional[str],
}, total=False)

BoxDiffResultChangesItemNew = TypedDict("BoxDiffResultChangesItemNew", {
    # null if it is not UTF-8; its bytes are in target_hex then
    "target": Optional[str],
}, total=False)

BoxDiffResultChangesItem = TypedDict("BoxDiffResultChangesItem", {
    # one of the kinds of the summary
    "kind": str,
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # file, directory, symlink, fifo, socket or device
    "type": str,
    # mode and size before, if it existed; target of a symlink
    "old": "BoxDiffResultChangesItemOld",
    # mode and size after, if it exists; target of a symlink
    "new": "BoxDiffResultChangesItemNew",
    # for a file: NUL in its first 8000 bytes; null if it cannot be read
    "binary": Optional[bool],
    # with stat or patch: lines; null for files that are not text
    "added": Optional[int],
    # as for added
    "removed": Optional[int],
}, total=False)

BoxDiffResultIgnored = TypedDict("BoxDiffResultIgnored", {
    # files and links
    "files": int,
    # bytes in them
    "bytes": int,
}, total=False)

BoxDiffResultRepositoriesItem = TypedDict("BoxDiffResultRepositoriesItem", {
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
}, total=False)

BoxDiffResultStat = TypedDict("BoxDiffResultStat", {
    # files and symlinks, without those that differ only in times or attributes
    "files": int,
    # lines
    "insertions": int,
    # lines
    "deletions": int,
}, total=False)

BoxDiffResultSystemPackagesItem = TypedDict("BoxDiffResultSystemPackagesItem", {
    # its name
    "name": str,
    # installed, removed, upgraded, downgraded, configured or unpacked
    "change": str,
    # its version in the box; null: none
    "version": Optional[str],
    # its version on this machine; null: none
    "previous": Optional[str],
    # dpkg, apk or pip
    "manager": str,
}, total=False)

BoxDiffResultSystemDirectoriesItem = TypedDict("BoxDiffResultSystemDirectoriesItem", {
    # how many
    "files": int,
    # such as /etc; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
}, total=False)

BoxDiffResultSystemChangesItem = TypedDict("BoxDiffResultSystemChangesItem", {
    # as in changes
    "kind": str,
    # file, directory, symlink, fifo, socket or device
    "type": str,
    # it is not in files
    "noise": bool,
    # absolute; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
}, total=False)

BoxDiffResultSystem = TypedDict("BoxDiffResultSystem", {
    # packages that differ
    "packages": List["BoxDiffResultSystemPackagesItem"],
    # new names in /etc/passwd
    "users": List[Any],
    # changed files, without noise
    "files": int,
    # logs, caches and notes of package managers: not in files
    "noise": int,
    # the files by place
    "directories": List["BoxDiffResultSystemDirectoriesItem"],
    # with system: the files
    "changes": List["BoxDiffResultSystemChangesItem"],
    # only if there are more than can be listed: how many
    "more": Dict[str, Any],
}, total=False)

BoxDiffResultDriftFilesItem = TypedDict("BoxDiffResultDriftFilesItem", {
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # previous name, if it was renamed
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

BoxDiffResultDrift = TypedDict("BoxDiffResultDrift", {
    # compared with: box, snapshot or pin
    "of": str,
    # when that was made, in milliseconds since 1970
    "since_ms": int,
    # modified files; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new files
    "added": int,
    # deleted files and directories
    "deleted": int,
    # renamed files and directories
    "renamed": int,
    # directories from which something was removed, but it is not known what
    "lost": int,
    # with other permissions, owner, links or times; if the box changed them, too: with the same content
    "touched": int,
    # changes that are not listed because git ignores the files
    "ignored": int,
    # files and directories examined
    "looked": int,
    # false: the time limit was reached, or the clock was set back
    "complete": bool,
    # the clock is behind the time at which the box was made: few changes can be detected
    "clock_back": bool,
    # git branch, if it is a different one now
    "branch": Optional[str],
    # git branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["BoxDiffResultDriftFilesItem"],
    # why changes could not be detected
    "error": str,
}, total=False)

# What box.diff gives.
BoxDiffResult = TypedDict("BoxDiffResult", {
    # directory that the paths are relative to; "/" of a box without a project, which stands on an image
    "project": str,
    # number of changes of each kind
    "summary": "BoxDiffResultSummary",
    # sorted by path
    "changes": List["BoxDiffResultChangesItem"],
    # only if there are more than can be listed: for each shortened list, how many
    "more": Dict[str, Any],
    # left out because git ignores it
    "ignored": "BoxDiffResultIgnored",
    # git directories with changes; promote shows which
    "repositories": List["BoxDiffResultRepositoriesItem"],
    # with stat: sums
    "stat": "BoxDiffResultStat",
    # with patch: the unified diff; bytes that are not UTF-8 become U+FFFD, so it may not apply
    "patch": str,
    # what a box of root changed outside of its project; null: nothing
    "system": Optional["BoxDiffResultSystem"],
    # changes to the real project, outside of boxes, since the box or snapshot was made
    "drift": "BoxDiffResultDrift",
}, total=False)
BOX_DIFF: Method[BoxDiffArgs, BoxDiffResult] = Method("box.diff")

_BoxCombineArgsNeeded = TypedDict("_BoxCombineArgsNeeded", {
    # the first box
    "box": str,
    # the box whose changes are added to those of the first
    "other": str,
})
_BoxCombineArgsOthers = TypedDict("_BoxCombineArgsOthers", {
    # name of the new box; default: that of the first with a number
    "name": str,
    # on conflicts: stop and make no box (default), keep the first box's version, or overwrite it
    "conflict": Literal["stop", "keep", "overwrite"],
}, total=False)


class BoxCombineArgs(_BoxCombineArgsNeeded, _BoxCombineArgsOthers):
    """Make a new box with the changes of two boxes"""


BoxCombineResultChangesItem = TypedDict("BoxCombineResultChangesItem", {
    # relative to the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # what the box did: created, modified, deleted, replaced, mode, xattr or touched
    "kind": str,
    # file, directory, symlink, fifo, socket or device
    "type": str,
    # apply, merge or conflict
    "outcome": str,
}, total=False)

BoxCombineResultConflictsItem = TypedDict("BoxCombineResultConflictsItem", {
    # relative to the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # what the box did
    "box": str,
    # what changed on the other side meanwhile
    "host": str,
    # an explanation for people
    "reason": str,
    # the choice made with --conflict
    "resolution": str,
}, total=False)

# What box.combine gives.
BoxCombineResult = TypedDict("BoxCombineResult", {
    # the new box, as in show; null if there are conflicts
    "box": Optional[Dict[str, Any]],
    # a directory before what is in it
    "changes": List["BoxCombineResultChangesItem"],
    # each path once
    "conflicts": List["BoxCombineResultConflictsItem"],
    # only if there are more than can be listed: for each shortened list, how many
    "more": Dict[str, Any],
}, total=False)
BOX_COMBINE: Method[BoxCombineArgs, BoxCombineResult] = Method("box.combine")

_RepoCommitArgsNeeded = TypedDict("_RepoCommitArgsNeeded", {
    # name or id
    "box": str,
    # commit message
    "message": str,
})
_RepoCommitArgsOthers = TypedDict("_RepoCommitArgsOthers", {
    # author of the commit; default: as in your own git configuration
    "author": str,
    # only what is staged in the box (git add)
    "staged": bool,
    # only these, relative to the project; default: all changes
    "paths": List[str],
}, total=False)


class RepoCommitArgs(_RepoCommitArgsNeeded, _RepoCommitArgsOthers):
    """Make a git commit in a box"""


RepoCommitResultFilesItem = TypedDict("RepoCommitResultFilesItem", {
    # added, modified, deleted, type or changed
    "change": str,
    # path in the repository; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
}, total=False)

# What repo.commit gives.
RepoCommitResult = TypedDict("RepoCommitResult", {
    # commit id
    "commit": str,
    # branch of the commit; null: none
    "branch": Optional[str],
    # id of the run that made the commit
    "run": str,
    # files that the commit changes, compared with its parent
    "files": List["RepoCommitResultFilesItem"],
    # files beyond the first thousand
    "files_not_listed": int,
}, total=False)
REPO_COMMIT: Method[RepoCommitArgs, RepoCommitResult] = Method("repo.commit")

_PromoteArgsNeeded = TypedDict("_PromoteArgsNeeded", {
    # whose changes to promote
    "box": str,
})
_PromoteArgsOthers = TypedDict("_PromoteArgsOthers", {
    # only these paths, with everything in them
    "paths": List[str],
    # target directory, instead of the project
    "to": str,
    # one file or directory of the box, changed or not; --to gives the destination
    "artifact": str,
    # include files that git ignores: build products, caches, secrets in .env
    "ignored": bool,
    # include branches and tags of its repositories that the box does not have checked out
    "refs": bool,
    # merge the commits of both sides in a fork of the box, check the result by the gates, and promote it
    "merge": bool,
    # as --merge, but rebase the box's commits onto the real ones
    "rebase": bool,
    # promote what a box of root changed outside of its project into the system of this machine; only for root
    "system": bool,
    # with --system: change nothing; print the commands that install the packages of the box here
    "packages": bool,
    # only show what would be done
    "dry-run": bool,
    # ask about each file and each part of a text; what is refused stays in the box
    "review": bool,
    # for programs: promote only if the changes are those of the review with this digest
    "reviewed": str,
    # for programs: of that review only this item, by number, or only these parts: 5:1,3,m (m: its permissions)
    "accept": List[str],
    # continue despite the traps that are shown
    "yes": bool,
    # continue although this secret, which was given to the box with --secret, is in it
    "allow-secret": List[str],
    # on conflicts: stop and change nothing (default), keep the real file, overwrite it, put the box's version beside it (both), mark the lines in it (mark)
    "conflict": Literal["stop", "keep", "overwrite", "both", "mark"],
    # time limit for the search for changes in the real project; default: 300ms
    "drift": str,
}, total=False)


class PromoteArgs(_PromoteArgsNeeded, _PromoteArgsOthers):
    """Promote a box's changes into the real project"""


PromoteResultSummary = TypedDict("PromoteResultSummary", {
    # files and directories
    "created": int,
    # different content
    "modified": int,
    # deleted paths; a directory counts once
    "deleted": int,
    # different file type
    "replaced": int,
    # different permissions or owner, same content
    "mode": int,
    # different extended attributes, otherwise the same
    "xattr": int,
    # different time, otherwise the same
    "touched": int,
    # of these: changed on both sides, and merged
    "merged": int,
    # changed on both sides, and cannot be merged
    "conflicts": int,
    # changes that would run code later
    "traps": int,
    # places that contain a secret that was not allowed
    "secrets": int,
}, total=False)

PromoteResultChangesItem = TypedDict("PromoteResultChangesItem", {
    # relative to the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # what the box did: created, modified, deleted, replaced, mode, xattr or touched
    "kind": str,
    # file, directory, symlink, fifo, socket or device
    "type": str,
    # apply, merge or conflict
    "outcome": str,
}, total=False)

PromoteResultConflictsItem = TypedDict("PromoteResultConflictsItem", {
    # relative to the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # what the box did
    "box": str,
    # what changed on the other side meanwhile
    "host": str,
    # an explanation for people
    "reason": str,
    # the choice made with --conflict
    "resolution": str,
}, total=False)

PromoteResultTrapsItem = TypedDict("PromoteResultTrapsItem", {
    # relative to the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # git-hook, git-config, editor, agent, tool, lifecycle, startup, ci, gate, setuid, symlink, capability or system
    "kind": str,
    # an explanation for people
    "why": str,
}, total=False)

PromoteResultSecretsItem = TypedDict("PromoteResultSecretsItem", {
    # relative to the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # name given with --secret
    "name": str,
    # plain, base64, hex, url-encoded or escaped
    "form": str,
    # named by --allow-secret
    "allowed": bool,
}, total=False)

PromoteResultStaleItem = TypedDict("PromoteResultStaleItem", {
    # relative to the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # what was done to it
    "host": str,
}, total=False)

PromoteResultIgnored = TypedDict("PromoteResultIgnored", {
    # files and links
    "files": int,
    # bytes in them
    "bytes": int,
}, total=False)

PromoteResultBranchesItem = TypedDict("PromoteResultBranchesItem", {
    # work tree, relative to the target; "" is the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # ref in the real repository: refs/heads/main
    "branch": str,
    # ref in the box
    "from": str,
    # the commit before; null: none
    "old": Optional[str],
    # the commit after
    "new": Optional[str],
    # forward, created, aside (the real branch has diverged), repository (a new one) or switched
    "how": str,
    # commits new to the real repository
    "commits": int,
}, total=False)

PromoteResultLeftItem = TypedDict("PromoteResultLeftItem", {
    # relative to the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # fifo, socket or device
    "type": str,
}, total=False)

PromoteResultReviewItemsItemHunksItem = TypedDict("PromoteResultReviewItemsItemHunksItem", {
    # as in a patch
    "text": str,
    # number of its first part, from 1
    "first": int,
    # its parts, each as a hunk of its own
    "parts": List[Any],
}, total=False)

PromoteResultReviewItemsItem = TypedDict("PromoteResultReviewItemsItem", {
    # relative to the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # as in changes
    "kind": str,
    # as in changes
    "type": str,
    # as in changes
    "outcome": str,
    # permissions now; null: there is nothing
    "old_mode": Optional[str],
    # permissions afterwards; null: it is deleted
    "new_mode": Optional[str],
    # bytes afterwards
    "size": int,
    # no text: only as a whole
    "binary": bool,
    # of a directory that is replaced as a whole: number of things in it
    "inside": int,
    # permissions can be accepted by themselves, as 'm'
    "mode": bool,
    # the difference, of an item that is accepted as a whole
    "patch": str,
    # or the difference in hunks
    "hunks": List["PromoteResultReviewItemsItemHunksItem"],
}, total=False)

PromoteResultReview = TypedDict("PromoteResultReview", {
    # for --reviewed
    "digest": str,
    # in the order of their numbers, from 1
    "items": List["PromoteResultReviewItemsItem"],
}, total=False)

PromoteResultSystemPackagesItem = TypedDict("PromoteResultSystemPackagesItem", {
    # its name
    "name": str,
    # installed, removed, upgraded, downgraded, configured or unpacked
    "change": str,
    # its version in the box; null: none
    "version": Optional[str],
    # its version on this machine; null: none
    "previous": Optional[str],
    # dpkg, apk or pip
    "manager": str,
}, total=False)

PromoteResultSystemDirectoriesItem = TypedDict("PromoteResultSystemDirectoriesItem", {
    # how many
    "files": int,
    # such as /etc; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
}, total=False)

PromoteResultSystemChangesItem = TypedDict("PromoteResultSystemChangesItem", {
    # as in changes
    "kind": str,
    # file, directory, symlink, fifo, socket or device
    "type": str,
    # it is not in files
    "noise": bool,
    # absolute; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
}, total=False)

PromoteResultSystem = TypedDict("PromoteResultSystem", {
    # packages that differ
    "packages": List["PromoteResultSystemPackagesItem"],
    # new names in /etc/passwd
    "users": List[Any],
    # changed files, without noise
    "files": int,
    # logs, caches and notes of package managers: not in files
    "noise": int,
    # the files by place
    "directories": List["PromoteResultSystemDirectoriesItem"],
    # with system: the files
    "changes": List["PromoteResultSystemChangesItem"],
    # only if there are more than can be listed: how many
    "more": Dict[str, Any],
}, total=False)

PromoteResultDriftFilesItem = TypedDict("PromoteResultDriftFilesItem", {
    # relative to the project; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # deleted, renamed, changed, added, lost or touched
    "kind": str,
    # previous name, if it was renamed
    "from": Optional[str],
    # the box changed it, too
    "both": bool,
}, total=False)

PromoteResultDrift = TypedDict("PromoteResultDrift", {
    # compared with: box, snapshot or pin
    "of": str,
    # when that was made, in milliseconds since 1970
    "since_ms": int,
    # modified files; also new ones, where aisbx has no list of the names there were
    "changed": int,
    # new files
    "added": int,
    # deleted files and directories
    "deleted": int,
    # renamed files and directories
    "renamed": int,
    # directories from which something was removed, but it is not known what
    "lost": int,
    # with other permissions, owner, links or times; if the box changed them, too: with the same content
    "touched": int,
    # changes that are not listed because git ignores the files
    "ignored": int,
    # files and directories examined
    "looked": int,
    # false: the time limit was reached, or the clock was set back
    "complete": bool,
    # the clock is behind the time at which the box was made: few changes can be detected
    "clock_back": bool,
    # git branch, if it is a different one now
    "branch": Optional[str],
    # git branch when the box was made
    "was": Optional[str],
    # the first 100; those that the box changed, too, come first
    "files": List["PromoteResultDriftFilesItem"],
    # why changes could not be detected
    "error": str,
}, total=False)

# What promote gives.
PromoteResult = TypedDict("PromoteResult", {
    # promotion id, for undo; null if nothing was changed
    "promotion": Optional[str],
    # name of the box
    "box": str,
    # its id
    "box_id": str,
    # directory that the paths are relative to
    "target": str,
    # the target was changed
    "applied": bool,
    # it was a dry run
    "dry_run": bool,
    # number of changes of each kind
    "summary": "PromoteResultSummary",
    # a directory before what is in it
    "changes": List["PromoteResultChangesItem"],
    # each path once
    "conflicts": List["PromoteResultConflictsItem"],
    # only if there are more than can be listed: for each shortened list, how many
    "more": Dict[str, Any],
    # changes that would run code later, or lead out of the tree
    "traps": List["PromoteResultTrapsItem"],
    # secrets of the box found in names, contents, links or attributes; nothing is changed unless all are allowed
    "secrets": List["PromoteResultSecretsItem"],
    # files changed outside since the box changed them
    "stale": List["PromoteResultStaleItem"],
    # left out because git ignores it
    "ignored": "PromoteResultIgnored",
    # git: refs that moved, or would move
    "branches": List["PromoteResultBranchesItem"],
    # git: what stays in the box
    "stayed": List[Any],
    # pipes, sockets and devices made in the box: they stay there
    "left": List["PromoteResultLeftItem"],
    # warning: the real project is on another branch than when the box was made; stops like a conflict
    "switched": Optional[str],
    # what failed after the target was changed; the change itself is complete
    "error": str,
    # only with --review, which changes nothing then: what can be accepted
    "review": "PromoteResultReview",
    # what a box of root changed outside of its project; null: nothing
    "system": Optional["PromoteResultSystem"],
    # with packages: what installs and removes them here
    "commands": List[Any],
    # changes to the real project, outside of boxes, since the box or snapshot was made
    "drift": "PromoteResultDrift",
}, total=False)
PROMOTE: Method[PromoteArgs, PromoteResult] = Method("promote")

# Undo a promotion
UndoArgs = TypedDict("UndoArgs", {
    # promotion id; default: the newest promotion of this project
    "promotion": str,
    # without PROMOTION: the newest promotion of this box
    "box": str,
    # without PROMOTION: the newest promotion of the project that contains DIR
    "project": str,
    # only show what would prevent it
    "dry-run": bool,
    # on files that changed since: stop and undo nothing (default), keep them, or overwrite them (they are kept elsewhere for a month)
    "conflict": Literal["stop", "keep", "overwrite"],
}, total=False)

UndoResultConflictsItem = TypedDict("UndoResultConflictsItem", {
    # relative to the target; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
}, total=False)

# What undo gives.
UndoResult = TypedDict("UndoResult", {
    # which
    "promotion": str,
    # name of its box
    "box": str,
    # directory that the paths are relative to
    "target": str,
    # the target is as it was before the promotion
    "undone": bool,
    # it was a dry run
    "dry_run": bool,
    # what changed since the promotion
    "conflicts": List["UndoResultConflictsItem"],
    # only if there are more than can be listed: for each shortened list, how many
    "more": Dict[str, Any],
    # message about what else could not be undone
    "error": str,
}, total=False)
UNDO: Method[UndoArgs, UndoResult] = Method("undo")

# Complete interrupted promotions; rebuild a lost store
RecoverArgs = TypedDict("RecoverArgs", {
    # permanently give up a promotion that cannot be completed; the files it replaced stay in promotions/broken-ID of the state directory
    "give-up": bool,
    # rebuild a store that is missing, damaged or outdated, from the manifests beside it; the old file is kept
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
    # promotions that can be undone
    "promotions": int,
    # artifacts in the store
    "artifacts": int,
    # runs in the history: those that could be read from the old store
    "runs": int,
    # new name of the old file, in the state directory; null: there was none
    "aside": Optional[str],
    # messages about what could not be recovered
    "missing": List[Any],
}, total=False)

# What recover gives.
RecoverResult = TypedDict("RecoverResult", {
    # empty if nothing had to be recovered
    "recovered": List["RecoverResultRecoveredItem"],
    # only with --rebuild: contents of the new store
    "rebuilt": "RecoverResultRebuilt",
}, total=False)
RECOVER: Method[RecoverArgs, RecoverResult] = Method("recover")

# Show past runs
RunHistoryArgs = TypedDict("RunHistoryArgs", {
    # only this run, with its full result; a prefix of its id is enough
    "run": str,
    # only runs in this box
    "box": str,
    # only runs with this status
    "status": Literal["ok", "failed", "limit", "denied", "interrupted", "error"],
    # only commands that contain this text
    "match": str,
    # only runs whose output contains this text, with the lines that do
    "grep": str,
    # only the last TIME, e.g. 2h
    "since": Union[str, float],
    # at most N; default 20
    "limit": int,
    # include results: usage, violations, walls
    "full": bool,
    # list events of boxes instead of runs
    "events": bool,
}, total=False)

RunHistoryResultRunsItemLinesItem = TypedDict("RunHistoryResultRunsItemLinesItem", {
    # stdout or stderr
    "stream": str,
    # the line; of a long one the part around the text
    "text": str,
}, total=False)

RunHistoryResultRunsItem = TypedDict("RunHistoryResultRunsItem", {
    # id
    "run": str,
    # id of its box; null if the box was removed after the run
    "box": Optional[str],
    # as in the result of run
    "status": str,
    # of the command
    "exit_code": Optional[int],
    # milliseconds since 1970
    "started_ms": int,
    # how long it took
    "wall_ms": float,
    # command with arguments
    "command": str,
    # with RUN or --full: the result of run, without output; null if it was not stored
    "result": Optional[Dict[str, Any]],
    # with --grep: lines of the output that contain the text, at most 20
    "lines": List["RunHistoryResultRunsItemLinesItem"],
    # with --grep: further lines that contain it
    "more_lines": int,
}, total=False)

RunHistoryResultEventsItem = TypedDict("RunHistoryResultEventsItem", {
    # increases with every event
    "seq": int,
    # milliseconds since 1970
    "time_ms": int,
    # box.created, box.forked, box.snapshotted, box.rolled-back, box.removed, box.expired
    "kind": str,
    # id of the box
    "box": Optional[str],
    # id of the run
    "run": Optional[str],
    # details, depending on the kind: name, snapshot, from
    "what": Optional[Dict[str, Any]],
}, total=False)

# What run.history gives.
RunHistoryResult = TypedDict("RunHistoryResult", {
    # only present if there is one: the text that the output of these runs has
    "grep": str,
    # newest first; absent with --events
    "runs": List["RunHistoryResultRunsItem"],
    # newest first; only present with --events
    "events": List["RunHistoryResultEventsItem"],
}, total=False)
RUN_HISTORY: Method[RunHistoryArgs, RunHistoryResult] = Method("run.history")

# Show what programs would do, before they run
CodeScanArgs = TypedDict("CodeScanArgs", {
    # files to scan; '-' is standard input
    "files": List[str],
    # scan every file that a box changed, in the supported languages, instead
    "box": str,
    # language; default: by the file name, then by its first line (#!)
    "lang": Literal["python", "javascript", "typescript", "shell"],
    # policy: a file, or a name in ~/.config/aisbx/scan or /etc/aisbx/scan; default: the built-in policy
    "policy": str,
    # print a SARIF 2.1.0 log, for editors and code hosts
    "sarif": bool,
    # include all scan facts that rules can match: for writing rules
    "facts": bool,
}, total=False)

CodeScanResultFindingsItem = TypedDict("CodeScanResultFindingsItem", {
    # rule id in the policy
    "rule": str,
    # low, medium, high or critical
    "severity": str,
    # import, call, use, command, write, text, hidden, broken or unread
    "kind": str,
    # what was found: a module, a function, a command, a file, or a text
    "name": str,
    # the same with its arguments; '?' stands for values that are only known at run time
    "call": str,
    # found through an alias, a concatenated string or similar
    "indirect": bool,
    # in a program inside a string
    "nested": bool,
    # from 1
    "line": int,
    # from 1, in bytes
    "column": int,
    # where it ends
    "end_line": int,
    # one after its last byte
    "end_column": int,
    # the line of the source, or the part of a long one
    "text": str,
    # bytes of the line before that part
    "text_offset": int,
    # reason given by the rule
    "why": str,
    # what to do instead
    "advice": Optional[str],
}, total=False)

CodeScanResultFilesItemFindingsItem = TypedDict("CodeScanResultFilesItemFindingsItem", {
    # rule id in the policy
    "rule": str,
    # low, medium, high or critical
    "severity": str,
    # import, call, use, command, write, text, hidden, broken or unread
    "kind": str,
    # what was found: a module, a function, a command, a file, or a text
    "name": str,
    # the same with its arguments; '?' stands for values that are only known at run time
    "call": str,
    # found through an alias, a concatenated string or similar
    "indirect": bool,
    # in a program inside a string
    "nested": bool,
    # from 1
    "line": int,
    # from 1, in bytes
    "column": int,
    # where it ends
    "end_line": int,
    # one after its last byte
    "end_column": int,
    # the line of the source, or the part of a long one
    "text": str,
    # bytes of the line before that part
    "text_offset": int,
    # reason given by the rule
    "why": str,
    # what to do instead
    "advice": Optional[str],
}, total=False)

CodeScanResultFilesItem = TypedDict("CodeScanResultFilesItem", {
    # as given, or relative to the project of the box; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # python, javascript, typescript or shell
    "language": str,
    # of the program
    "bytes": int,
    # none, low, medium, high or critical: that of the worst finding
    "risk": str,
    # action of the policy for that risk: allow, warn, sandbox, ask or refuse
    "action": str,
    # findings that are not listed
    "more": int,
    # sorted by line and column
    "findings": List["CodeScanResultFilesItemFindingsItem"],
}, total=False)

# What code.scan gives.
CodeScanResult = TypedDict("CodeScanResult", {
    # policy that was used
    "policy": str,
    # what the policy says in the words of another tool, and how it was read
    "notes": List[Any],
    # programs
    "scanned": int,
    # with several files or a box: changed files in unsupported languages
    "skipped": int,
    # of the program; also null for standard input; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # python, javascript, typescript or shell
    "language": str,
    # of the program
    "bytes": int,
    # none, low, medium, high or critical: that of the worst finding
    "risk": str,
    # action of the policy for that risk: allow, warn, sandbox, ask or refuse
    "action": str,
    # findings that are not listed
    "more": int,
    # sorted by line and column
    "findings": List["CodeScanResultFindingsItem"],
    # with facts: kind, name, args, from, indirect, nested, line and column of each
    "facts": List[Any],
    # with several files or a box: path, language, bytes, risk, action, more and findings of each file with findings
    "files": List["CodeScanResultFilesItem"],
    # with sarif: the log
    "sarif": Dict[str, Any],
}, total=False)
CODE_SCAN: Method[CodeScanArgs, CodeScanResult] = Method("code.scan")

_PipelineRunArgsNeeded = TypedDict("_PipelineRunArgsNeeded", {
    # whose changes to promote
    "box": str,
})
_PipelineRunArgsOthers = TypedDict("_PipelineRunArgsOthers", {
    # stop after this stage; default: the last one
    "to": str,
    # on files of a directory that changed on both sides: stop (default), keep them, or overwrite them
    "conflict": Literal["stop", "keep", "overwrite"],
    # approve every stage that asks; commands of stages run outside of any box
    "yes": bool,
}, total=False)


class PipelineRunArgs(_PipelineRunArgsNeeded, _PipelineRunArgsOthers):
    """Take a box's changes through the stages of its project"""


PipelineRunResultStagesItemTarget = TypedDict("PipelineRunResultStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # number of changes of each kind; see promote
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
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineRunResultStagesItemBefore = TypedDict("PipelineRunResultStagesItemBefore", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineRunResultStagesItemBeforeChecksItem"],
}, total=False)

PipelineRunResultStagesItemAfterChecksItem = TypedDict("PipelineRunResultStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineRunResultStagesItemAfter = TypedDict("PipelineRunResultStagesItemAfter", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineRunResultStagesItemAfterChecksItem"],
}, total=False)

PipelineRunResultStagesItemApproval = TypedDict("PipelineRunResultStagesItemApproval", {
    # true: approved
    "approved": bool,
    # who
    "name": str,
    # user id of the person
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
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look)
    "state": str,
    # an explanation for people
    "why": Optional[str],
    # id of the promotion to its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # its target, and what would change there
    "target": "PipelineRunResultStagesItemTarget",
    # result of its gates for the change
    "before": "PipelineRunResultStagesItemBefore",
    # result of its gates for the target afterwards
    "after": "PipelineRunResultStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # last lines of its command's output
    "output": str,
    # the decision of a person
    "approval": Optional["PipelineRunResultStagesItemApproval"],
}, total=False)

# What pipeline.run gives.
PipelineRunResult = TypedDict("PipelineRunResult", {
    # its id
    "pipeline": str,
    # running (or interrupted: see 'live'), waiting, done, stopped or undone
    "state": str,
    # a process works on it, or on another pipeline of its project, now
    "live": bool,
    # name of its box
    "box": str,
    # id of the snapshot
    "snapshot": str,
    # directory whose aisbx.yaml defines the stages
    "project": str,
    # it is being undone, or was
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in order
    "stages": List["PipelineRunResultStagesItem"],
}, total=False)
PIPELINE_RUN: Method[PipelineRunArgs, PipelineRunResult] = Method("pipeline.run")

# Continue a pipeline that was interrupted, or that waited
PipelineResumeArgs = TypedDict("PipelineResumeArgs", {
    # pipeline id; a prefix is enough
    "pipeline": str,
})

PipelineResumeResultStagesItemTarget = TypedDict("PipelineResumeResultStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # number of changes of each kind; see promote
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
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineResumeResultStagesItemBefore = TypedDict("PipelineResumeResultStagesItemBefore", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineResumeResultStagesItemBeforeChecksItem"],
}, total=False)

PipelineResumeResultStagesItemAfterChecksItem = TypedDict("PipelineResumeResultStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineResumeResultStagesItemAfter = TypedDict("PipelineResumeResultStagesItemAfter", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineResumeResultStagesItemAfterChecksItem"],
}, total=False)

PipelineResumeResultStagesItemApproval = TypedDict("PipelineResumeResultStagesItemApproval", {
    # true: approved
    "approved": bool,
    # who
    "name": str,
    # user id of the person
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
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look)
    "state": str,
    # an explanation for people
    "why": Optional[str],
    # id of the promotion to its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # its target, and what would change there
    "target": "PipelineResumeResultStagesItemTarget",
    # result of its gates for the change
    "before": "PipelineResumeResultStagesItemBefore",
    # result of its gates for the target afterwards
    "after": "PipelineResumeResultStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # last lines of its command's output
    "output": str,
    # the decision of a person
    "approval": Optional["PipelineResumeResultStagesItemApproval"],
}, total=False)

# What pipeline.resume gives.
PipelineResumeResult = TypedDict("PipelineResumeResult", {
    # its id
    "pipeline": str,
    # running (or interrupted: see 'live'), waiting, done, stopped or undone
    "state": str,
    # a process works on it, or on another pipeline of its project, now
    "live": bool,
    # name of its box
    "box": str,
    # id of the snapshot
    "snapshot": str,
    # directory whose aisbx.yaml defines the stages
    "project": str,
    # it is being undone, or was
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in order
    "stages": List["PipelineResumeResultStagesItem"],
}, total=False)
PIPELINE_RESUME: Method[PipelineResumeArgs, PipelineResumeResult] = Method("pipeline.resume")

# Show a pipeline and its progress
PipelineShowArgs = TypedDict("PipelineShowArgs", {
    # pipeline id; a prefix is enough
    "pipeline": str,
})

PipelineShowResultStagesItemTarget = TypedDict("PipelineShowResultStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # number of changes of each kind; see promote
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
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineShowResultStagesItemBefore = TypedDict("PipelineShowResultStagesItemBefore", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineShowResultStagesItemBeforeChecksItem"],
}, total=False)

PipelineShowResultStagesItemAfterChecksItem = TypedDict("PipelineShowResultStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineShowResultStagesItemAfter = TypedDict("PipelineShowResultStagesItemAfter", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineShowResultStagesItemAfterChecksItem"],
}, total=False)

PipelineShowResultStagesItemApproval = TypedDict("PipelineShowResultStagesItemApproval", {
    # true: approved
    "approved": bool,
    # who
    "name": str,
    # user id of the person
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
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look)
    "state": str,
    # an explanation for people
    "why": Optional[str],
    # id of the promotion to its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # its target, and what would change there
    "target": "PipelineShowResultStagesItemTarget",
    # result of its gates for the change
    "before": "PipelineShowResultStagesItemBefore",
    # result of its gates for the target afterwards
    "after": "PipelineShowResultStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # last lines of its command's output
    "output": str,
    # the decision of a person
    "approval": Optional["PipelineShowResultStagesItemApproval"],
}, total=False)

# What pipeline.show gives.
PipelineShowResult = TypedDict("PipelineShowResult", {
    # its id
    "pipeline": str,
    # running (or interrupted: see 'live'), waiting, done, stopped or undone
    "state": str,
    # a process works on it, or on another pipeline of its project, now
    "live": bool,
    # name of its box
    "box": str,
    # id of the snapshot
    "snapshot": str,
    # directory whose aisbx.yaml defines the stages
    "project": str,
    # it is being undone, or was
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in order
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
    # number of changes of each kind; see promote
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
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineLsResultPipelinesItemStagesItemBefore = TypedDict("PipelineLsResultPipelinesItemStagesItemBefore", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineLsResultPipelinesItemStagesItemBeforeChecksItem"],
}, total=False)

PipelineLsResultPipelinesItemStagesItemAfterChecksItem = TypedDict("PipelineLsResultPipelinesItemStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineLsResultPipelinesItemStagesItemAfter = TypedDict("PipelineLsResultPipelinesItemStagesItemAfter", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineLsResultPipelinesItemStagesItemAfterChecksItem"],
}, total=False)

PipelineLsResultPipelinesItemStagesItemApproval = TypedDict("PipelineLsResultPipelinesItemStagesItemApproval", {
    # true: approved
    "approved": bool,
    # who
    "name": str,
    # user id of the person
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
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look)
    "state": str,
    # an explanation for people
    "why": Optional[str],
    # id of the promotion to its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # its target, and what would change there
    "target": "PipelineLsResultPipelinesItemStagesItemTarget",
    # result of its gates for the change
    "before": "PipelineLsResultPipelinesItemStagesItemBefore",
    # result of its gates for the target afterwards
    "after": "PipelineLsResultPipelinesItemStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # last lines of its command's output
    "output": str,
    # the decision of a person
    "approval": Optional["PipelineLsResultPipelinesItemStagesItemApproval"],
}, total=False)

PipelineLsResultPipelinesItem = TypedDict("PipelineLsResultPipelinesItem", {
    # its id
    "pipeline": str,
    # running (or interrupted: see 'live'), waiting, done, stopped or undone
    "state": str,
    # a process works on it, or on another pipeline of its project, now
    "live": bool,
    # name of its box
    "box": str,
    # id of the snapshot
    "snapshot": str,
    # directory whose aisbx.yaml defines the stages
    "project": str,
    # it is being undone, or was
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in order
    "stages": List["PipelineLsResultPipelinesItemStagesItem"],
}, total=False)

# What pipeline.ls gives.
PipelineLsResult = TypedDict("PipelineLsResult", {
    # newest first
    "pipelines": List["PipelineLsResultPipelinesItem"],
}, total=False)
PIPELINE_LS: Method[PipelineLsArgs, PipelineLsResult] = Method("pipeline.ls")

_PipelineUndoArgsNeeded = TypedDict("_PipelineUndoArgsNeeded", {
    # pipeline id; a prefix is enough
    "pipeline": str,
})
_PipelineUndoArgsOthers = TypedDict("_PipelineUndoArgsOthers", {
    # when undoing: files that changed since: stop (default), keep or overwrite them
    "conflict": Literal["stop", "keep", "overwrite"],
}, total=False)


class PipelineUndoArgs(_PipelineUndoArgsNeeded, _PipelineUndoArgsOthers):
    """Undo a pipeline, the last stage first"""


PipelineUndoResultStagesItemTarget = TypedDict("PipelineUndoResultStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # number of changes of each kind; see promote
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
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineUndoResultStagesItemBefore = TypedDict("PipelineUndoResultStagesItemBefore", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineUndoResultStagesItemBeforeChecksItem"],
}, total=False)

PipelineUndoResultStagesItemAfterChecksItem = TypedDict("PipelineUndoResultStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineUndoResultStagesItemAfter = TypedDict("PipelineUndoResultStagesItemAfter", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineUndoResultStagesItemAfterChecksItem"],
}, total=False)

PipelineUndoResultStagesItemApproval = TypedDict("PipelineUndoResultStagesItemApproval", {
    # true: approved
    "approved": bool,
    # who
    "name": str,
    # user id of the person
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
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look)
    "state": str,
    # an explanation for people
    "why": Optional[str],
    # id of the promotion to its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # its target, and what would change there
    "target": "PipelineUndoResultStagesItemTarget",
    # result of its gates for the change
    "before": "PipelineUndoResultStagesItemBefore",
    # result of its gates for the target afterwards
    "after": "PipelineUndoResultStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # last lines of its command's output
    "output": str,
    # the decision of a person
    "approval": Optional["PipelineUndoResultStagesItemApproval"],
}, total=False)

# What pipeline.undo gives.
PipelineUndoResult = TypedDict("PipelineUndoResult", {
    # its id
    "pipeline": str,
    # running (or interrupted: see 'live'), waiting, done, stopped or undone
    "state": str,
    # a process works on it, or on another pipeline of its project, now
    "live": bool,
    # name of its box
    "box": str,
    # id of the snapshot
    "snapshot": str,
    # directory whose aisbx.yaml defines the stages
    "project": str,
    # it is being undone, or was
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in order
    "stages": List["PipelineUndoResultStagesItem"],
}, total=False)
PIPELINE_UNDO: Method[PipelineUndoArgs, PipelineUndoResult] = Method("pipeline.undo")

_PipelineApproveArgsNeeded = TypedDict("_PipelineApproveArgsNeeded", {
    # pipeline id; a prefix is enough
    "pipeline": str,
})
_PipelineApproveArgsOthers = TypedDict("_PipelineApproveArgsOthers", {
    # reject: the stage fails and the pipeline stops
    "reject": bool,
    # note to store with the decision
    "note": str,
    # only if the pipeline is for this snapshot: the one that was reviewed
    "snapshot": str,
    # only record the decision; 'aisbx pipeline resume' continues the pipeline
    "no-resume": bool,
}, total=False)


class PipelineApproveArgs(_PipelineApproveArgsNeeded, _PipelineApproveArgsOthers):
    """Approve the stage at which a pipeline waits"""


PipelineApproveResultStagesItemTarget = TypedDict("PipelineApproveResultStagesItemTarget", {
    # directory, branch or command
    "kind": str,
    # which
    "where": str,
    # number of changes of each kind; see promote
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
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineApproveResultStagesItemBefore = TypedDict("PipelineApproveResultStagesItemBefore", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineApproveResultStagesItemBeforeChecksItem"],
}, total=False)

PipelineApproveResultStagesItemAfterChecksItem = TypedDict("PipelineApproveResultStagesItemAfterChecksItem", {
    # as written
    "check": str,
    # it holds
    "passed": bool,
    # an explanation for people
    "why": Optional[str],
}, total=False)

PipelineApproveResultStagesItemAfter = TypedDict("PipelineApproveResultStagesItemAfter", {
    # all checks hold
    "passed": bool,
    # the checks
    "checks": List["PipelineApproveResultStagesItemAfterChecksItem"],
}, total=False)

PipelineApproveResultStagesItemApproval = TypedDict("PipelineApproveResultStagesItemApproval", {
    # true: approved
    "approved": bool,
    # who
    "name": str,
    # user id of the person
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
    # pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look)
    "state": str,
    # an explanation for people
    "why": Optional[str],
    # id of the promotion to its target
    "promotion": Optional[str],
    # milliseconds since 1970
    "begun_ms": Optional[int],
    # milliseconds since 1970
    "ended_ms": Optional[int],
    # its target, and what would change there
    "target": "PipelineApproveResultStagesItemTarget",
    # result of its gates for the change
    "before": "PipelineApproveResultStagesItemBefore",
    # result of its gates for the target afterwards
    "after": "PipelineApproveResultStagesItemAfter",
    # id of the commit on its branch
    "commit": str,
    # last lines of its command's output
    "output": str,
    # the decision of a person
    "approval": Optional["PipelineApproveResultStagesItemApproval"],
}, total=False)

# What pipeline.approve gives.
PipelineApproveResult = TypedDict("PipelineApproveResult", {
    # its id
    "pipeline": str,
    # running (or interrupted: see 'live'), waiting, done, stopped or undone
    "state": str,
    # a process works on it, or on another pipeline of its project, now
    "live": bool,
    # name of its box
    "box": str,
    # id of the snapshot
    "snapshot": str,
    # directory whose aisbx.yaml defines the stages
    "project": str,
    # it is being undone, or was
    "back": bool,
    # milliseconds since 1970
    "created_ms": int,
    # in order
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
    # number of lines
    "count": int,
    # first byte, counted from 0
    "offset": Union[str, int],
    # maximum number of bytes; default: 1m, at most 16m
    "limit": Union[str, int],
    # of the content: utf-8 (default; fails for files that are not text) or base64
    "encoding": Literal["utf-8", "base64"],
    # the whole file to standard output, byte for byte, at most 1 GiB
    "raw": bool,
}, total=False)


class FileReadArgs(_FileReadArgsNeeded, _FileReadArgsOthers):
    """Read a file of a box"""


# What file.read gives.
FileReadResult = TypedDict("FileReadResult", {
    # absolute path in the box
    "path": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # modification time, in milliseconds since 1970
    "mtime_ms": int,
    # of the content; null if it is not a file, or larger than 256 MiB
    "sha256": Optional[str],
    # what was read; with raw it is not in the result
    "content": str,
    # of the content: utf-8 or base64
    "encoding": str,
    # first byte that was read
    "offset": int,
    # offset to continue from; null at the end
    "next_offset": Optional[int],
    # number of lines of the file; null if it is larger than 256 MiB
    "lines": Optional[int],
    # with from or count: the first line that was read
    "line": int,
    # with from or count: the line to continue from; null at the end
    "next_line": Optional[int],
    # with raw: bytes that were written to standard output
    "sent": int,
    # a secret that was given to a box was removed from the content
    "redacted": bool,
    # only present if it was read as a picture: its type, such as image/png
    "media": str,
    # only present if a decoy was opened: as in the result of run
    "violations": List[Any],
    # only present if the automatic snapshot of the box failed: why
    "snapshot_error": str,
}, total=False)
FILE_READ: Method[FileReadArgs, FileReadResult] = Method("file.read")

_FileWriteArgsNeeded = TypedDict("_FileWriteArgsNeeded", {
    # name or id of the box
    "box": str,
    # file; missing directories are made; in the box, relative to the project unless it begins with /
    "path": str,
})
_FileWriteArgsOthers = TypedDict("_FileWriteArgsOthers", {
    # new content; default: standard input
    "content": str,
    # edit: this exact text, which must occur once, ...
    "replace": str,
    # ... is replaced by this
    "with": str,
    # append to the file
    "append": bool,
    # encoding of the given texts: utf-8 (default) or base64; standard input is used as it is
    "encoding": Literal["utf-8", "base64"],
    # so many bytes of standard input are the content; if it ends before, nothing is written
    "size": Union[str, int],
    # only if the file has this sha256 now, as read reported it; absent: only if it does not exist
    "if": str,
    # permissions, such as 755; default: unchanged, or 644
    "mode": str,
}, total=False)


class FileWriteArgs(_FileWriteArgsNeeded, _FileWriteArgsOthers):
    """Write or edit a file of a box"""


# What file.write gives.
FileWriteResult = TypedDict("FileWriteResult", {
    # absolute path in the box
    "path": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # modification time, in milliseconds since 1970
    "mtime_ms": int,
    # of the content; null if it is not a file, or larger than 256 MiB
    "sha256": Optional[str],
    # it did not exist before
    "created": bool,
    # only present if a decoy was opened: as in the result of run
    "violations": List[Any],
    # only present if the automatic snapshot of the box failed: why
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
    # levels to descend; 1 (default): only the directory's own entries
    "depth": int,
    # only names that match this pattern, such as *.py; with a / it is compared with the path in the directory
    "pattern": str,
    # maximum number of entries; default: 1000
    "limit": int,
}, total=False)


class FileLsArgs(_FileLsArgsNeeded, _FileLsArgsOthers):
    """List files of a box"""


FileLsResultEntriesItem = TypedDict("FileLsResultEntriesItem", {
    # relative to the directory; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # modification time, in milliseconds since 1970
    "mtime_ms": int,
    # target of a link; null if it is not UTF-8
    "target": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "target_hex": str,
}, total=False)

# What file.ls gives.
FileLsResult = TypedDict("FileLsResult", {
    # path of the directory in the box
    "path": str,
    # entries, sorted by name; links are not followed
    "entries": List["FileLsResultEntriesItem"],
    # there are more entries than listed
    "more": bool,
    # only present if a decoy was opened: as in the result of run
    "violations": List[Any],
    # only present if the automatic snapshot of the box failed: why
    "snapshot_error": str,
}, total=False)
FILE_LS: Method[FileLsArgs, FileLsResult] = Method("file.ls")

# Show type, size and checksum of a file in a box
FileStatArgs = TypedDict("FileStatArgs", {
    # name or id of the box
    "box": str,
    # path; a link is not followed; in the box, relative to the project unless it begins with /
    "path": str,
})

# What file.stat gives.
FileStatResult = TypedDict("FileStatResult", {
    # absolute path in the box
    "path": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # modification time, in milliseconds since 1970
    "mtime_ms": int,
    # of the content; null if it is not a file, or larger than 256 MiB
    "sha256": Optional[str],
    # target of a link; null if it is not UTF-8
    "target": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "target_hex": str,
    # only present if a decoy was opened: as in the result of run
    "violations": List[Any],
    # only present if the automatic snapshot of the box failed: why
    "snapshot_error": str,
}, total=False)
FILE_STAT: Method[FileStatArgs, FileStatResult] = Method("file.stat")

_FileRmArgsNeeded = TypedDict("_FileRmArgsNeeded", {
    # name or id of the box
    "box": str,
    # path to remove; a link itself, not its target; in the box, relative to the project unless it begins with /
    "path": str,
})
_FileRmArgsOthers = TypedDict("_FileRmArgsOthers", {
    # remove a directory with everything in it
    "recursive": bool,
    # no error if it does not exist
    "force": bool,
}, total=False)


class FileRmArgs(_FileRmArgsNeeded, _FileRmArgsOthers):
    """Remove a file of a box"""


# What file.rm gives.
FileRmResult = TypedDict("FileRmResult", {
    # absolute path in the box
    "path": str,
    # false: it did not exist
    "removed": bool,
    # only present if a decoy was opened: as in the result of run
    "violations": List[Any],
    # only present if the automatic snapshot of the box failed: why
    "snapshot_error": str,
}, total=False)
FILE_RM: Method[FileRmArgs, FileRmResult] = Method("file.rm")

_FileMvArgsNeeded = TypedDict("_FileMvArgsNeeded", {
    # name or id of the box
    "box": str,
    # path to move; in the box, relative to the project unless it begins with /
    "path": str,
    # new path, not a directory to move it into; missing directories are made
    "to": str,
})
_FileMvArgsOthers = TypedDict("_FileMvArgsOthers", {
    # replace an existing file
    "force": bool,
}, total=False)


class FileMvArgs(_FileMvArgsNeeded, _FileMvArgsOthers):
    """Move or rename a file of a box"""


# What file.mv gives.
FileMvResult = TypedDict("FileMvResult", {
    # new path
    "path": str,
    # old path
    "from": str,
    # file, directory, link or other
    "type": str,
    # only present if a decoy was opened: as in the result of run
    "violations": List[Any],
    # only present if the automatic snapshot of the box failed: why
    "snapshot_error": str,
}, total=False)
FILE_MV: Method[FileMvArgs, FileMvResult] = Method("file.mv")

_FileMkdirArgsNeeded = TypedDict("_FileMkdirArgsNeeded", {
    # name or id of the box
    "box": str,
    # directory to make; missing parents are made, too; in the box, relative to the project unless it begins with /
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
    # absolute path in the box
    "path": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # modification time, in milliseconds since 1970
    "mtime_ms": int,
    # of the content; null if it is not a file, or larger than 256 MiB
    "sha256": Optional[str],
    # it did not exist before
    "created": bool,
    # only present if a decoy was opened: as in the result of run
    "violations": List[Any],
    # only present if the automatic snapshot of the box failed: why
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
    # include subdirectories
    "recursive": bool,
    # end after this time; default: when interrupted
    "timeout": Union[str, float],
}, total=False)


class FileWatchArgs(_FileWatchArgsNeeded, _FileWatchArgsOthers):
    """Watch files of a box for changes"""


# What file.watch gives.
FileWatchResult = TypedDict("FileWatchResult", {
    # path of the directory in the box
    "path": str,
    # number of events
    "events": int,
}, total=False)
FILE_WATCH: Method[FileWatchArgs, FileWatchResult] = Method("file.watch")

_FileUrlArgsNeeded = TypedDict("_FileUrlArgsNeeded", {
    # name or id of the box
    "box": str,
    # the file; to be written, it need not exist; in the box, relative to the project unless it begins with /
    "path": str,
})
_FileUrlArgsOthers = TypedDict("_FileUrlArgsOthers", {
    # an address to write to, with PUT; default: to read from, with GET
    "write": bool,
    # how long it is good: at most 7 days; default: 15m
    "expires": Union[str, float],
    # where 'aisbx serve' is reached by whoever gets the address; default: http://127.0.0.1:24729
    "server": str,
}, total=False)


class FileUrlArgs(_FileUrlArgsNeeded, _FileUrlArgsOthers):
    """Make an address at which one file of a box can be read or written over HTTP"""


# What file.url gives.
FileUrlResult = TypedDict("FileUrlResult", {
    # the address; whoever has it needs no token
    "url": str,
    # GET or PUT
    "method": str,
    # absolute path in the box
    "path": str,
    # id of the box
    "box": str,
    # when it is no longer good, in milliseconds since 1970
    "expires_ms": int,
}, total=False)
FILE_URL: Method[FileUrlArgs, FileUrlResult] = Method("file.url")

_ArtifactSaveArgsNeeded = TypedDict("_ArtifactSaveArgsNeeded", {
    # name or id of the box
    "box": str,
    # file or directory of the box; in the box, relative to the project unless it begins with /
    "path": str,
})
_ArtifactSaveArgsOthers = TypedDict("_ArtifactSaveArgsOthers", {
    # name of the artifact; default: the name of the file in the box
    "name": str,
    # note to store with it
    "note": str,
    # continue although this secret, which was given to the box with --secret, is in it
    "allow-secret": List[str],
}, total=False)


class ArtifactSaveArgs(_ArtifactSaveArgsNeeded, _ArtifactSaveArgsOthers):
    """Save a file or directory of a box, so that it outlives the box"""


# What artifact.save gives.
ArtifactSaveResult = TypedDict("ArtifactSaveResult", {
    # artifact id
    "id": str,
    # several artifacts can have the same name; it refers to the newest
    "name": str,
    # the note given when it was saved
    "note": Optional[str],
    # id of the box it comes from, which may have been removed
    "box": str,
    # name of the box at that time
    "box_name": str,
    # the newest run of that box at that time
    "run": Optional[str],
    # path in the box
    "path": str,
    # file or directory
    "type": str,
    # of the content of a file, or of everything that is stored of a directory
    "sha256": str,
    # bytes stored
    "size": int,
    # files and links stored
    "files": int,
    # type of the content, such as image/png
    "media": str,
    # permissions, octal
    "mode": str,
    # when it was saved, in milliseconds since 1970
    "created_ms": int,
    # pipes, sockets and devices, which are not saved
    "left_out": int,
    # only present if a decoy was opened: as in the result of run
    "violations": List[Any],
    # only present if the automatic snapshot of the box failed: why
    "snapshot_error": str,
}, total=False)
ARTIFACT_SAVE: Method[ArtifactSaveArgs, ArtifactSaveResult] = Method("artifact.save")

# List artifacts
ArtifactLsArgs = TypedDict("ArtifactLsArgs", {
    # only those of this box, which may have been removed
    "box": str,
}, total=False)

ArtifactLsResultArtifactsItem = TypedDict("ArtifactLsResultArtifactsItem", {
    # artifact id
    "id": str,
    # several artifacts can have the same name; it refers to the newest
    "name": str,
    # the note given when it was saved
    "note": Optional[str],
    # id of the box it comes from, which may have been removed
    "box": str,
    # name of the box at that time
    "box_name": str,
    # the newest run of that box at that time
    "run": Optional[str],
    # path in the box
    "path": str,
    # file or directory
    "type": str,
    # of the content of a file, or of everything that is stored of a directory
    "sha256": str,
    # bytes stored
    "size": int,
    # files and links stored
    "files": int,
    # type of the content, such as image/png
    "media": str,
    # permissions, octal
    "mode": str,
    # when it was saved, in milliseconds since 1970
    "created_ms": int,
}, total=False)

# What artifact.ls gives.
ArtifactLsResult = TypedDict("ArtifactLsResult", {
    # newest first
    "artifacts": List["ArtifactLsResultArtifactsItem"],
}, total=False)
ARTIFACT_LS: Method[ArtifactLsArgs, ArtifactLsResult] = Method("artifact.ls")

# Show what an artifact is
ArtifactShowArgs = TypedDict("ArtifactShowArgs", {
    # id or name; if several artifacts have that name, the newest
    "artifact": str,
})

ArtifactShowResultEntriesItem = TypedDict("ArtifactShowResultEntriesItem", {
    # relative to the directory; null if it is not UTF-8
    "path": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "path_hex": str,
    # file, directory or link
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # target of a link
    "target": Optional[str],
    # the bytes in hexadecimal, if it is not UTF-8
    "target_hex": str,
}, total=False)

# What artifact.show gives.
ArtifactShowResult = TypedDict("ArtifactShowResult", {
    # artifact id
    "id": str,
    # several artifacts can have the same name; it refers to the newest
    "name": str,
    # the note given when it was saved
    "note": Optional[str],
    # id of the box it comes from, which may have been removed
    "box": str,
    # name of the box at that time
    "box_name": str,
    # the newest run of that box at that time
    "run": Optional[str],
    # path in the box
    "path": str,
    # file or directory
    "type": str,
    # of the content of a file, or of everything that is stored of a directory
    "sha256": str,
    # bytes stored
    "size": int,
    # files and links stored
    "files": int,
    # type of the content, such as image/png
    "media": str,
    # permissions, octal
    "mode": str,
    # when it was saved, in milliseconds since 1970
    "created_ms": int,
    # for a directory: its entries, at most a thousand
    "entries": List["ArtifactShowResultEntriesItem"],
    # true: there are more entries than listed
    "more": bool,
}, total=False)
ARTIFACT_SHOW: Method[ArtifactShowArgs, ArtifactShowResult] = Method("artifact.show")

_ArtifactReadArgsNeeded = TypedDict("_ArtifactReadArgsNeeded", {
    # id or name; if several artifacts have that name, the newest
    "artifact": str,
})
_ArtifactReadArgsOthers = TypedDict("_ArtifactReadArgsOthers", {
    # file in the artifact, if that is a directory
    "path": str,
    # first byte, counted from 0
    "offset": Union[str, int],
    # maximum number of bytes; default: 1m, at most 16m
    "limit": Union[str, int],
    # of the content: utf-8 (default; fails for files that are not text) or base64
    "encoding": Literal["utf-8", "base64"],
}, total=False)


class ArtifactReadArgs(_ArtifactReadArgsNeeded, _ArtifactReadArgsOthers):
    """Read the content of an artifact"""


# What artifact.read gives.
ArtifactReadResult = TypedDict("ArtifactReadResult", {
    # absolute path in the box
    "path": str,
    # file, directory, link or other
    "type": str,
    # bytes
    "size": int,
    # permissions, octal
    "mode": str,
    # modification time, in milliseconds since 1970
    "mtime_ms": int,
    # of the content; null if it is not a file, or larger than 256 MiB
    "sha256": Optional[str],
    # what was read
    "content": str,
    # of the content: utf-8 or base64
    "encoding": str,
    # first byte that was read
    "offset": int,
    # offset to continue from; null at the end
    "next_offset": Optional[int],
    # a secret that was given to a box was removed from the content
    "redacted": bool,
    # type of the content; null for a file in a directory
    "media": Optional[str],
}, total=False)
ARTIFACT_READ: Method[ArtifactReadArgs, ArtifactReadResult] = Method("artifact.read")

_ArtifactGetArgsNeeded = TypedDict("_ArtifactGetArgsNeeded", {
    # id or name; if several artifacts have that name, the newest
    "artifact": str,
    # destination path on this machine
    "to": str,
})
_ArtifactGetArgsOthers = TypedDict("_ArtifactGetArgsOthers", {
    # replace an existing file; directories are never replaced
    "force": bool,
    # copy it even if it contains traps
    "yes": bool,
}, total=False)


class ArtifactGetArgs(_ArtifactGetArgsNeeded, _ArtifactGetArgsOthers):
    """Copy an artifact to a path of this machine"""


# What artifact.get gives.
ArtifactGetResult = TypedDict("ArtifactGetResult", {
    # artifact id
    "id": str,
    # several artifacts can have the same name; it refers to the newest
    "name": str,
    # the note given when it was saved
    "note": Optional[str],
    # id of the box it comes from, which may have been removed
    "box": str,
    # name of the box at that time
    "box_name": str,
    # the newest run of that box at that time
    "run": Optional[str],
    # path in the box
    "path": str,
    # file or directory
    "type": str,
    # of the content of a file, or of everything that is stored of a directory
    "sha256": str,
    # bytes stored
    "size": int,
    # files and links stored
    "files": int,
    # type of the content, such as image/png
    "media": str,
    # permissions, octal
    "mode": str,
    # when it was saved, in milliseconds since 1970
    "created_ms": int,
    # where it was copied to
    "to": str,
}, total=False)
ARTIFACT_GET: Method[ArtifactGetArgs, ArtifactGetResult] = Method("artifact.get")

# Remove an artifact
ArtifactRmArgs = TypedDict("ArtifactRmArgs", {
    # id or name; if several artifacts have that name, the newest
    "artifact": str,
})

# What artifact.rm gives.
ArtifactRmResult = TypedDict("ArtifactRmResult", {
    # of the removed artifact
    "id": str,
    # of the removed artifact
    "name": str,
}, total=False)
ARTIFACT_RM: Method[ArtifactRmArgs, ArtifactRmResult] = Method("artifact.rm")

_ImagePullArgsNeeded = TypedDict("_ImagePullArgsNeeded", {
    # [REGISTRY/]REPOSITORY[:TAG][@DIGEST]; without a registry docker.io, without a tag latest
    "reference": str,
})
_ImagePullArgsOthers = TypedDict("_ImagePullArgsOthers", {
    # what it is called here; default: the full reference
    "name": str,
    # of an image for several: OS/ARCHITECTURE; default: this machine's, such as linux/amd64
    "platform": str,
    # keep only the unpacked files, not the compressed layers: takes less disk, but the image cannot be pushed, saved or packed again
    "no-blobs": bool,
}, total=False)


class ImagePullArgs(_ImagePullArgsNeeded, _ImagePullArgsOthers):
    """Bring an image from a registry"""


ImagePullResultLeftOut = TypedDict("ImagePullResultLeftOut", {
    # device nodes; no box has those of an image
    "devices": int,
    # attributes of files that this user cannot set
    "xattrs": int,
    # owners of links and pipes, for a user with one id
    "owners": int,
}, total=False)

# What image.pull gives.
ImagePullResult = TypedDict("ImagePullResult", {
    # image id
    "id": str,
    # SHA-256 of its manifest
    "digest": str,
    # one of its names: the one that was given now, or the first; "": it has none
    "name": str,
    # what it is called here
    "names": List[Any],
    # reference, file or box that it comes from
    "source": str,
    # operating system and architecture
    "platform": str,
    # bytes of its blobs
    "size": int,
    # when it was added here, in milliseconds since 1970
    "created_ms": int,
    # layers of the image
    "layers": int,
    # those that were not here yet
    "unpacked": int,
    # what of them could not be kept
    "left_out": "ImagePullResultLeftOut",
}, total=False)
IMAGE_PULL: Method[ImagePullArgs, ImagePullResult] = Method("image.pull")

_ImageImportArgsNeeded = TypedDict("_ImageImportArgsNeeded", {
    # an OCI layout (a directory), an OCI archive, an archive of 'docker save', a tar archive of a root file system (.gz, .xz, .zst), or a pseudo-image
    "file": str,
})
_ImageImportArgsOthers = TypedDict("_ImageImportArgsOthers", {
    # what it is called here; default: the name of the file
    "name": str,
    # of an image for several: OS/ARCHITECTURE; default: this machine's, such as linux/amd64
    "platform": str,
    # keep only the unpacked files, not the compressed layers: takes less disk, but the image cannot be pushed, saved or packed again
    "no-blobs": bool,
}, total=False)


class ImageImportArgs(_ImageImportArgsNeeded, _ImageImportArgsOthers):
    """Bring an image from a file"""


ImageImportResultLeftOut = TypedDict("ImageImportResultLeftOut", {
    # device nodes; no box has those of an image
    "devices": int,
    # attributes of files that this user cannot set
    "xattrs": int,
    # owners of links and pipes, for a user with one id
    "owners": int,
}, total=False)

# What image.import gives.
ImageImportResult = TypedDict("ImageImportResult", {
    # image id
    "id": str,
    # SHA-256 of its manifest
    "digest": str,
    # one of its names: the one that was given now, or the first; "": it has none
    "name": str,
    # what it is called here
    "names": List[Any],
    # reference, file or box that it comes from
    "source": str,
    # operating system and architecture
    "platform": str,
    # bytes of its blobs
    "size": int,
    # when it was added here, in milliseconds since 1970
    "created_ms": int,
    # layers of the image
    "layers": int,
    # those that were not here yet
    "unpacked": int,
    # what of them could not be kept
    "left_out": "ImageImportResultLeftOut",
}, total=False)
IMAGE_IMPORT: Method[ImageImportArgs, ImageImportResult] = Method("image.import")

# List images
ImageLsArgs = TypedDict("ImageLsArgs", {
}, total=False)

ImageLsResultImagesItem = TypedDict("ImageLsResultImagesItem", {
    # image id
    "id": str,
    # SHA-256 of its manifest
    "digest": str,
    # one of its names: the one that was given now, or the first; "": it has none
    "name": str,
    # what it is called here
    "names": List[Any],
    # reference, file or box that it comes from
    "source": str,
    # operating system and architecture
    "platform": str,
    # bytes of its blobs
    "size": int,
    # when it was added here, in milliseconds since 1970
    "created_ms": int,
}, total=False)

# What image.ls gives.
ImageLsResult = TypedDict("ImageLsResult", {
    # by name
    "images": List["ImageLsResultImagesItem"],
}, total=False)
IMAGE_LS: Method[ImageLsArgs, ImageLsResult] = Method("image.ls")

# Show what an image is
ImageShowArgs = TypedDict("ImageShowArgs", {
    # name, id, or digest or the beginning of it; 'debian' means 'docker.io/library/debian:latest' unless an image is called that here
    "image": str,
})

ImageShowResultLayersItem = TypedDict("ImageShowResultLayersItem", {
    # SHA-256 of its blob
    "digest": str,
    # SHA-256 of its archive, not compressed
    "diff_id": str,
    # how the blob is packed
    "media_type": str,
    # bytes of its blob
    "size": int,
    # whether the blob was kept
    "blob": bool,
    # id of the unpacked layer
    "layer": str,
    # files and directories in it
    "files": int,
    # bytes of its files
    "bytes": int,
}, total=False)

ImageShowResultConfig = TypedDict("ImageShowResultConfig", {
    # words before every command
    "entrypoint": Optional[List[Any]],
    # the command if none is given
    "cmd": Optional[List[Any]],
    # variables, as NAME=VALUE
    "env": Optional[List[Any]],
    # who runs commands
    "user": Optional[str],
    # where they run
    "workdir": Optional[str],
    # ports that its programs listen on
    "ports": Optional[Dict[str, Any]],
    # directories that are meant to be kept elsewhere
    "volumes": Optional[Dict[str, Any]],
    # notes of its makers
    "labels": Optional[Dict[str, Any]],
    # signal that ends it
    "stop_signal": Optional[str],
}, total=False)

ImageShowResultPolicy = TypedDict("ImageShowResultPolicy", {
    # capabilities; null: it says nothing about them
    "caps": Optional[List[Any]],
    # preset of system calls; null: it says nothing
    "seccomp": Optional[str],
    # none, loopback or any; null: it says nothing
    "net": Optional[str],
}, total=False)

# What image.show gives.
ImageShowResult = TypedDict("ImageShowResult", {
    # image id
    "id": str,
    # SHA-256 of its manifest
    "digest": str,
    # one of its names: the one that was given now, or the first; "": it has none
    "name": str,
    # what it is called here
    "names": List[Any],
    # reference, file or box that it comes from
    "source": str,
    # operating system and architecture
    "platform": str,
    # bytes of its blobs
    "size": int,
    # when it was added here, in milliseconds since 1970
    "created_ms": int,
    # oldest first
    "layers": List["ImageShowResultLayersItem"],
    # what a box from it gets
    "config": "ImageShowResultConfig",
    # what runs on this image have at most; null: it says nothing
    "policy": Optional["ImageShowResultPolicy"],
    # boxes and templates that stand on it, at most 20; only for the person
    "used_by": List[Any],
    # how many stand on it
    "users": int,
}, total=False)
IMAGE_SHOW: Method[ImageShowArgs, ImageShowResult] = Method("image.show")

# Remove an image
ImageRmArgs = TypedDict("ImageRmArgs", {
    # name, id, or digest or the beginning of it; 'debian' means 'docker.io/library/debian:latest' unless an image is called that here
    "image": str,
})

# What image.rm gives.
ImageRmResult = TypedDict("ImageRmResult", {
    # of the image
    "id": str,
    # false: only the name was removed, because the image has others
    "removed": bool,
    # unpacked layers that were removed with it
    "layers": int,
    # blobs that were removed with it
    "blobs": int,
}, total=False)
IMAGE_RM: Method[ImageRmArgs, ImageRmResult] = Method("image.rm")

# Check that an image is whole
ImageVerifyArgs = TypedDict("ImageVerifyArgs", {
    # name, id, or digest or the beginning of it; 'debian' means 'docker.io/library/debian:latest' unless an image is called that here
    "image": str,
})

# What image.verify gives.
ImageVerifyResult = TypedDict("ImageVerifyResult", {
    # blobs that are what their names say
    "blobs": int,
    # layers whose blob was not kept
    "not_kept": int,
    # bytes that were read
    "bytes": int,
    # layers that are there
    "layers": int,
    # unpacked files that are as in their layers
    "files": int,
}, total=False)
IMAGE_VERIFY: Method[ImageVerifyArgs, ImageVerifyResult] = Method("image.verify")

_ImagePackArgsNeeded = TypedDict("_ImagePackArgsNeeded", {
    # a box that stands on an image
    "box": str,
    # what the new image is called
    "name": str,
})
_ImagePackArgsOthers = TypedDict("_ImagePackArgsOthers", {
    # of the new layer; default: gzip
    "compression": Literal["gzip", "zstd", "none"],
}, total=False)


class ImagePackArgs(_ImagePackArgsNeeded, _ImagePackArgsOthers):
    """Make an image of a box"""


# What image.pack gives.
ImagePackResult = TypedDict("ImagePackResult", {
    # image id
    "id": str,
    # SHA-256 of its manifest
    "digest": str,
    # one of its names: the one that was given now, or the first; "": it has none
    "name": str,
    # what it is called here
    "names": List[Any],
    # reference, file or box that it comes from
    "source": str,
    # operating system and architecture
    "platform": str,
    # bytes of its blobs
    "size": int,
    # when it was added here, in milliseconds since 1970
    "created_ms": int,
    # layers of the image
    "layers": int,
    # those that were not here yet
    "unpacked": int,
}, total=False)
IMAGE_PACK: Method[ImagePackArgs, ImagePackResult] = Method("image.pack")

_ImagePushArgsNeeded = TypedDict("_ImagePushArgsNeeded", {
    # name, id, or digest or the beginning of it; 'debian' means 'docker.io/library/debian:latest' unless an image is called that here
    "image": str,
})
_ImagePushArgsOthers = TypedDict("_ImagePushArgsOthers", {
    # REGISTRY/REPOSITORY:TAG; default: its name
    "reference": str,
}, total=False)


class ImagePushArgs(_ImagePushArgsNeeded, _ImagePushArgsOthers):
    """Send an image to a registry"""


# What image.push gives.
ImagePushResult = TypedDict("ImagePushResult", {
    # SHA-256 of its manifest
    "digest": str,
    # the full reference that it has there
    "to": str,
    # blobs that were sent
    "sent": int,
    # blobs that the registry had already
    "there": int,
}, total=False)
IMAGE_PUSH: Method[ImagePushArgs, ImagePushResult] = Method("image.push")

_ImageSaveArgsNeeded = TypedDict("_ImageSaveArgsNeeded", {
    # name, id, or digest or the beginning of it; 'debian' means 'docker.io/library/debian:latest' unless an image is called that here
    "image": str,
    # where to; nothing may be there
    "file": str,
})
_ImageSaveArgsOthers = TypedDict("_ImageSaveArgsOthers", {
    # default: oci-archive; layout is a directory
    "format": Literal["oci-archive", "docker-archive", "layout", "pseudo"],
}, total=False)


class ImageSaveArgs(_ImageSaveArgsNeeded, _ImageSaveArgsOthers):
    """Write an image to a file"""


# What image.save gives.
ImageSaveResult = TypedDict("ImageSaveResult", {
    # SHA-256 of its manifest
    "digest": str,
    # where it was written to
    "file": str,
}, total=False)
IMAGE_SAVE: Method[ImageSaveArgs, ImageSaveResult] = Method("image.save")

_ImageInitArgsNeeded = TypedDict("_ImageInitArgsNeeded", {
    # a tar archive of a root file system: .tar, .tar.gz, .tar.xz, .tar.zst
    "rootfs": str,
})
_ImageInitArgsOthers = TypedDict("_ImageInitArgsOthers", {
    # what the image is called; default: the name of the file
    "name": str,
}, total=False)


class ImageInitArgs(_ImageInitArgsNeeded, _ImageInitArgsOthers):
    """Make an image from a root file system"""


ImageInitResultLeftOut = TypedDict("ImageInitResultLeftOut", {
    # device nodes; no box has those of an image
    "devices": int,
    # attributes of files that this user cannot set
    "xattrs": int,
    # owners of links and pipes, for a user with one id
    "owners": int,
}, total=False)

# What image.init gives.
ImageInitResult = TypedDict("ImageInitResult", {
    # image id
    "id": str,
    # SHA-256 of its manifest
    "digest": str,
    # one of its names: the one that was given now, or the first; "": it has none
    "name": str,
    # what it is called here
    "names": List[Any],
    # reference, file or box that it comes from
    "source": str,
    # operating system and architecture
    "platform": str,
    # bytes of its blobs
    "size": int,
    # when it was added here, in milliseconds since 1970
    "created_ms": int,
    # layers of the image
    "layers": int,
    # those that were not here yet
    "unpacked": int,
    # what of them could not be kept
    "left_out": "ImageInitResultLeftOut",
}, total=False)
IMAGE_INIT: Method[ImageInitArgs, ImageInitResult] = Method("image.init")

# List the available profiles
ProfileLsArgs = TypedDict("ProfileLsArgs", {
}, total=False)

ProfileLsResultProfilesItem = TypedDict("ProfileLsResultProfilesItem", {
    # name for --profile
    "name": str,
    # description
    "about": Optional[str],
    # where it is: a path, or shipped:NAME
    "file": Optional[str],
    # the profile it extends
    "extends": Optional[str],
    # why it cannot be used
    "error": Optional[str],
}, total=False)

# What profile.ls gives.
ProfileLsResult = TypedDict("ProfileLsResult", {
    # sorted by name; the person's come before the system's, and these before the shipped ones
    "profiles": List["ProfileLsResultProfilesItem"],
}, total=False)
PROFILE_LS: Method[ProfileLsArgs, ProfileLsResult] = Method("profile.ls")

# Show a complete profile as one file
ProfileShowArgs = TypedDict("ProfileShowArgs", {
    # a name that 'aisbx profile ls' lists, or a file (with a '/'); default: $AISBX_PROFILE, or dev
    "profile": str,
}, total=False)

# What profile.show gives.
ProfileShowResult = TypedDict("ProfileShowResult", {
    # its name, or the path of its file
    "name": str,
    # the files that were read: its own, then those it extends; shipped:NAME for those that come with aisbx
    "files": List[Any],
    # all values in effect, as a self-contained file would set them
    "profile": Dict[str, Any],
    # what is written in the words of another tool, and how it is read
    "notes": List[Any],
}, total=False)
PROFILE_SHOW: Method[ProfileShowArgs, ProfileShowResult] = Method("profile.show")

# Check whether a file is a valid profile
ProfileCheckArgs = TypedDict("ProfileCheckArgs", {
    # the file to read
    "file": str,
})

# What profile.check gives.
ProfileCheckResult = TypedDict("ProfileCheckResult", {
    # always true; problems are reported as an error
    "ok": bool,
    # the files that were read: its own, then those it extends; shipped:NAME for those that come with aisbx
    "files": List[Any],
    # all values in effect, as a self-contained file would set them
    "profile": Dict[str, Any],
    # what is written in the words of another tool, and how it is read
    "notes": List[Any],
}, total=False)
PROFILE_CHECK: Method[ProfileCheckArgs, ProfileCheckResult] = Method("profile.check")

# Show for each value of a profile where it comes from
ProfileExplainArgs = TypedDict("ProfileExplainArgs", {
    # a name that 'aisbx profile ls' lists, or a file (with a '/'); default: $AISBX_PROFILE, or dev
    "profile": str,
    # as for run
    "net": List[str],
    # as for run
    "no-net": bool,
    # as for run
    "seccomp": Literal["default", "python", "javascript", "shell", "go", "rust", "java", "c", "wasm"],
    # end the run after this time; 0: never
    "timeout": Union[str, float],
    # maximum number of processors, such as 2 or 0.5; 0: all
    "cpu": float,
    # processor time of all processes together
    "cpu-time": Union[str, float],
    # memory of all processes together, including files in memory; 0: no limit
    "mem": Union[str, int],
    # bytes that the box may write
    "disk": Union[str, int],
    # files, directories and links that the box may make
    "inodes": int,
    # bytes of one file
    "file-size": Union[str, int],
    # processes and threads at once
    "pids": int,
    # open files per process
    "files": int,
    # bytes of each output stream that are passed on; with --json stored in the result (default 4m)
    "output": Union[str, int],
    # instructions that a WebAssembly program may execute; only with the driver wasm; 0: no limit
    "fuel": int,
}, total=False)

ProfileExplainResultValuesItem = TypedDict("ProfileExplainResultValuesItem", {
    # as in a file; env.set is the key set in env
    "key": str,
    # name of a variable or secret; mode of a mount
    "name": Optional[str],
    # value in effect
    "value": str,
    # the file that sets it, option --NAME, or default
    "from": str,
    # line of that file
    "line": Optional[int],
}, total=False)

# What profile.explain gives.
ProfileExplainResult = TypedDict("ProfileExplainResult", {
    # its name, or the path of its file
    "profile": str,
    # who chose the profile: you, variable AISBX_PROFILE or default
    "chosen_by": str,
    # the files that were read: its own, then those it extends; shipped:NAME for those that come with aisbx
    "files": List[Any],
    # every key, with each of its values
    "values": List["ProfileExplainResultValuesItem"],
}, total=False)
PROFILE_EXPLAIN: Method[ProfileExplainArgs, ProfileExplainResult] = Method("profile.explain")

# Show the differences between two profiles
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
    # value in the first
    "a": str,
    # value in the second
    "b": str,
    # keys with different values
    "differences": List["ProfileDiffResultDifferencesItem"],
}, total=False)
PROFILE_DIFF: Method[ProfileDiffArgs, ProfileDiffResult] = Method("profile.diff")

# Show the JSON schema of profiles
ProfileSchemaArgs = TypedDict("ProfileSchemaArgs", {
}, total=False)

# What profile.schema gives.
ProfileSchemaResult = TypedDict("ProfileSchemaResult", {
    # version of JSON Schema
    "$schema": str,
    # title
    "title": str,
    # object
    "type": str,
    # every key of a profile
    "properties": Dict[str, Any],
}, total=False)
PROFILE_SCHEMA: Method[ProfileSchemaArgs, ProfileSchemaResult] = Method("profile.schema")

# Check an aisbx.yaml and report all problems
ProjectCheckArgs = TypedDict("ProjectCheckArgs", {
    # the file, or a directory that contains one or is below one; default: the current directory
    "path": str,
}, total=False)

ProjectCheckResultErrorsItem = TypedDict("ProjectCheckResultErrorsItem", {
    # line; null: the whole file
    "line": Optional[int],
    # column
    "column": Optional[int],
    # the problem, and what would be right
    "text": str,
}, total=False)

# What project.check gives.
ProjectCheckResult = TypedDict("ProjectCheckResult", {
    # the file is valid
    "ok": bool,
    # what was read
    "file": str,
    # all problems
    "errors": List["ProjectCheckResultErrorsItem"],
}, total=False)
PROJECT_CHECK: Method[ProjectCheckArgs, ProjectCheckResult] = Method("project.check")

# Show the settings of a project: its gates, stages, experiments, rules
ProjectShowArgs = TypedDict("ProjectShowArgs", {
    # the project; default: the current directory
    "dir": str,
}, total=False)

# What project.show gives.
ProjectShowResult = TypedDict("ProjectShowResult", {
    # file that was read; null: the project has none
    "file": Optional[str],
    # all files that were read: that of the directory and those above it, the outermost first
    "files": List[Any],
    # the file defines stages; otherwise the default stages are shown
    "own_stages": bool,
    # all settings in effect, as a file would set them
    "project": Dict[str, Any],
}, total=False)
PROJECT_SHOW: Method[ProjectShowArgs, ProjectShowResult] = Method("project.show")

# Show the JSON schema of aisbx.yaml
ProjectSchemaArgs = TypedDict("ProjectSchemaArgs", {
}, total=False)

# What project.schema gives.
ProjectSchemaResult = TypedDict("ProjectSchemaResult", {
    # version of JSON Schema
    "$schema": str,
    # title
    "title": str,
    # object
    "type": str,
    # every section of the file
    "properties": Dict[str, Any],
}, total=False)
PROJECT_SCHEMA: Method[ProjectSchemaArgs, ProjectSchemaResult] = Method("project.schema")

# Show what this machine supports and how to fix what is missing
DoctorArgs = TypedDict("DoctorArgs", {
    # also count what earlier runs left behind
    "leaks": bool,
}, total=False)

DoctorResultChecksItem = TypedDict("DoctorResultChecksItem", {
    # name of the wall or ability; walls are named as in --without
    "name": str,
    # ok, missing, or limited: works, but a newer kernel can do more
    "status": str,
    # what was tried, with what result
    "detail": str,
    # how to fix it: a command, an option, a version
    "fix": Optional[str],
    # 'aisbx run' does not start without it
    "refuses": bool,
}, total=False)

DoctorResultFacts = TypedDict("DoctorResultFacts", {
    # docker, podman or another container that this runs in, if it can be detected
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
    # controllers that this user may use
    "cgroup_delegated": List[Any],
    # subordinate ids of this user, START:COUNT
    "subuid": List[Any],
}, total=False)

DoctorResultLeaks = TypedDict("DoctorResultLeaks", {
    # aisbx-jail processes without a supervisor
    "processes": int,
    # mounts of aisbx in this mount namespace
    "mounts": int,
    # empty cgroups of boxes whose supervisor is gone
    "cgroups": int,
    # network namespaces held by these processes
    "namespaces": int,
    # layers of killed runs, and directories of killed policy checks
    "files": int,
    # boxes running now; not a leak
    "live_boxes": int,
    # runs whose supervisor was killed and that are not in the history yet; not a leak
    "dead_runs": int,
    # network namespaces of the whole machine; null unless root
    "kernel_net_namespaces": Optional[int],
    # descriptions of the leaks; the first 32
    "found": List[Any],
}, total=False)

# What doctor gives.
DoctorResult = TypedDict("DoctorResult", {
    # release of the running kernel
    "kernel": str,
    # architecture of the machine
    "arch": str,
    # the user running aisbx
    "user": str,
    # effective user id
    "uid": int,
    # root: boxes have shifted ids; user: own id only; nested: inside a user namespace
    "mode": str,
    # a box was started as a test, and it worked
    "run_will_start": bool,
    # isolation of that box: full, or null if it did not start
    "level": Optional[str],
    # every wall, what is needed to build walls, and last the box that was started
    "checks": List["DoctorResultChecksItem"],
    # what was read, not tried
    "facts": "DoctorResultFacts",
    # only with --leaks: what runs left behind; root counts those of all users, others their own
    "leaks": "DoctorResultLeaks",
}, total=False)
DOCTOR: Method[DoctorArgs, DoctorResult] = Method("doctor")

# Show the JSON schema of arguments and results
SchemaArgs = TypedDict("SchemaArgs", {
    # only this operation
    "operation": str,
}, total=False)

SchemaResultOperationsItem = TypedDict("SchemaResultOperationsItem", {
    # name on the command line
    "name": str,
    # method name in the protocols; null: command line only
    "method": Optional[str],
    # name of the tool for models; null: only offered with all tools
    "tool": Optional[str],
    # what it does
    "summary": str,
    # permission that a caller needs: read, run
    "grant": str,
    # JSON schema
    "arguments": Dict[str, Any],
    # JSON schema
    "result": Dict[str, Any],
}, total=False)

# What schema gives.
SchemaResult = TypedDict("SchemaResult", {
    # version of the format
    "version": int,
    # every operation with the schemas of its arguments and result
    "operations": List["SchemaResultOperationsItem"],
}, total=False)
SCHEMA: Method[SchemaArgs, SchemaResult] = Method("schema")

# Show every setting that holds here, and where it comes from
ConfigExplainArgs = TypedDict("ConfigExplainArgs", {
    # only this setting
    "key": str,
}, total=False)

ConfigExplainResultValuesItem = TypedDict("ConfigExplainResultValuesItem", {
    # its name
    "key": str,
    # of a mapping: the name in it
    "name": Optional[str],
    # its value
    "value": Optional[str],
    # the option, variable or file that says so, or default
    "from": str,
    # the line of that file
    "line": Optional[int],
}, total=False)

# What config.explain gives.
ConfigExplainResult = TypedDict("ConfigExplainResult", {
    # the profile that a run gets here
    "profile": str,
    # who chose it
    "chosen_by": str,
    # the files that were read: its own, then those it extends; shipped:NAME for those that come with aisbx
    "files": List[Any],
    # each setting
    "values": List["ConfigExplainResultValuesItem"],
}, total=False)
CONFIG_EXPLAIN: Method[ConfigExplainArgs, ConfigExplainResult] = Method("config.explain")
