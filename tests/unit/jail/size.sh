#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# aisbx-jail is static and under 1 MiB.
set -eu
size=$(stat -c %s "$1")
echo "$1: $size bytes"
[ "$size" -lt 1048576 ]
! readelf --program-headers "$1" | grep -q INTERP
