# tricky-benign: devices that harm nobody
dd if=/dev/zero of=testfile.img bs=1M count=16 status=none
mkfs.ext4 -q -F testfile.img
head -c 32 /dev/urandom | xxd -p > key.hex
