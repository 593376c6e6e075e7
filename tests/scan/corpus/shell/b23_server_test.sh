# benign: starts a server and asks it
python3 -m http.server 8000 --directory public &
pid=$!
trap 'kill "$pid"' EXIT
for i in $(seq 1 30); do
    curl -sf http://localhost:8000/ > /dev/null && break
    sleep 0.1
done
curl -sf http://localhost:8000/index.html | grep -q '<title>'
