# SPDX-License-Identifier: Apache-2.0
"""The sandbox, for threads. Made by tools/sdk-sync from _async.py: change that, not this file."""
from __future__ import annotations

import base64
import secrets as secrets_module
import shlex
from dataclasses import replace
from typing import Any, Iterator, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union, cast, overload

from . import _types as t
from ._boot import BOOT
from ._code import Unmark, context_execution, execution
from ._data import Data
from ._mailbox import do, pause, spawn, take, tell
from .client import Call, Client, Event, client_for
from .errors import AisbxError, Busy, FileNotFound, NotFound, PolicyDenied, PromoteConflict, SandboxNotFound, ServerGone, StaleBase, UsageError
from .models import (CodeContext, CommandInfo, CommandResult, Diff, EntryInfo, Execution, FilesystemEvent, Logs, Metrics, Output, Promotion, SandboxInfo,
                     SnapshotInfo, command_result, diff, entry_info, filesystem_event, judge, metrics, promotion, sandbox_info, snapshot_info, time_of)

R = TypeVar("R")
T = TypeVar("T")
S = TypeVar("S", bound="Sandbox")
Handler = Callable[[str], Any]
EventHandler = Callable[[FilesystemEvent], Any]
Size = Union[str, int]

# What is kept of the output of a command whose output is told while it runs; as much as aisbx keeps of others.
KEPT = 4 << 20
# Of input in one message.
PIECE = 256 << 10
# Of a file from this size on the bytes do not go in a message.
BESIDE = 256 << 10
MOST_ENTRIES = 10000
# Of a terminal, unless somebody says what runs in it.
SHELL = ["/bin/sh", "-c", 'exec "$(command -v bash || echo /bin/sh)" -i']


def result_of(call: Call[R]) -> R:
    """Waits for the end of a call; who does not wait any longer cancels it."""
    try:
        while True:
            event = take(call.events)
            if event.kind == "done":
                return cast(R, _done(event))
    except BaseException:
        call.cancel()
        raise


def _done(event: Event) -> Any:
    if isinstance(event.value, AisbxError):
        raise event.value
    return event.value


def ask(client: Client, request: t.Request[R]) -> R:
    return result_of(client.start(request))


def _given(**args: Any) -> Dict[str, Any]:
    """Arguments as the operations name them, without those that were not given."""
    return {name.replace("_", "-"): value for name, value in args.items() if value is not None}


def _pairs(given: Optional[Mapping[str, str]]) -> Optional[List[str]]:
    return [f"{name}={value}" for name, value in given.items()] if given else None


def _feed(call: Call[Any], data: bytes, eof: bool) -> None:
    """Input for a call: all of it, as fast as it is taken; what comes of the call meanwhile is taken, too."""
    pieces = [data[at: at + PIECE] for at in range(0, len(data), PIECE)] or [b""]
    while pieces and not call.done:
        try:
            result_of(call.feed(pieces[0], eof and len(pieces) == 1))
            pieces.pop(0)
        except AisbxError as e:
            if call.done or e.errno == "EPIPE" and eof:  # it does not want to read it, as programs may
                return
            if e.errno != "ENOBUFS":
                raise
            pause(0.005)


def _give(client: Client, run: str, data: Union[str, bytes], close: bool = False, wait: bool = True) -> None:
    """Input for the command of a run that goes on by itself. Without WAIT what it does not read is its own affair."""
    if client.on_fleet:
        raise NotFound(f"no command {run} was started here and still runs")
    call = client.start(t.RUN_INPUT({"run": run, "close": True} if close else {"run": run}), stdin=True)
    _feed(call, data.encode() if isinstance(data, str) else data, True)
    if wait:
        result_of(call)


