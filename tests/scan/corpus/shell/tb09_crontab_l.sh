# tricky-benign: shows the jobs
crontab -l 2>/dev/null | grep -v '^#' || echo "no jobs"
systemctl list-timers --all
