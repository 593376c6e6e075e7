# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sums up sales by month and item; a library for bash.

# by_month < CSV of day,item,amount
by_month() {
	awk -F, '{ sum[substr($1, 1, 7) " " $2] += $3 } END { for (k in sum) printf "%s %.2f\n", k, sum[k] }' | sort
}

# once LOCK COMMAND...: not beside another one
once() {
	local lock=$1
	shift
	(
		flock 9
		"$@"
	) 9>"$lock"
}