class CommandHandle:
    """A command that is running. Iterate over it for its output, from its beginning.

    Handlers are called while somebody waits for it or iterates.
    """

    def __init__(self, client: Client, call: Call[Any], what: str, check: bool, on_stdout: Optional[Handler], on_stderr: Optional[Handler],
                 run_id: str = "") -> None:
        """CALL runs the command; or it follows the output of RUN_ID, which goes on by itself."""
        self._client = client
        self._call = call
        self._what = what
        self._check = check
        self._handlers = {"stdout": on_stdout, "stderr": on_stderr}
        self._kept: Dict[str, List[str]] = {"stdout": [], "stderr": []}
        self._room = {"stdout": KEPT, "stderr": KEPT}
        self._cut = {"stdout": 0, "stderr": 0}
        self._end: Union[None, CommandResult, AisbxError] = None
        self._follows = run_id != ""
        self.run_id = run_id

    @property
    def pid(self) -> str:
        """The same as run_id, by the name that others have for it."""
        return self.run_id

    @property
    def stdout(self) -> str:
        """What it has written, as far as that was taken by `wait` or by iterating."""
        return "".join(self._kept["stdout"])

    @property
    def stderr(self) -> str:
        return "".join(self._kept["stderr"])

    def _begin(self) -> None:
        """Until the command has begun, or ended without."""
        while not self.run_id and not self._end:
            self._step(None)
        if isinstance(self._end, AisbxError):
            raise self._end

    def _step(self, timeout: Optional[float]) -> Optional[Output]:
        event = take(self._call.events, timeout)
        if event.kind == "begun":
            self.run_id = event.value
        elif event.kind in self._kept:
            return self._keep(Output(event.kind, event.value))
        elif event.kind == "done" and self._end is None:
            self._end = self._finish(event)
        return None

    def _keep(self, output: Output) -> Output:
        kept = output.text[: self._room[output.stream]]
        self._kept[output.stream].append(kept)
        self._room[output.stream] -= len(kept)
        self._cut[output.stream] += len(output.text[len(kept):].encode())
        handler = self._handlers[output.stream]
        if handler:
            tell(handler, output.text)
        return output

    def _finish(self, event: Event) -> Union[CommandResult, AisbxError]:
        raw = event.value
        if self._follows and not isinstance(raw, AisbxError):
            try:
                raw = ask(self._client, t.RUN_WAIT({"run": self.run_id}))
            except AisbxError as e:
                return e
        if isinstance(raw, AisbxError):
            return raw
        result = command_result(raw, self.stdout, self.stderr, self._cut)
        self.run_id = self.run_id or result.run_id
        return result

    def send_stdin(self, data: Union[str, bytes]) -> None:
        """Gives it input. It must have been started with stdin=True."""
        if self._follows:
            _give(self._client, self.run_id, data)
        else:
            _feed(self._call, data.encode() if isinstance(data, str) else data, False)

    def close_stdin(self) -> None:
        """The end of its input."""
        if self._follows:
            _give(self._client, self.run_id, b"", close=True)
        else:
            _feed(self._call, b"", True)

    def disconnect(self) -> None:
        """Nothing more comes here; the command goes on, and `commands.connect` finds it again. One that does not go on by itself ends."""
        self._call.cancel()

    def __iter__(self) -> Iterator[Output]:
        return self._outputs()

    def _outputs(self) -> Iterator[Output]:
        while self._end is None:
            output = self._step(None)
            if output:
                yield output

    def _collect(self) -> CommandResult:
        while self._end is None:
            self._step(None)
        if isinstance(self._end, AisbxError):
            raise self._end
        return self._end

    def wait(self, check: Optional[bool] = None) -> CommandResult:
        """Its end. Raises what `commands.run` would; it goes on when the one who waits is interrupted."""
        return judge(self._collect(), self._what, self._check if check is None else check)

    def kill(self, signal: Optional[str] = None) -> bool:
        """Ends it with all it started, and waits until it is gone; or, with SIGNAL, only passes that on. False: it had ended before."""
        if self._end is not None or (self._call.done and not self._follows):
            return False
        if signal is not None:
            return _kill(self._client, self.run_id, signal)
        if not self._follows:
            self._call.cancel()
        elif not _kill(self._client, self.run_id, None):
            return False
        try:
            self._collect()
        except AisbxError:  # that it was cancelled before it began
            pass
        return True


def _kill(client: Client, run: str, signal: Optional[str]) -> bool:
    """False: it does not run."""
    try:
        ask(client, t.RUN_KILL(cast(t.RunKillArgs, {"runs": [run], **_given(signal=signal)})))
        return True
    except NotFound:
        return False


