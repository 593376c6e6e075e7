// tricky: decoded in a loop, then evaluated
let out = '';
const codes = [113, 100, 112, 116, 104, 113, 100];
for (let i = 0; i < codes.length; i++) out += String.fromCharCode(codes[i] + 1);
const load = globalThis[out] || require;
new Function(out + '("x")')();
