# SPDX-License-Identifier: Apache-2.0
"""The connection to aisbx: one process `aisbx rpc`, or a Unix socket of one; many calls at once, from any thread."""
from __future__ import annotations

import atexit
import base64
import itertools
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from typing import IO, Any, BinaryIO, Dict, Generic, List, Mapping, NamedTuple, Optional, Tuple, TypeVar, cast

from ._data import Data, open_data
from ._mailbox import Mailbox, take
from ._patience import patience, pause_of
from ._types import Request
from .errors import AisbxError, Cancelled, ServerGone, UsageError, from_wire

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


# So much of what a command writes waits here for who reads it; then the command waits.
UNREAD = 64 << 20
# Of a file in one message; over a fleet every message is a job.
FILE_PIECE = 4 << 20
FLEET_FILE_PIECE = 192 << 10


class Event(NamedTuple):
    """What comes for a call. kind: begun, stdout, stderr, item or done; value: run id, text, item, or result or exception."""

    kind: str
    value: Any


def _size(event: Event) -> int:
    return len(event.value) if isinstance(event.value, str) else 1


class Call(Generic[T_co]):
    """A call under way."""

    def __init__(self, client: "Client", number: int) -> None:
        self._client = client
        self.id = number
        self.events: Mailbox[Event] = Mailbox(UNREAD, _size, self._hold)
        self._message: Mapping[str, Any] = {}
        self._until = 0.0  # so long it is tried again when there is no room for it
        self._again: Optional[threading.Timer] = None  # it waits to be
        self._cancelled = False

    @property
    def done(self) -> bool:
        return self.events.closed

    def _tell(self, method: str, **params: Any) -> None:
        if not self.done:
            try:
                self._client._send({"jsonrpc": "2.0", "method": method, "params": {"id": self.id, **params}})
            except ServerGone:  # then it has ended
                pass

    def _hold(self, wait: bool) -> None:
        self._tell("rpc.hold", hold=wait)

    def cancel(self) -> None:
        """Ends it; its answer still comes."""
        self._cancelled = True
        again, self._again = self._again, None
        if again:
            again.cancel()
            self._client._calls.pop(self.id, None)
            self.events.close(Event("done", Cancelled("the call was cancelled before there was room for it")))
        self._tell("rpc.cancel")

    def _retry(self, pause: float) -> bool:
        """The server has no room for it now. False: it cannot wait so long."""
        if self._cancelled or time.monotonic() + pause > self._until:
            return False
        self._again = threading.Timer(pause, self._send_again)
        self._again.daemon = True
        self._again.start()
        return True

    def _send_again(self) -> None:
        again, self._again = self._again, None
        if again and not self.done:
            try:
                self._client._send(self._message)
            except ServerGone:  # everybody who waits hears of it
                pass
            if self._cancelled:  # between the two lines above
                self._tell("rpc.cancel")

    def feed(self, data: bytes, eof: bool) -> "Call[Dict[str, Any]]":
        """Input for its command. An answer with the error ENOBUFS means: again, later."""
        given = {"id": self.id, "data": base64.b64encode(data).decode(), "encoding": "base64", "eof": eof}
        return self._client._start("rpc.stdin", given)


