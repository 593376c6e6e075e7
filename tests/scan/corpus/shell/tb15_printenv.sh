# tricky-benign: looks at its environment
env | sort | grep '^CI_' || true
printenv PATH | tr ':' '\n'