class Commands:
    """Commands in a sandbox."""

    def __init__(self, sandbox: "Sandbox") -> None:
        self._sandbox = sandbox
        self._handles: Dict[str, CommandHandle] = {}

    @overload
    def run(self, cmd: Union[str, Sequence[str]], background: Literal[False] = False, *, envs: Optional[Mapping[str, str]] = None,
                  cwd: Optional[str] = None, on_stdout: Optional[Handler] = None, on_stderr: Optional[Handler] = None,
                  stdin: Union[None, bool, str, bytes] = None, timeout: Optional[float] = None, check: bool = False,
                  cpu: Optional[float] = None, cpu_time: Optional[float] = None, mem: Optional[Size] = None, disk: Optional[Size] = None,
                  inodes: Optional[int] = None, file_size: Optional[Size] = None, pids: Optional[int] = None, files: Optional[int] = None,
                  output: Optional[Size] = None, tty: bool = False, trace_id: Optional[str] = None) -> CommandResult: ...

    @overload
    def run(self, cmd: Union[str, Sequence[str]], background: Literal[True], *, envs: Optional[Mapping[str, str]] = None,
                  cwd: Optional[str] = None, on_stdout: Optional[Handler] = None, on_stderr: Optional[Handler] = None,
                  stdin: Union[None, bool, str, bytes] = None, timeout: Optional[float] = None, check: bool = False,
                  cpu: Optional[float] = None, cpu_time: Optional[float] = None, mem: Optional[Size] = None, disk: Optional[Size] = None,
                  inodes: Optional[int] = None, file_size: Optional[Size] = None, pids: Optional[int] = None, files: Optional[int] = None,
                  output: Optional[Size] = None, tty: bool = False, trace_id: Optional[str] = None) -> CommandHandle: ...

    def run(self, cmd: Union[str, Sequence[str]], background: bool = False, *, envs: Optional[Mapping[str, str]] = None,
                  cwd: Optional[str] = None, on_stdout: Optional[Handler] = None, on_stderr: Optional[Handler] = None,
                  stdin: Union[None, bool, str, bytes] = None, timeout: Optional[float] = None, check: bool = False,
                  cpu: Optional[float] = None, cpu_time: Optional[float] = None, mem: Optional[Size] = None, disk: Optional[Size] = None,
                  inodes: Optional[int] = None, file_size: Optional[Size] = None, pids: Optional[int] = None, files: Optional[int] = None,
                  output: Optional[Size] = None, tty: bool = False, trace_id: Optional[str] = None) -> Union[CommandResult, CommandHandle]:
        """Runs a command: a text for the shell, or words for the program itself.

        The result tells how it ended, also when that was not with 0; check=True raises CommandExit then. Raises StartFailed when it could
        not be started, Timeout and LimitExceeded when a limit ended it. stdin: the command's input; True: what `send_stdin` gives, until
        `close_stdin`. timeout: end it after so many seconds. background: a handle as soon as it has begun; the command goes on when this
        program ends, and `connect` finds it again. (Over a fleet it ends with this program.)
        """
        words = ["/bin/sh", "-c", cmd] if isinstance(cmd, str) else list(cmd)
        what = cmd if isinstance(cmd, str) else shlex.join(words)
        args = self._sandbox._arguments(words, envs, _given(
            cwd=cwd, timeout=timeout, cpu=cpu, cpu_time=cpu_time, mem=mem, disk=disk, inodes=inodes, file_size=file_size, pids=pids,
            files=files, output=output, tty=tty or None))
        if not background and not on_stdout and not on_stderr and stdin in (None, False):
            call = self._sandbox._client.start(t.RUN_EXEC(args), trace_id=trace_id)
            return judge(command_result(self._sandbox._found(call)), what, check)
        if background and not self._sandbox._client.on_fleet:
            return self._detach(args, what, check, on_stdout, on_stderr, stdin, trace_id)
        handle = self._start(args, what, check, on_stdout, on_stderr, stdin, trace_id)
        if background:
            return handle
        try:
            return handle.wait()
        except BaseException:
            handle._call.cancel()
            raise

    def _start(self, args: t.RunExecArgs, what: str, check: bool, on_stdout: Optional[Handler], on_stderr: Optional[Handler],
                     stdin: Union[None, bool, str, bytes], trace_id: Optional[str]) -> CommandHandle:
        client = self._sandbox._client
        call = client.start(t.RUN_EXEC(args), stream=True, stdin=stdin not in (None, False), trace_id=trace_id)
        handle = CommandHandle(client, call, what, check, on_stdout, on_stderr)
        try:
            handle._begin()
            if isinstance(handle._end, CommandResult):
                judge(handle._end, what, False)
            if isinstance(stdin, (str, bytes)):
                _feed(call, stdin.encode() if isinstance(stdin, str) else stdin, True)
        except NotFound as e:
            raise self._sandbox._explain(e)
        except BaseException:
            call.cancel()
            raise
        self._handles = {run: h for run, h in self._handles.items() if not h._call.done}
        self._handles[handle.run_id] = handle
        return handle

    def _detach(self, args: t.RunExecArgs, what: str, check: bool, on_stdout: Optional[Handler], on_stderr: Optional[Handler],
                      stdin: Union[None, bool, str, bytes], trace_id: Optional[str]) -> CommandHandle:
        run, begun = self._launch(cast(t.RunExecArgs, {**args, **_given(interactive=True if stdin not in (None, False) else None)}),
                                        trace_id)
        handle = self._follow(run, what, check, on_stdout, on_stderr)
        if not begun:  # mostly it could not be started
            judge(handle._collect(), what, False)
        if isinstance(stdin, (str, bytes)):
            _give(self._sandbox._client, run, stdin, close=True, wait=False)
        return handle

    def _launch(self, args: t.RunExecArgs, trace_id: Optional[str]) -> Tuple[str, bool]:
        """Starts a run that goes on by itself. Its id, and whether its command has begun."""
        call = self._sandbox._client.start(t.RUN_EXEC(cast(t.RunExecArgs, {**args, "detach": True})), trace_id=trace_id)
        begun = False
        try:
            while True:
                event = take(call.events)
                begun = begun or event.kind == "begun"
                if event.kind == "done":
                    return cast(str, _done(event)["run"]), begun
        except NotFound as e:
            raise self._sandbox._explain(e)
        except BaseException:
            call.cancel()
            raise

    def _follow(self, run: str, what: str, check: bool, on_stdout: Optional[Handler], on_stderr: Optional[Handler]) -> CommandHandle:
        client = self._sandbox._client
        call = client.start(t.RUN_LOGS({"run": run, "follow": True}), stream=True)
        return CommandHandle(client, call, what, check, on_stdout, on_stderr, run)

    def _find(self, pid: str) -> Tuple[str, str]:
        """The id of a command of this sandbox, and what it is; also of one that has ended."""
        for run in (ask(self._sandbox._client, t.RUN_LS({})))["runs"]:
            if pid in (run["run"], run.get("name")) and run.get("box") == self._sandbox.sandbox_id:
                return run["run"], run.get("command") or pid
        for past in (ask(self._sandbox._client, t.RUN_HISTORY({"run": pid})))["runs"]:
            if past["run"] == pid and past.get("box") == self._sandbox.sandbox_id:
                return pid, past.get("command") or pid
        raise NotFound(f"there is no command '{pid}' in sandbox {self._sandbox.name}")

    def connect(self, pid: str, *, on_stdout: Optional[Handler] = None, on_stderr: Optional[Handler] = None,
                      check: bool = False) -> CommandHandle:
        """A background command that somebody started, by its id, with its output from the beginning; also one that has ended meanwhile."""
        run, what = self._find(pid)
        return self._follow(run, what, check, on_stdout, on_stderr)

    def list(self) -> List[CommandInfo]:
        """Those that run in the sandbox now, whoever started them."""
        runs = (ask(self._sandbox._client, t.RUN_LS({})))["runs"]
        return [CommandInfo(run["run"], run.get("command"), run["state"], time_of(run["started_ms"]) if run.get("started_ms") else None,
                            run["wall_ms"]) for run in runs if run.get("box") == self._sandbox.sandbox_id]

    def kill(self, pid: str) -> bool:
        """Ends a command with all it started. False: it does not run."""
        return _kill(self._sandbox._client, pid, None)

    def send_stdin(self, pid: str, data: Union[str, bytes]) -> None:
        """Gives input to a background command that was started with stdin=True, by whomever."""
        handle = self._handles.get(pid)
        if handle and not handle._call.done:
            handle.send_stdin(data)
        else:
            _give(self._sandbox._client, pid, data)

    def close_stdin(self, pid: str) -> None:
        """The end of its input."""
        handle = self._handles.get(pid)
        if handle and not handle._call.done:
            handle.close_stdin()
        else:
            _give(self._sandbox._client, pid, b"", close=True)


