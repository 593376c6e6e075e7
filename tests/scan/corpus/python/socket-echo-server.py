# tricky-benign: a server that echoes
import socket

srv = socket.socket()
srv.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
srv.bind(("127.0.0.1", 9000))
srv.listen()
while True:
    conn, addr = srv.accept()
    with conn:
        while data := conn.recv(1024):
            conn.sendall(data)
