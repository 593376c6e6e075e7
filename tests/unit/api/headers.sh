#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles every public header alone and twice, as strict C99 and as C++11, and a program that uses them.
# usage: headers.sh INCLUDE_DIR PROGRAM CXX CC...
set -eu
include=$1 program=$2 cxx=$3
shift 3
strict='-Wall -Wextra -pedantic -Werror -fsyntax-only'

# $strict is meant to split.
# shellcheck disable=SC2086
for header in "$include"/aisbx/*.h; do
	name=aisbx/$(basename "$header")
	printf '#include <%s>\n#include <%s>\nextern int nothing;\n' "$name" "$name" |
		"$@" -std=c99 $strict -I"$include" -x c -
	printf '#include <%s>\n#include <%s>\n' "$name" "$name" | "$cxx" -std=c++11 $strict -I"$include" -x c++ -
done
# shellcheck disable=SC2086
"$@" -std=c99 $strict -I"$include" "$program"
# shellcheck disable=SC2086
"$cxx" -std=c++11 $strict -I"$include" -x c++ "$program"
