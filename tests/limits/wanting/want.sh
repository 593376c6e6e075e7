# SPDX-License-Identifier: Apache-2.0
set -e
case $1 in
forks) while :; do sleep 30 & done ;;
file_size) head -c 3m /dev/zero >large ;;
disk) head -c 20m /dev/zero >/tmp/large || { rm /tmp/large; exit 1; } ;;
memory) head -c 2048m /dev/zero | tail ;;
esac