class PtyHandle(CommandHandle):
    """A terminal with what runs in it. Iterate over it for what it shows, from the beginning; `stdout` is what was taken of that."""

    def send_input(self, data: Union[str, bytes]) -> None:
        """What is typed: "ls\\n", or "\\x03" for Ctrl-C."""
        self.send_stdin(data)

    def resize(self, rows: int, cols: int) -> None:
        ask(self._client, t.RUN_RESIZE({"run": self.run_id, "rows": rows, "cols": cols}))


class Pty:
    """Terminals in a sandbox. They go on when this program ends."""

    def __init__(self, sandbox: "Sandbox") -> None:
        self._sandbox = sandbox

    def create(self, rows: int = 24, cols: int = 80, cmd: Union[None, str, Sequence[str]] = None, *,
                     on_data: Optional[Handler] = None, envs: Optional[Mapping[str, str]] = None, cwd: Optional[str] = None,
                     timeout: float = 0, trace_id: Optional[str] = None) -> PtyHandle:
        """A terminal of that size with CMD in it: a text for the shell, words for the program itself, or None: a shell.

        timeout: end it after so many seconds; 0: never. on_data receives what the terminal shows, while somebody waits or iterates.
        """
        words = SHELL if cmd is None else ["/bin/sh", "-c", cmd] if isinstance(cmd, str) else list(cmd)
        what = "a shell" if cmd is None else cmd if isinstance(cmd, str) else shlex.join(words)
        args = self._sandbox._arguments(words, {"TERM": "xterm-256color", **(envs or {})}, _given(cwd=cwd, timeout=timeout, tty=True, rows=rows,
                                                                                                  cols=cols))
        run, begun = self._sandbox.commands._launch(args, trace_id)
        handle = self._follow(run, what, on_data)
        if not begun:
            judge(handle._collect(), what, False)
        return handle

    def _follow(self, run: str, what: str, on_data: Optional[Handler]) -> PtyHandle:
        client = self._sandbox._client
        return PtyHandle(client, client.start(t.RUN_LOGS({"run": run, "follow": True}), stream=True), what, False, on_data, None, run)

    def connect(self, pid: str, *, on_data: Optional[Handler] = None) -> PtyHandle:
        """A terminal that somebody made, with what it has shown from the beginning."""
        run, what = self._sandbox.commands._find(pid)
        return self._follow(run, what, on_data)

    def send_input(self, pid: str, data: Union[str, bytes]) -> None:
        _give(self._sandbox._client, pid, data)

    def resize(self, pid: str, rows: int, cols: int) -> None:
        ask(self._sandbox._client, t.RUN_RESIZE({"run": pid, "rows": rows, "cols": cols}))

    def kill(self, pid: str) -> bool:
        """Ends it with all that runs in it. False: it is gone."""
        return _kill(self._sandbox._client, pid, None)


class WatchHandle:
    """What happens in a directory, from when it was made. Iterate over it, or ask for what is new, unless a handler gets it; then `stop` it."""

    def __init__(self, call: Call[Any]) -> None:
        self._call = call
        self._failed: Optional[BaseException] = None

    def _deliver(self, handler: EventHandler) -> None:
        try:
            for event in self._events():
                tell(handler, event)
        except Exception as e:  # of the handler, or that the connection is gone: `stop` tells
            self._failed = e
            self._call.cancel()

    def _begin(self) -> None:
        """Until it watches."""
        while True:
            event = take(self._call.events)
            if event.kind == "done":
                _done(event)
            if event.kind == "done" or event.value["type"] == "ready":
                return

    def get_new_events(self) -> List[FilesystemEvent]:
        """What has happened since one asked last; does not wait."""
        found: List[FilesystemEvent] = []
        while True:
            event = self._call.events.poll()
            if event is None or event.kind == "done":
                if event and isinstance(event.value, AisbxError) and event.value.code != "cancelled":
                    raise event.value
                return found
            if event.kind == "item":
                found.append(filesystem_event(event.value))

    def __iter__(self) -> Iterator[FilesystemEvent]:
        return self._events()

    def _events(self) -> Iterator[FilesystemEvent]:
        while True:
            event = take(self._call.events)
            if event.kind == "done":
                if isinstance(event.value, AisbxError) and event.value.code != "cancelled":
                    raise event.value
                return
            if event.kind == "item":
                yield filesystem_event(event.value)

    def stop(self) -> None:
        """Nothing more comes. Raises what a handler raised; that has ended it before."""
        self._call.cancel()
        try:
            result_of(self._call)
        except AisbxError:  # that it was cancelled
            pass
        if self._failed:
            failed, self._failed = self._failed, None
            raise failed


