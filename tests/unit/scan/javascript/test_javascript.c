/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of JavaScript finds: each row is a program and a fact that must be among those found, or
 * must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "scan/core/fact.h"
#include "scan/core/tree.h"
#include "unit/scan/tell.h"

#define CP "const cp = require('child_process');\n"

static const struct {
	const char *program, *fact; /* a part of what is found; "!..." must not be there */
} rows[] = {
	/* modules and their names */
	{ "require('fs')", "1 import fs\n" },
	{ "require('node:fs/promises').rm('x')", "1 call fs.rm|x\n" },
	{ "require('child_' + 'process').exec(x)", "1 import~ child_process\n" },
	{ "import { exec as e } from 'child_process';\ne(x)", "2 call child_process.exec|? <x\n" },
	{ "import * as c from 'child_process'; c['ex' + 'ec'](x)", "1 call~ child_process.exec|?" },
	{ "import d, { rmSync } from 'fs'; rmSync('a'); d.rmSync('b')", "1 call fs.rmSync|b\n" },
	{ "const { exec: run } = require('child_process'); run(x)", "1 hidden child_process.exec" },
	{ "const r = require; r('net')", "1 import net\n" },
	{ "process.mainModule.require('net')", "1 import~ net\n" },
	{ "module.constructor._load('net')", "1 import~ net\n" },
	{ "const m = 'n' + 'et'; await import(m)", "1 import~ net\n" },
	{ "import('net').then((n) => n.connect(1))", "1 call net.connect|1\n" },
	{ "['os', 'net'].map((m) => require(m))[1].connect(2)", "1 call net.connect|2" },
	{ "require(x)", "1 hidden require" },
	{ "require('./a/' + x)", "!hidden" },
	{ "const f = require('module').createRequire(import.meta.url); f('net')", "1 import net\n" },
	/* texts */
	{ "f('a' + 'b' + 1 + 2)", "1 call f|ab12\n" },
	{ "f(1 + 2 + 'a')", "1 call f|3a\n" },
	{ "f(`a${x}c${'d'}`)", "1 call f|a?cd" },
	{ "f('\\x41\\u0042\\u{43}\\n')", "1 call f|ABC\n" },
	{ "f(['a', 'b'].join('-'))", "1 call f|a-b\n" },
	{ "f('cba'.split('').reverse().join(''))", "1 call f|abc\n" },
	{ "f(atob('aGkgdGhlcmU='))", "1 call f|hi there <atob\n" },
	{ "f(Buffer.from('6869', 'hex').toString())", "1 call f|hi <Buffer.from\n" },
	{ "f(String.fromCharCode(104, 105))", "1 call f|hi <String.fromCharCode\n" },
	{ "f([105, 104].map((c) => String.fromCharCode(c ^ 1)).join(''))", "1 call f|hi" },
	{ "f(decodeURIComponent('%68i'))", "1 call f|hi" },
	{ "f('hXXi'.replace(/X+/g, ''))", "1 call f|hi\n" },
	{ "f('ab'.replace(/[a-z]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 1)))", "1 call f|bc\n" },
	{ "f('abcdef'.slice(1, -1), 'abc'[1], 'abc'.charAt(2), 'Ab'.toUpperCase())",
	  "1 call f|bcde|b|c|AB\n" },
	{ "f((35).toString(36))", "1 call f|z\n" },
	{ "f((![] + [])[1] + ([][[]] + [])[0])", "1 call f|au\n" },
	{ "f(JSON.stringify({ a: ['b', 1] }))", "1 call f|{\"a\":[\"b\",1]}\n" },
	{ "function* g() { yield 'a'; yield 'b' } f([...g()].join(''))", "1 call f|ab\n" },
	/* variables */
	{ "let a = 'x'; a = 'y'; f(a)", "!call f|x" },
	{ "let a = 'x'; if (b) a = 'y'; f(a)", "1 call f|x" },
	{ "let a = 'x'; if (b) a = 'y'; f(a)", "1 call f|y" },
	{ "f(b ? 'x' : 'y')", "1 call f|y" },
	{ "let a = 'x'; { let a = 'y'; } f(a)", "1 call f|x\n" },
	{ "const [, b] = ['x', 'y'], { c: { d } } = { c: { d: 'z' } }; f(b, d)", "1 call f|y|z\n" },
	{ "const { e = 'w' } = {}; f(e)", "1 call f|w\n" },
	{ "const o = { a: { b: 'x' } }; o.a.c = 'y'; f(o.a.b, o['a'].c)", "1 call f|x|y\n" },
	{ "for (const a of ['x', 'y']) f(a)", "1 call f|y" },
	{ "global.g = require('fs'); g.rmSync('x')", "1 call fs.rmSync|x" },
	/* functions */
	{ "function g(a, ...b) { f(b[0], a) } g('x', 'y')", "1 call f|y|x\n" },
	{ "const g = (a) => f(a);\ng('x')", "1 call f|x\n" },
	{ "g('x'); function g(a) { f(a) }", "1 call f|x\n" },
	{ "const g = (a) => 'b' + a; f(g('x'))", "1 call f|bx\n" },
	{ "class A { constructor(a) { this.a = a } m() { f(this.a) } } new A('x').m()", "1 call f|x" },
	{ "function never() { fs2.gone('x') }", "1 call fs2.gone|x\n" },
	{ "f.call(null, 'x'); f.apply(null, ['y'])", "1 call f|y\n" },
	{ "Reflect.apply(f, null, ['x'])", "1 call~ f|x\n" },
	{ "function g() { g() } g()", "!unread" },
	/* where it comes from */
	{ "fetch(u).then((r) => r.text()).then((t) => eval(t))", "1 hidden eval" },
	{ "fetch('u').then((r) => r.text()).then((t) => eval(t))", "<fetch" },
	{ "fetch('u', { body: JSON.stringify(process.env) })",
	  "1 call fetch|u|body=? <JSON.stringify <process.env\n" },
	{ "const d = { ...process.env }; fetch(d)", "<process.env\n" },
	{ "fetch(process.env.KEY)", "!<process.env\n" },
	{ "const s = net.connect(1, () => spawn(s))", "1 call spawn|? <net.connect" },
	{ "let b = ''; q.on('data', (c) => { b += c }); eval(b)", "<q.on(data)" },
	{ "const u = new URL('x'); u.searchParams.set('a', process.env); fetch(u)",
	  "1 call fetch|? <process.env" },
	/* what is run */
	{ CP "cp.exec('rm -rf /')", "2 command+ rm|-rf|/\n" },
	{ CP "cp.exec(`rm -rf ${require('os').homedir()}`)", "2 command+ rm|-rf|~\n" },
	{ CP "cp.spawn('rm', ['-rf', 'a b'])", "2 command+ rm|-rf|a b\n" },
	{ CP "cp.spawn('sh', ['-c', 'rm x'])", "2 command+ rm|x\n" },
	{ CP "cp.spawn('rm x | y', { shell: true })", "2 command+ y" },
	{ CP "cp.spawn(x, ['a'])", "2 hidden child_process.spawn" },
	{ CP "cp[x]('a')", "2 hidden child_process.?" },
	{ CP "while (true) cp.fork(__filename)", "2 call child_process.fork|./__filename|loop=forever" },
	{ "eval(\"require('fs')\")", "1 import+ fs\n" },
	{ "(0, eval)(\"require('fs')\")", "1 import+ fs\n" },
	{ "eval(atob('cmVxdWlyZSgiZnMiKQ=='))", "1 import~+ fs\n" },
	{ "new Function('a', 'require(\"fs\")')", "1 import+ fs\n" },
	{ "setTimeout(\"require('fs')\", 1)", "1 import+ fs\n" },
	{ "setTimeout(() => 1, 1)", "!hidden" },
	{ "(() => {}).constructor('return process')().exit(3)", "1 call~ process.exit|3" },
	{ "[]['flat']['constructor'](x)", "1 hidden~ Function" },
	{ "new Worker(x)", "!hidden" },
	{ "const { Worker } = require('worker_threads'); new Worker(\"require('fs')\", { eval: true })",
	  "1 import+ fs\n" },
	{ "const s = document.createElement('script'); s.text = \"require('fs')\"", "1 import+ fs\n" },
	{ "y.then(eval)", "1 hidden eval" },
	/* what is written */
	{ "const fs = require('fs'); fs.writeFileSync(fs.a + '/x', 'y')", "1 write ?/x|y" },
	{ "const { join } = require('path'); require('fs').appendFile(join(require('os').homedir(), "
	  "'.bashrc'), "
	  "'y')",
	  "1 write ~/.bashrc|y" },
	{ "require('fs').copyFileSync('a', 'b')", "1 write b|a\n" },
	{ "require('fs').openSync('a', 'r')", "!write" },
	{ "require('fs').openSync('a', 'w')", "1 write a|w\n" },
	/* disguise, and what is no program */
	{ "var _0x1a2b=1,_0x1a2c=_0x1a2b,_0x1a2d=_0x1a2c;_0x1a2b+_0x1a2c+_0x1a2d;_0x1a2b()",
	  "hidden~ disguised names" },
	{ "let = = ]", "1 broken" },
};

