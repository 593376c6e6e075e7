// tricky-benign: a test that replaces child_process
jest.mock('child_process');
const { exec } = require('child_process');
const { deploy } = require('../src/deploy');
test('deploys', async () => {
  exec.mockImplementation((cmd, cb) => cb(null, 'ok'));
  await deploy('staging');
  expect(exec).toHaveBeenCalledWith('kubectl apply -f k8s/staging.yaml', expect.any(Function));
});