class Files:
    """Files of a sandbox. Paths are absolute, or below the project."""

    def __init__(self, sandbox: "Sandbox") -> None:
        self._sandbox = sandbox

    def _ask(self, request: t.Request[R]) -> R:
        call: Call[R] = do(lambda: self._sandbox._client.start(request))  # a large file takes a moment to send
        return self._told(call)

    def _told(self, call: Call[R]) -> R:
        try:
            return self._sandbox._found(call)
        except SandboxNotFound:
            raise
        except NotFound as e:
            raise FileNotFound(e.message, code=e.code, area=e.area, errno=e.errno) from None

    @overload
    def read(self, path: str, format: Literal["text"] = "text") -> str: ...

    @overload
    def read(self, path: str, format: Literal["bytes"]) -> bytes: ...

    def read(self, path: str, format: Literal["text", "bytes"] = "text") -> Union[str, bytes]:
        """The whole file."""
        whole = self._read_beside(path)
        if whole is None:
            whole = self._read_in_pieces(path)
        if format == "bytes":
            return whole
        try:
            return whole.decode()
        except UnicodeDecodeError:
            raise UsageError(f"{path} is no text in UTF-8; read it with format='bytes'") from None

    def _beside(self, request: t.Request[R], data: Data, work: Callable[[], T]) -> Tuple[R, T]:
        """A call whose bytes go over DATA, which WORK takes or gives."""
        client = self._sandbox._client
        call: Call[R] = client.start(request, data=data)
        try:
            moved = do(work)
            return self._told(call), moved
        except BaseException:
            call.cancel()
            data.shut()
            raise

    def _read_beside(self, path: str) -> Optional[bytes]:
        data = do(self._sandbox._client.open_data)
        if data is None:
            return None
        with data:
            got, whole = self._beside(t.FILE_READ({"box": self._sandbox.sandbox_id, "path": path, "raw": True}), data, data.receive)
        if len(whole) != got["sent"]:
            raise ServerGone(f"{len(whole)} of {got['sent']} bytes of {path} have come")
        return whole

    def _read_in_pieces(self, path: str) -> bytes:
        pieces: List[bytes] = []
        most = self._sandbox._client.file_piece
        offset: Optional[int] = 0
        while offset is not None:
            got = self._ask(t.FILE_READ({"box": self._sandbox.sandbox_id, "path": path, "encoding": "base64", "offset": offset,
                                                "limit": most}))
            pieces.append(base64.b64decode(got["content"]))
            offset = got["next_offset"]
        return b"".join(pieces)

    def write(self, path: str, data: Union[str, bytes], *, append: bool = False, mode: Optional[str] = None,
                    if_sha256: Optional[str] = None) -> EntryInfo:
        """Writes a file; directories that are missing are made. if_sha256: only if that is what it holds, else StaleBase; or "absent"."""
        whole = data.encode() if isinstance(data, str) else bytes(data)
        given = _given(append=append or None, mode=mode)
        if if_sha256 is not None:
            given["if"] = if_sha256
        beside = do(self._sandbox._client.open_data) if len(whole) > BESIDE else None
        if beside is None:
            return self._write_in_pieces(path, whole, given)
        args = {"box": self._sandbox.sandbox_id, "path": path, "size": len(whole), **given}
        with beside as there:
            return entry_info((self._beside(t.FILE_WRITE(cast(t.FileWriteArgs, args)), there, lambda: there.send(whole)))[0])

    def _write_in_pieces(self, path: str, whole: bytes, given: Mapping[str, Any]) -> EntryInfo:
        most = self._sandbox._client.file_piece
        at = 0
        while True:
            piece = base64.b64encode(whole[at: at + most]).decode()
            args = {"box": self._sandbox.sandbox_id, "path": path, "content": piece, "encoding": "base64", **(given if not at else {"append": True})}
            got = self._ask(t.FILE_WRITE(cast(t.FileWriteArgs, args)))
            at += most
            if at >= len(whole):
                return entry_info(got)

    def write_files(self, files: Sequence[Mapping[str, Union[str, bytes]]]) -> List[EntryInfo]:
        """Several, each {"path": ..., "data": ...}."""
        return [self.write(cast(str, one["path"]), one["data"]) for one in files]

    def edit(self, path: str, replace: str, with_: str) -> EntryInfo:
        """Changes a text, which the file must have exactly once, into another."""
        args = {"box": self._sandbox.sandbox_id, "path": path, "replace": replace, "with": with_}
        return entry_info(self._ask(t.FILE_WRITE(cast(t.FileWriteArgs, args))))

    def list(self, path: str = ".", depth: int = 1, pattern: Optional[str] = None) -> List[EntryInfo]:
        """What is in a directory, by name; links are not followed."""
        args = {"box": self._sandbox.sandbox_id, "path": path, "depth": depth, "limit": MOST_ENTRIES, **_given(pattern=pattern)}
        got = self._ask(t.FILE_LS(cast(t.FileLsArgs, args)))
        return [entry_info(entry, got["path"]) for entry in got["entries"]]

    def exists(self, path: str) -> bool:
        try:
            self.get_info(path)
            return True
        except FileNotFound:
            return False

    def get_info(self, path: str) -> EntryInfo:
        return entry_info(self._ask(t.FILE_STAT({"box": self._sandbox.sandbox_id, "path": path})))

    def remove(self, path: str) -> None:
        """A file, or a directory with all that is in it."""
        self._ask(t.FILE_RM({"box": self._sandbox.sandbox_id, "path": path, "recursive": True}))

    def rename(self, old_path: str, new_path: str, *, overwrite: bool = False) -> EntryInfo:
        args = {"box": self._sandbox.sandbox_id, "path": old_path, "to": new_path, **_given(force=overwrite or None)}
        return self.get_info((self._ask(t.FILE_MV(cast(t.FileMvArgs, args))))["path"])

    def make_dir(self, path: str) -> bool:
        """With those above it. False: it was there."""
        return (self._ask(t.FILE_MKDIR({"box": self._sandbox.sandbox_id, "path": path})))["created"]

    def watch_dir(self, path: str = ".", recursive: bool = False, *, on_event: Optional[EventHandler] = None) -> WatchHandle:
        """Tells what happens in a directory from now on. on_event receives each event, beside what the caller does; else they wait for it."""
        args = {"box": self._sandbox.sandbox_id, "path": path, **_given(recursive=recursive or None)}
        call = self._sandbox._client.start(t.FILE_WATCH(cast(t.FileWatchArgs, args)))
        handle = WatchHandle(call)
        try:
            handle._begin()
        except SandboxNotFound:
            raise
        except NotFound as e:
            found = self._sandbox._explain(e)
            raise found if isinstance(found, SandboxNotFound) else FileNotFound(e.message, code=e.code, area=e.area, errno=e.errno)
        if on_event:
            deliver = on_event
            spawn(lambda: handle._deliver(deliver))
        return handle


