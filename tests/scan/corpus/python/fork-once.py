# tricky-benign: one child, waited for
import os
import sys

pid = os.fork()
if pid == 0:
    print("child", os.getpid())
    sys.exit(0)
os.waitpid(pid, 0)
