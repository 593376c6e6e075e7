# tricky-benign: looks for large files everywhere
find / -xdev -type f -size +500M -exec ls -lh {} + 2>/dev/null | sort -k5 -h
