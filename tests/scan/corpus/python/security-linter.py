# tricky-benign: looks for bad words in other programs
import pathlib
import re
import sys

BAD = {
    "shell": re.compile(r"os\.system|subprocess\.(call|run|Popen)"),
    "eval": re.compile(r"\beval\(|\bexec\("),
    "keys": re.compile(r"\.ssh/id_rsa|\.aws/credentials|/etc/shadow"),
    "pipe": re.compile(r"curl[^|]*\|\s*(ba)?sh"),
}
status = 0
for name in sys.argv[1:]:
    text = pathlib.Path(name).read_text(errors="replace")
    for what, rx in BAD.items():
        for m in rx.finditer(text):
            print(f"{name}:{text[:m.start()].count(chr(10)) + 1}: {what}: {m.group(0)}")
            status = 1
sys.exit(status)
