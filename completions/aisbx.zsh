#compdef aisbx
# Completion of aisbx for zsh. Made to be installed as _aisbx, or: eval "$(aisbx completion zsh)"
# The program knows its own operations, options and names; this only asks it.
_aisbx()
{
	local kind line word about
	local -a lines candidates
	lines=("${(@f)$(aisbx __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
	kind=$lines[1]
	case $kind in
	files) _files ;;
	directories) _files -/ ;;
	command)
		integer first=$lines[2]
		words=("${(@)words[first+1,-1]}")
		(( CURRENT -= first ))
		_normal
		;;
	words)
		for line in "${(@)lines[2,-1]}"; do
			[[ -n $line ]] || continue
			word=${line%%$'\t'*}
			about=
			[[ $line == *$'\t'* ]] && about=${line#*$'\t'}
			candidates+=("${word//:/\\:}${about:+:$about}")
		done
		_describe -V aisbx candidates
		;;
	esac
}
if [[ $funcstack[1] == _aisbx ]]; then
	_aisbx "$@"
else
	compdef _aisbx aisbx
fi
