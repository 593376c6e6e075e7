# tricky-benign: copies its own settings
import shutil
from datetime import date
from pathlib import Path

src = Path.home() / ".config" / "mytool"
dst = Path.home() / "backups" / f"mytool-{date.today():%Y%m%d}"
shutil.copytree(src, dst)