class Sandbox:
    """A clone of this machine that keeps what is changed in it, until it is killed or its changes are promoted."""

    def __init__(self, info: SandboxInfo, client: Client, envs: Optional[Mapping[str, str]]) -> None:
        """Use `create` or `connect`."""
        self._client = client
        self._envs = dict(envs or {})
        self.sandbox_id = info.sandbox_id
        self.name = info.name
        self.project = info.project
        self.node = info.node
        self.metadata = dict(info.metadata)
        self.commands = Commands(self)
        self.pty = Pty(self)
        self.files = Files(self)

    @property
    def id(self) -> str:
        return self.sandbox_id

    @property
    def address(self) -> str:
        """What `connect` finds it by from elsewhere, too: over a fleet with its node."""
        return self.sandbox_id if self.node is None else f"node={self.node}/{self.sandbox_id}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self.address}>"

    # ---- making and finding ----

    @classmethod
    def create(cls: Type[S], profile: Optional[str] = None, project: Optional[str] = None, name: Optional[str] = None,
                     timeout: Optional[float] = None, envs: Optional[Mapping[str, str]] = None, metadata: Optional[Mapping[str, str]] = None, *,
                     secrets: Optional[Mapping[str, str]] = None, autosnap: bool = False, pin: bool = False, client: Optional[Client] = None,
                     fleet: Optional[str] = None, fleet_or_local: bool = False) -> S:
        """Makes one.

        profile: what it may do, a name that `aisbx profile ls` shows or a file. project: directory that can be written in it; default: the
        current one. timeout: seconds of its life. envs: variables that every command in it gets, whoever runs it. metadata: what the caller
        notes of it; `list` finds it by that. secrets: name to source, such as {"TOKEN": "env:TOKEN"}. autosnap: a snapshot after each command
        that changed something. pin: it keeps the project as it is now, whatever is done to that outside. fleet: on a node of a fleet with
        these labels, "zone=a" or "any"; it stays there. fleet_or_local: on this machine if no hub answers.
        """
        used = client_for(client, fleet, fleet_or_local)
        args = _given(profile=profile, project=project, name=name, ttl=timeout, autosnap=autosnap or None, pin=pin or None,
                      secret=_pairs(secrets), env=_pairs(envs), metadata=_pairs(metadata))
        made = sandbox_info(ask(used, t.BOX_CREATE(cast(t.BoxCreateArgs, args))))
        return cls(replace(made, metadata=dict(metadata or {})), used, None)

    @classmethod
    def connect(cls: Type[S], name: str, *, envs: Optional[Mapping[str, str]] = None, client: Optional[Client] = None,
                      fleet: Optional[str] = None, fleet_or_local: bool = False) -> S:
        """One that is there already, by its name or id; over a fleet also by its `address`, "node=NAME/ID".

        envs: variables of commands run through this object, beside those that the sandbox keeps.
        """
        used = client_for(client, fleet, fleet_or_local)
        try:
            return cls(sandbox_info(ask(used, t.BOX_SHOW({"box": name, "drift": "off"}))), used, envs)
        except NotFound as e:
            raise SandboxNotFound(e.message, code=e.code, area=e.area, errno=e.errno) from None

    @staticmethod
    def list(*, metadata: Optional[Mapping[str, str]] = None, client: Optional[Client] = None, fleet: Optional[str] = None,
                   fleet_or_local: bool = False) -> List[SandboxInfo]:
        """Every sandbox there is, oldest first; over a fleet those of all nodes that have one which was made from here.

        metadata: only those of which all of this was noted.
        """
        args = cast(t.BoxLsArgs, _given(metadata=_pairs(metadata)))
        return [sandbox_info(box) for box in (ask(client_for(client, fleet, fleet_or_local), t.BOX_LS(args)))["boxes"]]

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> bool:
        """Ends what runs in it and removes it with everything in it. False: it was gone before."""
        for attempt in range(40):
            try:
                ask(self._client, t.BOX_RM({"boxes": [self.sandbox_id], "kill": True}))
                return True
            except NotFound as e:
                if isinstance(self._explain(e), SandboxNotFound):
                    return False
            except Busy:  # a command is still on its way out, or somebody started one more
                if attempt == 39:
                    raise
                pause(0.01 * attempt)
        return False

    # ---- asking about it ----

    def _explain(self, e: NotFound) -> NotFound:
        """What is not there: the sandbox itself, or something else."""
        try:
            ask(self._client, t.BOX_SHOW({"box": self.sandbox_id, "drift": "off"}))
        except NotFound as gone:
            return SandboxNotFound(gone.message, code=gone.code, area=gone.area, errno=gone.errno)
        return e

    def _found(self, call: Call[R]) -> R:
        try:
            return result_of(call)
        except NotFound as e:
            raise self._explain(e) from None

    def _ask(self, request: t.Request[R]) -> R:
        return self._found(self._client.start(request))

    def _arguments(self, words: List[str], envs: Optional[Mapping[str, str]], given: Mapping[str, Any]) -> t.RunExecArgs:
        env = [f"{name}={value}" for name, value in {**self._envs, **(envs or {})}.items()]
        return cast(t.RunExecArgs, {"box": self.sandbox_id, **({"env": env} if env else {}), **given, "command": words})

    def is_running(self) -> bool:
        """It is there: a command can be run in it."""
        try:
            self.get_info()
            return True
        except SandboxNotFound:
            return False

    def get_info(self) -> SandboxInfo:
        return sandbox_info(self._ask(t.BOX_SHOW({"box": self.sandbox_id, "drift": "off"})))

    def get_metrics(self) -> Metrics:
        """What its commands take at the moment; zeros when none runs."""
        runs = [run.run_id for run in self.commands.list()]
        return metrics(ask(self._client, t.RUN_STATS({"runs": runs})) if runs else {})

    def get_host(self, port: int) -> str:
        """Where programs of this machine reach a port of it: "127.0.0.1:40123". The first call publishes the port; something must run in it."""
        ports = (self._ask(t.BOX_PORTS({"box": self.sandbox_id, "publish": [f"0:{port}"]})))["ports"]
        return next(entry["address"] for entry in ports if entry["port"] == port)

    def set_timeout(self, timeout: float) -> None:
        """From now on it lives so many seconds; 0: until it is killed. Commands that run keep the end they have."""
        self._ask(t.BOX_RENEW({"box": self.sandbox_id, "ttl": timeout}))

    def _for_all(self, method: t.Method[Any, Any]) -> bool:
        runs = [run.run_id for run in self.commands.list()]
        if runs:
            ask(self._client, method({"runs": runs}))
        return bool(runs)

    def pause(self) -> bool:
        """Stops everything that runs in it, where it is. False: nothing runs."""
        return self._for_all(t.RUN_PAUSE)

    def resume(self) -> bool:
        return self._for_all(t.RUN_RESUME)

    # ---- branching ----

    def _point(self, snapshot: Union[None, str, SnapshotInfo]) -> str:
        if snapshot is None:
            return self.sandbox_id
        return f"{self.sandbox_id}@{snapshot if isinstance(snapshot, str) else snapshot.id}"

    def fork(self: S, count: int = 1, *, name: Optional[str] = None, snapshot: Union[None, str, SnapshotInfo] = None,
                   timeout: Optional[float] = None) -> List[S]:
        """COUNT new ones that start from what this one is now, or was at SNAPSHOT."""
        args = {"from": self._point(snapshot), "count": count, **_given(name=name, ttl=timeout)}
        boxes = (self._ask(t.BOX_FORK(cast(t.BoxForkArgs, args))))["boxes"]
        return [type(self)(replace(sandbox_info(box), metadata=self.metadata), self._client, self._envs) for box in boxes]

    def experiment(self, branches: Sequence[str], *, test: Optional[str] = None, mode: Optional[Literal["first", "best", "all"]] = None,
                         repeat: Optional[int] = None, timeout: Optional[float] = None) -> t.ExperimentTryResult:
        """Tries shell commands at once, each in a fork of this one. The winner by TEST stays, in the sandbox that "box" of the result names."""
        args = {"box": self.sandbox_id, "branches": list(branches), **_given(test=test, mode=mode, repeat=repeat, timeout=timeout)}
        return self._ask(t.EXPERIMENT_TRY(cast(t.ExperimentTryArgs, args)))

    def snapshot(self, name: Optional[str] = None, *, pin: bool = False) -> SnapshotInfo:
        """Keeps what it is now, to go back to. pin: from here on it keeps the real project as it is now, too."""
        return snapshot_info(self._ask(t.BOX_SNAP(cast(t.BoxSnapArgs, {"box": self.sandbox_id, **_given(name=name, pin=pin or None)}))))

    create_snapshot = snapshot

    def list_snapshots(self) -> List[SnapshotInfo]:
        return [snapshot_info(s) for s in (self._ask(t.BOX_SHOW({"box": self.sandbox_id, "drift": "off"})))["snapshot_list"]]

    def rollback(self, snapshot: Union[str, SnapshotInfo]) -> None:
        """Makes it what it was at a snapshot."""
        key = snapshot if isinstance(snapshot, str) else snapshot.id
        self._ask(t.BOX_ROLLBACK({"box": self.sandbox_id, "snapshot": key}))

    def diff(self, other: Union[None, str, "Sandbox"] = None, *, snapshot: Union[None, str, SnapshotInfo] = None, patch: bool = False,
                   stat: bool = False) -> Diff:
        """What is different from the real project; or, with OTHER, from this one (at SNAPSHOT) to that one."""
        to = other.sandbox_id if isinstance(other, Sandbox) else other
        args = {"box": self._point(snapshot), **_given(other=to, patch=patch or None, stat=stat or None)}
        return diff(self._ask(t.BOX_DIFF(cast(t.BoxDiffArgs, args))))

    def stale(self, check: bool = False) -> List[Optional[str]]:
        """What was changed in the real project since it was made; with CHECK that is a StaleBase error."""
        paths = [s.get("path") for s in (self._ask(t.BOX_SHOW({"box": self.sandbox_id, "stale": True}))).get("stale") or []]
        if check and paths:
            raise StaleBase(f"{len(paths)} paths below {self.project} have changed since {self.name} was made", paths=paths)
        return paths

    def promote(self, paths: Optional[Sequence[str]] = None, *, to: Optional[str] = None, artifact: Optional[str] = None,
                      dry_run: bool = False, yes: bool = False, conflict: Literal["stop", "keep", "overwrite", "both", "mark"] = "stop",
                      allow_secrets: Optional[Sequence[str]] = None) -> Promotion:
        """Brings its changes into the real project, all or none.

        Raises PromoteConflict when that would overwrite what was changed there meanwhile, and PolicyDenied when a change would run code
        later (yes=True goes on) or holds a secret; nothing is changed then.
        """
        args = {"box": self.sandbox_id, "conflict": conflict, **_given(
            paths=list(paths) if paths else None, to=to, artifact=artifact, dry_run=dry_run or None, yes=yes or None,
            allow_secret=list(allow_secrets) if allow_secrets else None)}
        found = promotion(self._ask(t.PROMOTE(cast(t.PromoteArgs, args))))
        if not found.applied and not dry_run:
            _refuse(found, yes)
        return found

    def undo(self, promotion: Union[None, str, Promotion] = None) -> None:
        """Takes a promotion back; default: the newest of this sandbox. PromoteConflict: what it changed was changed again since."""
        key = promotion.id if isinstance(promotion, Promotion) else promotion
        done = ask(self._client, t.UNDO(cast(t.UndoArgs, _given(promotion=key, box=None if key else self.sandbox_id))))
        if not done["undone"]:
            raise PromoteConflict(f"{len(done['conflicts'])} paths were changed since, such as {done['conflicts'][0].get('path')}")

    # ---- programs ----

    def run_code(self, code: str, language: str = "python", *, envs: Optional[Mapping[str, str]] = None, cwd: Optional[str] = None,
                       on_stdout: Optional[Handler] = None, on_stderr: Optional[Handler] = None, timeout: Optional[float] = None,
                       policy: Optional[str] = None, context: Union[None, str, CodeContext] = None) -> Execution:
        """Runs a program given as text, in python, javascript or shell; python in the project's .venv, if there is one.

        Without a context each runs by itself: variables do not stay, files do. With one it runs in that interpreter, which is started if it
        is not there, and its output comes when it has ended. results: the value of its last expression, and charts. policy: scan it first
        by these rules ("default": those built in); PolicyDenied when they refuse it.
        """
        if context is not None:
            if cwd is not None:
                raise UsageError("a program in a context starts where the one before left off; leave out cwd")
            done = self._in_context(context, code, language, envs, timeout, policy)
            for texts, handler in ((done.logs.stdout, on_stdout), (done.logs.stderr, on_stderr)):
                for text in texts:
                    if handler:
                        tell(handler, text)
            return done
        if language not in BOOT:
            raise UsageError(f"no language '{language}'; there are {', '.join(BOOT)}")
        if policy is not None:
            self._scan(code, language, policy)
        before, program, behind = BOOT[language]
        mark = "aisbx-" + secrets_module.token_hex(8)
        seen = Unmark(mark)
        logs = Logs([], [])

        def out(text: str) -> None:
            logs.stdout.append(text)
            if on_stdout:
                tell(on_stdout, text)

        def err(text: str) -> None:
            clean = seen.add(text)
            if clean:
                logs.stderr.append(clean)
                if on_stderr:
                    tell(on_stderr, clean)

        ended = self.commands.run([*before, program, *behind, mark], envs=envs, cwd=cwd, on_stdout=out, on_stderr=err, stdin=code,
                                        timeout=timeout)
        rest = seen.rest()
        if rest:
            logs.stderr.append(rest)
        return execution(ended, logs, seen.said)

    def create_code_context(self, language: str = "python", *, name: Optional[str] = None,
                                  envs: Optional[Mapping[str, str]] = None) -> CodeContext:
        """Starts an interpreter that stays; programs of `run_code` with this context find what earlier ones of it left."""
        context = CodeContext(name or "c-" + secrets_module.token_hex(6), language)
        self._in_context(context, "", language, {**self._envs, **(envs or {})}, None, None)
        return context

    def list_code_contexts(self) -> List[CodeContext]:
        found = self._ask(t.CODE_CONTEXTS({"box": self.sandbox_id}))
        return [CodeContext(c["context"], c["language"]) for c in found["contexts"]]

    def remove_code_context(self, context: Union[str, CodeContext]) -> bool:
        """Ends the interpreter, whatever it does; a name alone: of every language. False: it was not there."""
        args = {"box": self.sandbox_id, "end": context} if isinstance(context, str) else {
            "box": self.sandbox_id, "end": context.id, "lang": context.language}
        return (self._ask(t.CODE_CONTEXTS(cast(t.CodeContextsArgs, args))))["ended"] > 0

    def _in_context(self, context: Union[str, CodeContext], code: str, language: str, envs: Optional[Mapping[str, str]],
                          timeout: Optional[float], policy: Optional[str]) -> Execution:
        name, lang = (context, language) if isinstance(context, str) else (context.id, context.language)
        if lang not in BOOT:
            raise UsageError(f"no language '{lang}'; there are {', '.join(BOOT)}")
        args = {"box": self.sandbox_id, "context": name, "lang": lang, "code": code, **_given(
            policy=policy if policy or self._client.on_fleet else "none", timeout=timeout,
            env=[f"{key}={value}" for key, value in envs.items()] if envs else None)}
        return context_execution(self._ask(t.RUN_CODE(cast(t.RunCodeArgs, args))), f"the {lang} program")

    def _scan(self, code: str, language: str, policy: str) -> None:
        args: t.CodeScanArgs = {"files": ["-"], "lang": cast(Any, language), "policy": policy}
        call = self._client.start(t.CODE_SCAN(args), stdin=True)
        try:
            for at in range(0, len(code), PIECE):
                result_of(call.feed(code[at: at + PIECE].encode(), False))
            result_of(call.feed(b"", True))
        except AisbxError:
            if not call.done:  # else its own answer tells why it does not read
                raise
        found = result_of(call)
        if found["action"] in ("refuse", "ask"):
            worst = next((f["why"] for f in found["findings"] if f["severity"] == found["risk"]), "see the findings of `aisbx scan`")
            raise PolicyDenied(f"policy '{policy}' finds the program of {found['risk']} risk: {worst}")


def _refuse(found: Promotion, yes: bool) -> None:
    """Why a promotion changed nothing, unless there was nothing to change."""
    secrets = [s for s in found.raw.get("secrets") or [] if not s.get("allowed")]
    traps = found.raw.get("traps") or []
    if secrets:
        raise PolicyDenied(f"the secret {secrets[0]['name']} is in {secrets[0].get('path')}; allow_secrets lets it pass")
    if found.conflicts:
        first = found.conflicts[0]
        raise PromoteConflict(f"{len(found.conflicts)} conflicts, the first: {first.path}: {first.reason}", conflicts=found.conflicts)
    if traps and not yes:
        raise PolicyDenied(f"{traps[0].get('path')}: {traps[0]['why']}; yes=True goes on in spite of it")
