# SPDX-License-Identifier: Apache-2.0
"""A disk that writes down what is done to it: a file served by FUSE, for a loop device to stand on. Root only.

Every write and every flush becomes a record of a log, in the order in which the disk got them. What a power cut leaves is
everything up to the last flush before it and any part of what came after (`image_at`).
"""
import ctypes
import fcntl
import os
import random
import struct
import subprocess
import sys

HEADER = struct.Struct("<cQI")  # b"w" or b"f", offset, length; then the data
IN, OUT = struct.Struct("<IIQQIIII"), struct.Struct("<IiQ")
INIT, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE, FSYNC, FLUSH = 26, 3, 4, 14, 15, 16, 17, 18, 20, 25
FORGET, BATCH_FORGET, INTERRUPT, DESTROY = 2, 42, 36, 38
LOOP_SET_FD, LOOP_CTL_GET_FREE = 0x4C00, 0x4C82
ENOSYS, MAX_WRITE, SECTOR = 38, 1 << 20, 4096


class Server:
    def __init__(self, image, log, at):
        self.image = os.open(image, os.O_RDWR)
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.size = os.fstat(self.image).st_size
        self.fuse = os.open("/dev/fuse", os.O_RDWR)
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={self.fuse},rootmode=100600,user_id=0,group_id=0,max_read={MAX_WRITE}"
        # In a mount namespace of its own: boxes of root would clone it with everything else.
        if libc.unshare(0x20000) < 0 or libc.mount(None, b"/", None, 0x44000, None) < 0:  # CLONE_NEWNS; MS_REC | MS_PRIVATE
            sys.exit(f"unshare: {os.strerror(ctypes.get_errno())}")
        if libc.mount(b"aisbx-power", os.fsencode(at), b"fuse", 0, options.encode()) < 0:
            sys.exit(f"mount {at}: {os.strerror(ctypes.get_errno())}")

    def attributes(self):
        return struct.pack("<QII", 3600, 0, 0) + struct.pack("<6Q10I", 1, self.size, self.size // 512, 0, 0, 0, 0, 0, 0, 0o100600, 1,
                                                             0, 0, 0, 4096, 0)

    def answer(self, opcode, body):
        """Bytes, or a negative errno; None: nobody waits for one."""
        if opcode == INIT:
            major, minor, ahead, _ = struct.unpack_from("<4I", body)
            return struct.pack("<4I2H2I2H8I", 7, min(minor, 31), ahead, 1 << 0 | 1 << 5 | 1 << 22, 16, 12, MAX_WRITE, 1, 256, 0, *[0] * 8)
        if opcode in (GETATTR, SETATTR):
            return self.attributes()
        if opcode == OPEN:
            return struct.pack("<QII", 1, 1 << 1, 0)
        if opcode == READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            return os.pread(self.image, size, offset)
        if opcode == WRITE:
            _, offset, size = struct.unpack_from("<QQI", body)
            data = body[40:40 + size]
            os.write(self.log, HEADER.pack(b"w", offset, size) + data)
            os.pwrite(self.image, data, offset)
            return struct.pack("<II", size, 0)
        if opcode == FSYNC:
            os.write(self.log, HEADER.pack(b"f", 0, 0))
            return b""
        if opcode in (FLUSH, RELEASE):
            return b""
        if opcode == STATFS:
            return struct.pack("<5Q4I6I", self.size // 4096, 0, 0, 1, 0, 4096, 255, 4096, 0, *[0] * 6)
        return None if opcode in (FORGET, BATCH_FORGET, INTERRUPT) else -ENOSYS

    def serve(self):
        while True:
            try:
                request = os.read(self.fuse, MAX_WRITE + 65536)
            except OSError:  # unmounted
                return
            _, opcode, unique = IN.unpack_from(request)[:3]
            said = self.answer(opcode, request[IN.size:])
            if said is None:
                continue
            error, body = (said, b"") if isinstance(said, int) else (0, said)
            os.write(self.fuse, OUT.pack(OUT.size + len(body), error, unique) + body)
            if opcode == DESTROY:
                return


def start(image, log, at):
    """The process that serves IMAGE at the file AT and writes LOG, and a loop device on that file."""
    p = subprocess.Popen([sys.executable, "-B", __file__, str(image), str(log), str(at)], stdout=subprocess.PIPE)
    assert p.stdout.readline() == b"ready\n"
    file = os.open(f"/proc/{p.pid}/root{at}", os.O_RDWR)
    control = os.open("/dev/loop-control", os.O_RDWR)
    name = f"/dev/loop{fcntl.ioctl(control, LOOP_CTL_GET_FREE)}"
    loop = os.open(name, os.O_RDWR)
    fcntl.ioctl(loop, LOOP_SET_FD, file)
    for fd in (file, control, loop):
        os.close(fd)
    return p, name


def records(log, end):
    """Those before END, an offset of the log."""
    with open(log, "rb") as f:
        while f.tell() < end:
            head = f.read(HEADER.size)
            if len(head) < HEADER.size:
                return
            kind, offset, size = HEADER.unpack(head)
            yield kind, offset, f.read(size)


def image_at(blank, log, end, target, seed):
    """TARGET becomes what the disk has when the power goes at END of LOG. Returns how many writes were not flushed by then, and lost."""
    rng = random.Random(seed)
    subprocess.run(["cp", "--sparse=always", "--reflink=auto", str(blank), str(target)], check=True)
    pending, lost = [], 0
    with open(target, "r+b") as f:
        def put(offset, data):
            f.seek(offset)
            f.write(data)

        for kind, offset, data in records(log, end):
            if kind == b"w":
                pending.append((offset, data))
                continue
            for one in pending:
                put(*one)
            pending = []
        survive = rng.choice((0.0, 0.5, 0.9, 1.0))  # nothing, some, most, all: in any order of sectors
        for offset, data in pending:
            for at in range(0, len(data), SECTOR):
                if rng.random() < survive:
                    put(offset + at, data[at:at + SECTOR])
                else:
                    lost += 1
    return len(pending), lost


if __name__ == "__main__":
    server = Server(*sys.argv[1:])
    print("ready", flush=True)
    server.serve()
