# tricky-benign: ends what it started
npm start & server=$!
sleep 2
kill -9 "$server" 2>/dev/null || true
pkill -P $$ || true
