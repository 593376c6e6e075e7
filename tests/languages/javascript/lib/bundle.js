// SPDX-License-Identifier: Apache-2.0
// The project's build: all of lib in one file, each module a function.
'use strict';
const fs = require('fs');
const path = require('path');

const modules = fs.readdirSync(__dirname).filter((n) => n !== 'bundle.js').sort();
const body = modules.map((n) => `${JSON.stringify('./' + n)}: (module) => {\n${
	fs.readFileSync(path.join(__dirname, n), 'utf8')}}`);
fs.mkdirSync('out', { recursive: true });
fs.writeFileSync('out/ledger.js', `const modules = {\n${body.join(',\n')}\n};\n` +
	"const module_ = { exports: {} };\nmodules['./ledger.js'](module_);\nmodule.exports = module_.exports;\n");
