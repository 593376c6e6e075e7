# malicious: reads another process's memory
import os, re, sys

pid = sys.argv[1]
with open(f"/proc/{pid}/mem", "rb", 0) as mem:
    for line in open(f"/proc/{pid}/maps"):
        m = re.match(r"([0-9a-f]+)-([0-9a-f]+) r", line)
        if m:
            mem.seek(int(m.group(1), 16))
            print(mem.read(int(m.group(2), 16) - int(m.group(1), 16)))
