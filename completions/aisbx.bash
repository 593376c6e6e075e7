# Completion of aisbx for bash. Made to be installed, or: eval "$(aisbx completion bash)"
# The program knows its own operations, options and names; this only asks it.
_aisbx()
{
	local line=${COMP_LINE:0:COMP_POINT} kind= candidate rest cur skip
	local -a words
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=("")
	cur=${words[-1]}
	# bash splits after '=' and ':' and before '@', and wants only what follows
	skip=${cur%"${cur##*[@=:]}"}
	skip=${skip%@}
	COMPREPLY=()
	while IFS=$'\t' read -r candidate rest; do
		if [[ -z $kind ]]; then
			kind=$candidate
			continue
		fi
		COMPREPLY+=("${candidate#"$skip"}")
	done < <(aisbx __complete "${words[@]:1}" 2>/dev/null)
	case $kind in
	files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "${cur#"$skip"}") ;;
	directories) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "${cur#"$skip"}") ;;
	command)
		if declare -F _command_offset >/dev/null && [[ $rest == "" && ${#COMPREPLY[@]} -eq 1 ]]; then
			_command_offset "${COMPREPLY[0]}"
		else
			mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
		fi
		;;
	esac
	# an option that takes its value after '='
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=@:] ]] && compopt -o nospace
	return 0
}
complete -F _aisbx aisbx