static void each_row_is_found(void **state)
{
	unsigned int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *all = tell(scan_javascript, rows[i].program, strlen(rows[i].program));
		const char *fact = rows[i].fact;
		bool is_wanted = *fact != '!';

		if ((strstr(all, is_wanted ? fact : fact + 1) != NULL) != is_wanted) {
			print_error("in '%s'\n%s '%s', found:\n%s", rows[i].program, is_wanted ? "no" : "but",
				    fact, all);
			wrong++;
		}
		free(all);
	}
	assert_int_equal(wrong, 0);
}

static void types_are_nothing(void **state)
{
	static const char text[] =
		"import cp = require('child_process');\n"
		"interface A { x: string }\n"
		"const call = (cp as any)['ex' + 'ec'] as (c: string) => void;\n"
		"function g<T extends A>(a: T, b?: string): void { call!(<string>('rm ' + b)) }\n"
		"g({ x: 'y' } satisfies A, 'z');\n";
	char *all = tell(scan_typescript, text, strlen(text));

	(void)state;
	assert_non_null(strstr(all, "4 command~+ rm|z\n"));
	assert_null(strstr(all, "broken"));
	free(all);
}

static void places_are_those_of_the_text(void **state)
{
	static const char text[] = "a;\n  eval(\n'b.c()')";
	struct facts facts = { 0 };
	const struct fact *f = NULL;

	(void)state;
	assert_int_equal(scan_javascript(text, strlen(text), NULL, &facts), 0);
	for (size_t i = 0; i < facts.n && !f; i++)
		if (!strcmp(facts.list[i].name, "b.c"))
			f = &facts.list[i];
	assert_non_null(f);
	assert_int_equal(f->line, 2);
	assert_int_equal(f->column, 3);
	assert_int_equal(f->end_line, 3);
	assert_int_equal(f->end_column, 9);
	assert_true(f->flags & FACT_NESTED);
	facts_finish(&facts);
}

