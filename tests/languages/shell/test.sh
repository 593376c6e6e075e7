#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The ledger, and what people do in scripts: the calls that the preset `shell` must have.
set -euo pipefail
here=$PWD
# shellcheck source=/dev/null
. "$here/ledger.sh"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
count=0

same() { # NAME EXPECTED ACTUAL
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $1"
	else
		printf 'FAILED %s: %s\n' "$1" "$3"
		exit 1
	fi
}

printf '2024-01-03,tea,3.5\n2024-01-20,tea,1.5\n2024-02-01,cake,4\n' >sales.csv
same 'sums by month' "$(printf '2024-01 tea 5.00\n2024-02 cake 4.00')" "$(by_month <sales.csv)"
same 'one at a time' yes "$(once lock echo yes)"

# text
same 'sed and cut' TEA "$(sed -n 1p sales.csv | cut -d, -f2 | tr '[:lower:]' '[:upper:]')"
same 'grep' 2 "$(grep -c tea sales.csv)"
same 'sort of much' 200000 "$(seq 200000 -1 1 | sort -n -S 1M -T . | tail -n 1)"
same 'here document' 'a b' "$(cat <<<'a b')"
same 'process substitution' 1c1 "$(diff <(echo a) <(echo b) | head -n 1)"
same 'xargs' 'x y z' "$(printf 'x\ny\nz\n' | xargs echo)"
same 'xargs beside each other' 3 "$(printf 'x\ny\nz\n' | xargs -P 2 -n 1 echo | wc -l)"
same 'checksum' d3b07384d113edec49eaa6238ad5ff00 "$(echo foo | md5sum | cut -d' ' -f1)"
same 'base64' Zm9v "$(printf foo | base64)"

# files
mkdir -p a/b && cp sales.csv a/b/ && cp -a a c && mv c/b c/d && ln -s b a/link && ln sales.csv a/hard
chmod 640 a/hard && touch -d 2020-01-01 a/hard && truncate -s 3 c/d/sales.csv && chown "$(id -u)" a/hard
mkfifo pipe && { echo through >pipe & } && same 'named pipe' through "$(cat pipe)" && wait
same 'find' 3 "$(find a -type f -o -type l | wc -l)"
same 'stat' '3 2020' "$(stat -c %s c/d/sales.csv) $(date -r a/hard +%Y)"
same 'listing' "$(id -un)" "$(stat -c %U a/hard)"
ls -lAR . >/dev/null && df . >/dev/null && du -s . >/dev/null && readlink -f a/link >/dev/null
tar -czf a.tgz a && mkdir t && tar -xzf a.tgz -C t && same 'tar' "$(cat a/b/sales.csv)" "$(cat t/a/link/sales.csv)"
gzip -k a/b/sales.csv && same 'gzip' 3 "$(zcat a/b/sales.csv.gz | wc -l)"
dd if=/dev/zero of=zeros bs=4096 count=4 conv=fsync 2>/dev/null && sync zeros && same 'dd' 16384 "$(wc -c <zeros)"
cp --reflink=auto zeros more && cmp zeros more && install -m 755 zeros installed && rmdir "$(mktemp -d)"
test -w zeros && test ! zeros -nt more && fallocate -l 8192 room && split -b 4096 zeros part-
rm -r t c part-* && same 'leftover' 'a sales.csv zeros' "$(echo a sales.csv zeros*)"

# processes
same 'background' 'one two' "$({ sleep 0.01; echo two; } >late & echo one >soon; wait; echo "$(cat soon)" "$(cat late)")"
same 'timeout' 124 "$(timeout 0.05 sleep 5 || echo $?)"
same 'trap' usr1 "$(bash -c 'trap "echo usr1; exit" USR1; kill -USR1 $$; sleep 1')"
same 'subshell status' 3 "$( (exit 3) || echo $?)"
same 'session' ok "$(setsid sh -c 'echo ok')"
same 'nice' 5 "$(nice -n 5 nice)"
same 'limit' 100 "$(ulimit -n 100 && ulimit -n)"
same 'dash' 42 "$(sh -c 'echo $((6 * 7))')"
same 'job control' ready "$(bash -mc 'sleep 0.01 & wait; echo ready' 2>/dev/null)"
same 'coprocess' ECHO "$(bash -c 'coproc tr a-z A-Z; echo echo >&"${COPROC[1]}"; exec {COPROC[1]}>&-; cat <&"${COPROC[0]}"')"
same 'read with a time limit' late "$(read -rt 0.01 _ < <(sleep 1) || echo late)"
{ time true; } 2>/dev/null && uname -a >/dev/null && nproc >/dev/null && id >/dev/null && env >/dev/null
ps ax >/dev/null && TERM=dumb top -bn1 >/dev/null

# version control
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org
git init -q -b main r && cp sales.csv r/ && cd r && git add . && git commit -qm first && git checkout -qb other
echo 2024-03-01,tea,1 >>sales.csv && git commit -qam second && git checkout -q main && git merge -q other && git gc -q
same 'git' "second first" "$(git log --format=%s | xargs)"
same 'status' '' "$(git status --porcelain)"
git archive HEAD | tar -t | grep -qx sales.csv
echo "commit $(git rev-parse HEAD)"
cd "$here"
echo "$count tests, 0 failed"
