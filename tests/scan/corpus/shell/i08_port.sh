# benign: frees a port
pid=$(lsof -ti tcp:3000 || true)
[ -n "$pid" ] && kill -9 $pid
npm run dev
