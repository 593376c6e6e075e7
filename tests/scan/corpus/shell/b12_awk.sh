# benign: adds numbers up
awk -F, 'NR > 1 { sum[$2] += $3 } END { for (k in sum) printf "%s %.2f\n", k, sum[k] }' sales.csv | sort -k2 -rn
