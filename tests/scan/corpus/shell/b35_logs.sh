# benign: rotates the logs of the program
cd "$(dirname "$0")/logs"
for i in 4 3 2 1; do
    [ -f "app.log.$i" ] && mv "app.log.$i" "app.log.$((i + 1))"
done
[ -f app.log ] && gzip -c app.log > app.log.1 && : > app.log
