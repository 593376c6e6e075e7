# $1: where the context is, $2: how it is told to stop, $3: how many tenths of a second it has for that
here=$1 tries=$3
pid=$(cat "$here/pid" 2>/dev/null) || exit 97
kill "-$2" "$pid" 2>/dev/null || { rm -rf "$here"; exit 97; }
while [ "$tries" -gt 0 ] && kill -0 "$pid" 2>/dev/null; do
	if [ "$2" = INT ] && ls "$here"/*.done >/dev/null 2>&1; then
		rm -f "$here"/[0-9]*.*
		rmdir "$here/lock"
		exit 0
	fi
	tries=$((tries - 1))
	sleep 0.1
done
kill -KILL "$pid" 2>/dev/null
rm -rf "$here"
exit 96
