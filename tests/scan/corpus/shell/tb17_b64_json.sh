# tricky-benign: reads a token's claims
echo "$TOKEN" | cut -d. -f2 | base64 -d 2>/dev/null | jq .
