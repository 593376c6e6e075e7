# benign: converts a file
import csv
import json
import sys

src, dst = sys.argv[1:3]
with open(src, newline="", encoding="utf-8") as f, open(dst, "w", encoding="utf-8") as out:
    json.dump(list(csv.DictReader(f)), out, indent=2, ensure_ascii=False)
