# benign: a command line tool that counts words
import argparse
import collections
import re
import sys

def main(argv=None):
    ap = argparse.ArgumentParser(description="count words")
    ap.add_argument("file", nargs="?", type=argparse.FileType("r"), default=sys.stdin)
    ap.add_argument("-n", "--top", type=int, default=10)
    args = ap.parse_args(argv)
    words = re.findall(r"\w+", args.file.read().lower())
    for word, n in collections.Counter(words).most_common(args.top):
        print(f"{n:6d} {word}")
    return 0

if __name__ == "__main__":
    sys.exit(main())
