# benign: a command line tool
usage() {
    cat <<EOF
usage: ${0##*/} [-v] [-o FILE] INPUT

  -v       say more
  -o FILE  write there
EOF
}
verbose=0 out=-
while getopts "vo:h" opt; do
    case $opt in
    v) verbose=1 ;;
    o) out=$OPTARG ;;
    h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ "$verbose" = 1 ] && echo "reading $1" >&2
if [ "$out" = - ]; then sort -u "$1"; else sort -u "$1" > "$out"; fi
