# SPDX-License-Identifier: Apache-2.0
"""What it costs that the supervisor is told of connect() and sendto(): microseconds per call on loopback.

    AISBX=build/src/aisbx python3 bench/connect.py
"""
import os
import statistics
import subprocess
import sys

INSIDE = """
import socket, time
N = 3000
server = socket.create_server(("127.0.0.1", 0)); at = server.getsockname()
began = time.perf_counter()
for i in range(N):
    socket.create_connection(at).close(); server.accept()[0].close()
tcp = time.perf_counter() - began
drain = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); drain.bind(("127.0.0.1", 0))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); at = drain.getsockname()
began = time.perf_counter()
for i in range(N):
    s.sendto(b"x", at)
print(tcp / N * 1e6, (time.perf_counter() - began) / N * 1e6)
"""


def measure(*options):
    words = [os.environ["AISBX"], "run", "--quiet", *options, "--", "/usr/bin/python3", "-c", INSIDE]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True, timeout=120)
    return [float(x) for x in done.stdout.split()]


def main():
    told, not_told = [], []
    for _ in range(5):  # one after the other, so that both see the same machine
        told.append(measure())
        not_told.append(measure("--without", "seccomp"))
    for i, what in enumerate(("TCP connection", "UDP datagram")):
        a, b = (statistics.median(x[i] for x in runs) for runs in (told, not_told))
        print(f"{what}: {a:.1f} us, without the filter {b:.1f} us: {a - b:+.1f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
