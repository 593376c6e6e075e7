# tricky: find deletes
find / -xdev -type f -delete
