# benign: a clean target
clean() {
    rm -rf dist build *.egg-info .pytest_cache node_modules/.cache
}
case ${1:-} in
clean) clean ;;
*) echo "usage: $0 clean" >&2; exit 2 ;;
esac
