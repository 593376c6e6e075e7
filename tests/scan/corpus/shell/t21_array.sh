# tricky: the words are in an array
args=(-r -f /)
cmd=(rm "${args[@]}")
"${cmd[@]}"
