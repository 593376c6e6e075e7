// tricky: eval by a computed member of the global object
const g = globalThis;
const k = ['e', 'v', 'a', 'l'].join('');
g[k](localStorage.getItem('code'));