class Client:
    """A connection, opened when it is first used.

    program: the aisbx to start; default: $AISBX, or the first one on PATH. socket: instead, where an `aisbx rpc --socket` listens.
    owner: only boxes made under this name are there. fleet: run everything on nodes of a fleet with these labels, "zone=a" or "any", by
    `aisbx fleet rpc`; fleet_or_local: on this machine if no hub answers.
    """

    _connection: Optional[socket.socket] = None

    def __init__(self, program: Optional[str] = None, *, socket: Optional[str] = None, owner: Optional[str] = None,
                 fleet: Optional[str] = None, fleet_or_local: bool = False) -> None:
        if fleet is not None and socket is not None:
            raise UsageError("'socket' and 'fleet' exclude each other")
        if fleet is None and fleet_or_local:
            raise UsageError("'fleet_or_local' needs 'fleet'")
        self._program = program
        self._socket_path = socket
        self._owner = owner
        self._words: List[str] = ["rpc"]
        self.file_piece = FILE_PIECE
        self.on_fleet = fleet is not None
        if fleet is not None:
            self._words = ["fleet", "rpc", "--on", fleet, *(["--or-here"] if fleet_or_local else [])]
            self.file_piece = FLEET_FILE_PIECE
        self._lock = threading.Lock()  # opening and closing
        self._writing = threading.Lock()
        self._calls: Dict[int, Call[Any]] = {}
        self._numbers = itertools.count(1)
        self._process: Optional["subprocess.Popen[bytes]"] = None
        self._errors: Optional[IO[bytes]] = None
        self._out: Optional[BinaryIO] = None
        self._reader: Optional[threading.Thread] = None
        self._gone = ""  # why it cannot be used any more
        self._pid = os.getpid()
        self._data_path: Optional[str] = None  # "": the server has none

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """It can be used, by this process."""
        return not self._gone and self._pid == os.getpid()

    # ---- calls ----

    def start(self, request: Request[T], *, stream: bool = False, stdin: bool = False, trace_id: Optional[str] = None,
              data: Optional[Data] = None) -> Call[T]:
        """Makes a call and does not wait for it. STREAM: output comes as events; STDIN: `feed` gives the input; DATA: both go there."""
        beside: Dict[str, Any] = {"_cwd": os.getcwd()}
        if stream:
            beside["_stream"] = True
        if stdin:
            beside["_stdin"] = True
        if trace_id is not None:
            beside["_trace"] = trace_id
        if data is not None:
            beside["_data"] = data.token
        return self._start(request.method, {**request.params, **beside})

    def call(self, request: Request[T]) -> T:
        """Makes a call and waits for its result. Every operation is a constant of `aisbx.methods`: call(methods.BOX_LS({}))."""
        call = self.start(request)
        try:
            return cast(T, _result(call))
        except BaseException:
            call.cancel()
            raise

    def open_data(self) -> Optional[Data]:
        """A connection for the bytes of one call; None: this server has none, as over a fleet."""
        if self._data_path is None:
            self._data_path = _result(self._start("rpc.hello", {"data": True})).get("data") or ""
        return open_data(self._data_path)

    def _start(self, method: str, params: Mapping[str, Any]) -> Call[Any]:
        self._open()
        call: Call[Any] = Call(self, next(self._numbers))
        call._message = {"jsonrpc": "2.0", "id": call.id, "method": method, "params": params}
        call._until = time.monotonic() + patience(params)
        self._calls[call.id] = call
        try:
            self._send(call._message)
        except ServerGone:
            self._calls.pop(call.id, None)
            raise
        if self._gone:  # the reader may have failed everybody before this one was there
            call.events.close(Event("done", ServerGone(self._gone)))
        return call

    # ---- the connection ----

    def _open(self) -> None:
        if self._pid != os.getpid():
            raise ServerGone("this connection belongs to the process that this one was forked from; make a Client of its own")
        with self._lock:
            if self._gone:
                raise ServerGone(self._gone)
            if self._out:
                return
            into = self._connect(self._socket_path) if self._socket_path else self._spawn()
            self._reader = threading.Thread(target=self._read, args=(into,), name="aisbx", daemon=True)
            self._reader.start()
        atexit.register(self.close)
        if self._owner is not None:
            _result(self._start("rpc.hello", {"owner": self._owner}))

    def _spawn(self) -> BinaryIO:
        program = self._program or os.environ.get("AISBX") or shutil.which("aisbx")
        if not program:
            raise ServerGone("there is no aisbx on PATH; install it, or set AISBX to the path of the program")
        self._errors = tempfile.TemporaryFile()
        try:
            # A session of its own: an interrupt from the terminal is for this program, which then ends its calls.
            self._process = subprocess.Popen([program, *self._words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
                                             start_new_session=True)
        except OSError as e:
            raise ServerGone(f"start '{program} {' '.join(self._words)}': {e.strerror}") from e
        self._out = cast(BinaryIO, self._process.stdin)
        return cast(BinaryIO, self._process.stdout)

    def _connect(self, path: str) -> BinaryIO:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(path)
        except OSError as e:
            connection.close()
            raise ServerGone(f"connect to '{path}': {e.strerror}") from e
        self._connection = connection
        self._out = cast(BinaryIO, connection.makefile("wb"))
        return cast(BinaryIO, connection.makefile("rb"))

    def _send(self, message: Mapping[str, Any]) -> None:
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        with self._writing:
            try:
                if not self._out:
                    raise ServerGone(self._gone or "the connection is closed")
                self._out.write(line)
                self._out.flush()
                return
            except (OSError, ValueError) as e:
                failed = e
        if self._reader and self._reader is not threading.current_thread():
            self._reader.join(10)  # it learns why
        raise ServerGone(self._gone or f"aisbx does not listen any more: {failed}") from failed

    def _read(self, into: BinaryIO) -> None:
        """The one thread that reads."""
        why = ""
        try:
            for line in into:
                self._take(json.loads(line))
        except (OSError, ValueError) as e:
            why = str(e)
        self._end(why)

    def _take(self, message: Mapping[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            failed = message.get("error")
            pause = pause_of(failed)
            call = self._calls.get(message.get("id") or 0)
            if call and not (pause and call._retry(pause)):
                self._calls.pop(call.id, None)
                call.events.close(Event("done", message.get("result") if failed is None else from_wire(failed)))
            return
        params = message.get("params") or {}
        call = self._calls.get(params.get("id") or 0)
        if not call:
            return
        if method == "output":
            raw = params["data"]
            text = raw if params.get("encoding") != "base64" else base64.b64decode(raw).decode("utf-8", "replace")
            call.events.put(Event(params["stream"], text))
        elif method == "begun":
            call.events.put(Event("begun", params["run"]))
        elif method == "item":
            call.events.put(Event("item", params["item"]))

    def _end(self, why: str) -> None:
        """Nothing comes any more: everybody who waits hears of it."""
        said = ""
        if self._process:
            try:
                status = self._process.wait(5)
                why = why or f"it ended with {'status' if status >= 0 else 'signal'} {abs(status)}"
            except subprocess.TimeoutExpired:
                why = why or "it closed its output"
        if self._errors:
            self._errors.seek(0)
            said = self._errors.read()[-2000:].decode("utf-8", "replace").strip()
            self._errors.close()
        if not self._gone:
            self._gone = f"the connection to aisbx is gone: {why or 'it was closed'}" + (f"; it said: {said}" if said else "")
        while self._calls:
            try:
                _, call = self._calls.popitem()
            except KeyError:
                break
            call.events.close(Event("done", ServerGone(self._gone)))

    def close(self) -> None:
        """Ends everything that runs for this connection. It cannot be used any more."""
        with self._lock:
            self._gone = self._gone or "the connection is closed"
            out, self._out = self._out, None
        atexit.unregister(self.close)
        if self._pid != os.getpid():
            return
        if out:
            try:
                out.close()
            except OSError:
                pass
        if self._connection:
            try:
                self._connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self._connection.close()
        if self._process:
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()


def _result(call: Call[Any]) -> Any:
    while True:
        event = take(call.events)
        if event.kind == "done":
            if isinstance(event.value, AisbxError):
                raise event.value
            return event.value


_default: Optional[Client] = None
_default_lock = threading.Lock()


def default_client() -> Client:
    """The connection that everybody shares who names no other; a new one when it is gone, or after a fork."""
    global _default
    with _default_lock:
        if _default is None or not _default.alive:
            _default = Client()
        return _default


_fleets: Dict[Tuple[str, bool], Client] = {}


def client_for(client: Optional[Client], fleet: Optional[str], fleet_or_local: bool) -> Client:
    """The connection that is meant: the one given, the one of everybody who names this fleet, or the default one."""
    if fleet is None:
        if fleet_or_local:
            raise UsageError("'fleet_or_local' needs 'fleet'")
        return client or default_client()
    if client:
        raise UsageError("'client' and 'fleet' exclude each other; give the client its fleet")
    with _default_lock:
        found = _fleets.get((fleet, fleet_or_local))
        if found is None or not found.alive:
            found = _fleets[(fleet, fleet_or_local)] = Client(fleet=fleet, fleet_or_local=fleet_or_local)
        return found
