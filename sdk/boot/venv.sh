# SPDX-License-Identifier: Apache-2.0
# Starts a command in the virtual environment of Python that the project has, if it has one: .venv here, or in a directory above.
d=$PWD
until [ -x "$d/.venv/bin/python3" ] || [ -z "$d" ]; do
	d=${d%/*}
done
[ -z "$d" ] || export VIRTUAL_ENV="$d/.venv" PATH="$d/.venv/bin:$PATH"
exec "$@"
