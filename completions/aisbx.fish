# Completion of aisbx for fish. Made to be installed, or: aisbx completion fish | source
# The program knows its own operations, options and names; this only asks it.
function __aisbx_complete
	set -l cur (commandline -ct)
	set -l words (commandline -opc)[2..-1] $cur
	test -z "$cur"; and set words (commandline -opc)[2..-1] ""
	set -l lines (aisbx __complete $words 2>/dev/null)
	switch "$lines[1]"
		case files
			__fish_complete_path "$cur"
		case directories
			__fish_complete_directories "$cur" ''
		case command
			__fish_complete_subcommand --fcs-skip=$lines[2]
		case words
			test (count $lines) -gt 1; and printf '%s\n' $lines[2..-1]
	end
end
complete -c aisbx -f -a '(__aisbx_complete)'
