# tricky-benign: re.compile is no compile
import re

LINE = re.compile(r"^(?P<ip>\S+) \S+ \S+ \[(?P<time>[^\]]+)\] \"(?P<req>[^\"]*)\" (?P<status>\d{3})")
hits = {}
with open("access.log") as f:
    for line in f:
        if m := LINE.match(line):
            hits[m["status"]] = hits.get(m["status"], 0) + 1
print(hits)
