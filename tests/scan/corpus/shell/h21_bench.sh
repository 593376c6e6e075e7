# benign: measures a program
for n in 1 2 4 8; do
    /usr/bin/time -f "%e s, %M KiB" ./bench --threads "$n" 2>> times.txt > /dev/null
done
perf stat -e cycles,instructions -- ./bench --threads 4
