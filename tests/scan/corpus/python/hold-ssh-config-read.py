# tricky-benign: lists hosts of the ssh configuration
from pathlib import Path

cfg = Path.home() / ".ssh" / "config"
if cfg.exists():
    for line in cfg.read_text().splitlines():
        if line.lower().startswith("host "):
            print(line.split(None, 1)[1])
