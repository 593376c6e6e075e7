# tricky-benign: sets a variable by name
set_default() {
    local name=$1 value=$2
    [ -n "${!name:-}" ] || printf -v "$name" '%s' "$value"
}
set_default COLOR auto
echo "$COLOR"
