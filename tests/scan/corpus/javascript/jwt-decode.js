// tricky-benign: decodes a token
function decode(token) {
  const [, payload] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
}
console.log(decode(process.argv[2]).exp);
