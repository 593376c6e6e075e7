# benign: waits for a port
wait_for() {
    local host=$1 port=$2 i
    for ((i = 0; i < 50; i++)); do
        nc -z "$host" "$port" && return 0
        sleep 0.2
    done
    echo "$host:$port does not answer" >&2
    return 1
}
wait_for localhost 5432
