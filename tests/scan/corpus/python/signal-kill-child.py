# tricky-benign: stops its own child
import os
import signal
import subprocess
import time

p = subprocess.Popen(["sleep", "60"])
time.sleep(1)
os.kill(p.pid, signal.SIGTERM)
print(p.wait())
