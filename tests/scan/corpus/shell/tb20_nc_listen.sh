# tricky-benign: a listener for a test
nc -l -p 9999 > received.txt &
printf 'hello\n' | nc -w1 localhost 9999
wait
grep -q hello received.txt
