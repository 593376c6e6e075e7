# benign: compares two lists
diff <(sort -u old.txt) <(sort -u new.txt) || true
comm -13 <(sort old.txt) <(sort new.txt)