/* Whatever is repeated this often ends, and behind what ends it is read on or told that it is not. */
static void hostile_texts_end(void **state)
{
	static const struct {
		const char *piece;
		size_t times;
	} texts[] = {
		{ "(", 1000000 },
		{ "[", 100000 },
		{ "f(", 50000 },
		{ "{a:", 50000 },
		{ "x=>", 50000 },
		{ "`${", 20000 },
		{ "a.b().", 50000 },
		{ "'a'+", 100000 },
		{ "!", 50000 },
		{ "a?b:", 50000 },
		{ "function f(){", 5000 },
		{ "class A{a=", 5000 },
		{ "if(a)b();else ", 10000 },
		{ "s=s+s+'a';", 2000 },
		{ "new ", 50000 },
		{ "for(const a of [1,2,3,4,5,6,7,8])", 200 },
		{ "l=[l,l,l];l.push(l);f(l+l);", 500 },
		{ "o={o,p:o};f(o);", 500 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		size_t piece = strlen(texts[i].piece);
		char *text = malloc(piece * texts[i].times), *all;

		assert_non_null(text);
		for (size_t k = 0; k < texts[i].times; k++)
			memcpy(text + k * piece, texts[i].piece, piece);
		all = tell(scan_javascript, text, piece * texts[i].times);
		assert_null(strstr(all, "unread time"));
		free(all);
		free(text);
	}
}

/* Functions that call the next one ten times each, with something else every time: what comes behind is still
 * read. */
static void calls_are_bounded(void **state)
{
	struct buf b = { 0 };
	char *all;

	(void)state;
	for (unsigned int level = 0; level < 9; level++) {
		buf_addf(&b, "const f%u = (x) => {", level);
		for (unsigned int i = 0; i < 10; i++)
			buf_addf(&b, " f%u(x + %u);", level + 1, i);
		buf_addf(&b, " };\n");
	}
	buf_addf(&b, "f0(1); last('x')");
	assert_false(b.failed);
	all = tell(scan_javascript, b.data, b.len);
	assert_non_null(strstr(all, "10 call last|x\n"));
	assert_null(strstr(all, "unread"));
	free(all);
	buf_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_found),
		cmocka_unit_test(types_are_nothing),
		cmocka_unit_test(places_are_those_of_the_text),
		cmocka_unit_test(hostile_texts_end),
		cmocka_unit_test(calls_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
