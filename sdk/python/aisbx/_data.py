# SPDX-License-Identifier: Apache-2.0
"""Data connections: the bytes of a file beside the messages, as they are."""
from __future__ import annotations

import os
import secrets
import socket
from typing import List, Optional

# Longer paths do not fit into the address of a socket.
LONGEST = 100
CHUNK = 1 << 20


class Data:
    """One connection, for one call, which names its token. Blocks; who waits elsewhere calls it from a thread."""

    def __init__(self, path: str) -> None:
        self.token = secrets.token_hex(16)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            _connect(self._socket, path)
            self._socket.sendall(self.token.encode() + b"\n")
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> "Data":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def receive(self) -> bytes:
        """All that comes, to its end; that it is whole is told by the answer to the call."""
        pieces: List[bytes] = []
        while True:
            try:
                piece = self._socket.recv(CHUNK)
            except OSError:
                piece = b""
            if not piece:
                return b"".join(pieces)
            pieces.append(piece)

    def send(self, data: bytes) -> None:
        """Nobody takes it when the call has failed: then its answer says why."""
        try:
            self._socket.sendall(data)
        except OSError:
            pass

    def shut(self) -> None:
        """Who waits in another thread is let go."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def _connect(connection: socket.socket, path: str) -> None:
    if len(path.encode()) <= LONGEST:
        connection.connect(path)
        return
    directory = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        connection.connect(f"/proc/self/fd/{directory}/{os.path.basename(path)}")
    finally:
        os.close(directory)


def open_data(path: Optional[str]) -> Optional[Data]:
    """None: there is no way to it from here."""
    try:
        return Data(path) if path else None
    except OSError:
        return None
