# tricky: the removal is a function
clean() {
    rm -rf "$1"
}
clean /
