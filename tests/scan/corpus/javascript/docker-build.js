// tricky-benign: builds an image
const { execSync } = require('child_process');
const tag = `shop/api:${process.env.GIT_SHA ?? 'dev'}`;
execSync(`docker build -t ${tag} .`, { stdio: 'inherit' });
execSync(`docker push ${tag}`, { stdio: 'inherit' });
