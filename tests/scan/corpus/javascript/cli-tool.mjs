// benign: a command line tool
import { parseArgs } from 'node:util';
import { readFile, writeFile } from 'node:fs/promises';
const { values, positionals } = parseArgs({ options: { out: { type: 'string', short: 'o' }, upper: { type: 'boolean' } }, allowPositionals: true });
let text = await readFile(positionals[0], 'utf8');
if (values.upper) text = text.toUpperCase();
await (values.out ? writeFile(values.out, text) : process.stdout.write(text));
