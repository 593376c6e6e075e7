// tricky-benign: letters from numbers
const alphabet = Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i));
const rot13 = (t) => t.replace(/[a-z]/g, (c) => alphabet[(c.charCodeAt(0) - 97 + 13) % 26]);
console.log(rot13('hello'), [...'abc'].reverse().join(''));
