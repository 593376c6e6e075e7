# tricky-benign: its own file below the home directory
import json
from pathlib import Path

CONFIG = Path.home() / ".config" / "mytool" / "settings.json"

def load():
    return json.loads(CONFIG.read_text()) if CONFIG.exists() else {}

def save(d):
    CONFIG.parent.mkdir(parents=True, exist_ok=True)
    CONFIG.write_text(json.dumps(d, indent=2))

save({**load(), "theme": "dark"})
