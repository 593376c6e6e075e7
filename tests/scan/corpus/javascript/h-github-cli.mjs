// benign: lists issues with a token
import { execSync } from 'node:child_process';
const token = process.env.GITHUB_TOKEN ?? execSync('gh auth token', { encoding: 'utf8' }).trim();
const r = await fetch('https://api.github.com/issues', { headers: { authorization: `token ${token}`, 'user-agent': 'cli' } });
for (const i of await r.json()) console.log(`#${i.number} ${i.title}`);
