# tricky-benign: measures start times
import subprocess
import sys
import time

t = time.perf_counter()
for _ in range(20):
    subprocess.run([sys.executable, "-c", "pass"], check=True)
print((time.perf_counter() - t) / 20)
