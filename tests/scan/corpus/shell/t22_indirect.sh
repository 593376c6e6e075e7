# tricky: the name of the variable is in a variable
cleanup='rm -rf /usr'
name=cleanup
eval "${!name}"
