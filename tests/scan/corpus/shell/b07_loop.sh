# benign: counts words
for f in docs/*.md; do
    printf '%6d %s\n' "$(wc -w < "$f")" "$f"
done | sort -rn | head
