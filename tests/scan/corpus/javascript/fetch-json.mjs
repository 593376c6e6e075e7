// benign: reads a public API
const res = await fetch('https://api.github.com/repos/nodejs/node');
if (!res.ok) throw new Error(`HTTP ${res.status}`);
const { stargazers_count: stars, forks } = await res.json();
console.log({ stars, forks });
