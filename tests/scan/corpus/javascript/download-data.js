// tricky-benign: downloads a data set to a file
const fs = require('fs');
const https = require('https');
fs.mkdirSync('data', { recursive: true });
https.get('https://example.com/iris.csv', (res) => {
  res.pipe(fs.createWriteStream('data/iris.csv')).on('finish', () => console.log('saved'));
});
