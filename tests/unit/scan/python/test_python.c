/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of Python finds: each row is a program and a fact that must be among those found, or must
 * not. */
#include "support/test.h"

#include "base/buf.h"
#include "base/scope.h"
#include "scan/core/tree.h"
#include "unit/scan/tell.h"

static const struct {
	const char *program, *fact; /* a part of what is told; "!..." must not be there */
} rows[] = {
	/* modules and what they are called */
	{ "import os", "1 import os\n" },
	{ "import os as o\no.system('id')", "2 call~ os.system|id\n" },
	{ "from os import system\nsystem('id')", "2 call os.system|id\n" },
	{ "from os import system as s\ns('id')", "2 call~ os.system|id\n" },
	{ "from os import *\nsystem('id')", "2 call os.system|id\n" },
	{ "import os.path\nos.system('id')", "2 call os.system|id\n" },
	{ "import posix\nposix.system('id')", "2 call os.system|id\n" },
	{ "import shutil\nshutil.os.system('id')", "2 call os.system|id\n" },
	{ "__import__('o'+'s').system('id')", "1 call~ os.system|id\n" },
	{ "import importlib as i\ni.import_module('so'[::-1]).system('id')", "2 call~ os.system|id\n" },
	{ "import os\ngetattr(os,'sys'+'tem')('id')", "2 call~ os.system|id\n" },
	{ "import os\nos.__dict__['system']('id')", "2 call~ os.system|id\n" },
	{ "import os\nvars(os)['system']('id')", "2 call~ os.system|id\n" },
	{ "import os\nos.__getattribute__('system')('id')", "2 call~ os.system|id\n" },
	{ "import sys\nsys.modules['os'].system('id')", "2 call~ os.system|id\n" },
	{ "import os\nglobals()['os'].system('id')", "2 call os.system|id\n" },
	{ "__builtins__.__dict__['ev'+'al']('1')", "1 call~ eval|1\n" },
	{ "import builtins as b\nb.exec('1')", "2 call~ exec|1\n" },
	{ "import operator as p, os\np.attrgetter('system')(os)('id')", "2 call~ os.system|id\n" },
	{ "import operator as p, os\np.methodcaller('system','id')(os)", "2 call~ os.system|id\n" },
	{ "\xf0\x9d\x93\xae\xf0\x9d\x94\x81\xf0\x9d\x93\xae\xf0\x9d\x93\xac('1')", "1 call exec|1\n" },
	{ "try:\n  import os\nexcept ImportError:\n  os = None\nos.system('id')", "5 call os.system|id\n" },
	{ "def f(os): os.system('id')", "!call os.system" },
	/* texts put together */
	{ "f=open\nf('a'+'b' 'c')", "2 call open|abc\n" },
	{ "a='b'\nopen(f'{a}/{c}')", "2 call open|b/?\n" },
	{ "open('%s-%d' % ('a', 2))", "1 call open|a-2\n" },
	{ "open('{}{x}{0}'.format('a', x='b'))", "1 call open|aba\n" },
	{ "open('/'.join(['a', 'b', c]))", "1 call open|a/b/?\n" },
	{ "open('axb'.replace('x', '/').upper())", "1 call open|A/B\n" },
	{ "open('abcdef'[4:0:-2])", "1 call open|ec\n" },
	{ "open('\\x61\\142\\u0063\\N')", "1 call open|abc\\N\n" },
	{ "open(r'\\x61')", "1 call open|\\x61\n" },
	{ "open(b'ab'.decode() * 3)", "1 call open|ababab\n" },
	{ "open(''.join(map(chr, [97, 98])))", "1 call open|ab\n" },
	{ "open(''.join(chr(c ^ 1) for c in b'`c'))", "1 call open|ab\n" },
	{ "open(bytes([97, 98]))", "1 call open|ab <bytes\n" },
	{ "open(''.join(reversed('ba')))", "1 call open|ab\n" },
	{ "import base64 as b\nopen(b.b64decode('YWI='))", "2 call open|ab <base64.b64decode\n" },
	{ "open(bytes.fromhex('61 62'))", "1 call open|ab <bytes.fromhex\n" },
	{ "import codecs\nopen(codecs.decode('no', 'rot13'))", "2 call open|ab <codecs.decode\n" },
	{ "x=''\nfor c in [1, 2]:\n  x += chr(96 + c)\nopen(x)", "4 call open|ab\n" },
	{ "i, x = 0, ''\nwhile i < len('ba'):\n  x += chr(97 + i)\n  i += 1\nopen(x)", "5 call open|ab\n" },
	{ "x = 'a'\nwhile y:\n  x += 'b'\nopen(x)", "4 call open|ab?\n" },
	{ "import string\nopen(string.ascii_lowercase[0])", "2 call open|a\n" },
	{ "open((0x6162).to_bytes(2, 'big'))", "1 call open|ab <int.to_bytes\n" },
	{ "open('ba'.translate(str.maketrans('b', 'c')))", "1 call open|ca\n" },
	{ "x = 'a'\nexec('open(x)')", "2 call+ open|a\n" },
	{ "exec('open(x)', {'x': 'a'})", "1 call+ open|a\n" },
	{ "C = type('C', (), {'f': staticmethod(open)})\nC.f('a')", "2 call open|a\n" },
	{ "l=[]\nl.append('a')\nl.extend(['b'])\nopen(''.join(l))", "4 call open|ab\n" },
	{ "d={'k': 'a'}\nd['l']='b'\nopen(d['k']+d.get('l'))", "3 call open|ab\n" },
	{ "(a, (b, *c)) = 'x', ('y', 'z')\nopen(a+b)", "2 call open|xy\n" },
	{ "if (a := 'x'): open(a)", "1 call open|x\n" },
	{ "a = b = 'x'\nopen(a + b)", "2 call open|xx\n" },
	{ "'docstring, not a text'", "!text" },
	{ "x = 'some text'", "1 text some text\n" },
	/* functions, classes, what calls them */
	{ "def f(x, y='b'): open(x + y)\nf('a')", "1 call open|ab\n" },
	{ "def f(x): return x[::-1]\nopen(f('ba'))", "2 call open|ab\n" },
	{ "f = lambda x: x + 'b'\nopen(f('a'))", "2 call open|ab\n" },
	{ "def f(*a, **k): open(a[1])\nf('x', 'y')", "1 call open|y\n" },
	{ "def f(): open(A)\nA = 'late'", "1 call open|late\n" },
	{ "def f():\n  global A\n  A = 'x'\nf()\nopen(A)", "5 call open|x\n" },
	{ "class C:\n  def __init__(self, a): self.a = a\n  def f(self): open(self.a)\nC('x').f()",
	  "3 call open|x\n" },
	{ "class C:\n  A = 'x'\nopen(C.A)", "3 call open|x\n" },
	{ "import os\nclass C:\n  def __reduce__(self): return os.system, ('id',)",
	  "3 call~ os.system|id\n" },
	{ "import os\n@os.system\n@lambda f: 'id'\ndef g(): pass", "2 call os.system|id\n" },
	{ "import os\nlist(map(os.system, ['a', 'b']))", "2 call os.system|b\n" },
	{ "import os\nfrom functools import partial\npartial(os.system, 'id')()", "3 call os.system|id\n" },
	{ "import os, threading\nthreading.Thread(target=os.system, args=('id',))", "2 call os.system|id\n" },
	{ "import os\n{'a': os.system}['a']('id')", "2 call os.system|id\n" },
	{ "import os\nf = os.system\nf('id')", "3 call os.system|id\n" },
	{ "import os\nprint(os.system)", "2 use os.system\n" },
	{ "import builtins, os\nbuiltins.print = os.system\nprint('id')", "3 call os.system|id\n" },
	{ "import socket\ndef f(s: socket.socket): s.connect('x')",
	  "2 call socket.socket.connect|x <socket.socket\n" },
	/* where things come from */
	{ "import requests\nr = requests.get('u')\nexec(r.text)",
	  "3 hidden exec|requests.get.text <requests.get" },
	{ "exec(open('a').read())", "1 hidden exec|? <open <file:a\n" },
	{ "import os, requests\nrequests.post('u', os.environ)",
	  "2 call requests.post|u|os.environ <os.environ\n" },
	{ "import os\nopen(os.environ['A'])", "2 call open|? <os.environ.A\n" },
	{ "import os\nopen(os.getenv('HOME') + '/x')", "2 call open|~/x <os.environ.HOME\n" },
	{ "from urllib.request import urlretrieve as u\nimport os\nu('x', '/t/a')\nos.system('sh /t/a')",
	  "4 call os.system|sh /t/a <urllib.request.urlretrieve\n" },
	{ "import os\nwhile True: os.fork()", "2 call os.fork <endless-loop\n" },
	{ "import os\nwhile True:\n  a.accept()\n  os.fork()", "!endless" },
	/* files */
	{ "open('a', 'w')", "1 write a\n" },
	{ "open('a', mode='r+')", "1 write a\n" },
	{ "open('a')", "!write" },
	{ "from pathlib import Path as P\n(P.home() / '.x').write_text('')", "2 write ~/.x\n" },
	{ "import os.path as p\nopen(p.join(p.expanduser('~'), 'a', 'b'))", "2 call open|~/a/b\n" },
	{ "import os\nfor r, d, f in os.walk('/x'): os.remove(os.path.join(r, f))",
	  "2 call os.remove|/x/?/? <os.walk\n" },
	{ "import shutil\nshutil.copy('a', dst='b')", "2 write b <shutil.copy\n" },
	{ "import os\nos.environ['LD_PRELOAD'] = 'x'", "2 call os.environ.__setitem__|LD_PRELOAD|x\n" },
	/* programs in texts, and what cannot be told */
	{ "exec('import os')", "1 import+ os\n" },
	{ "\nexec('\\n\\nimport os')", "2 import+ os\n" },
	{ "eval(compile('open(1)', '', 'exec'))", "1 call+ open|1\n" },
	{ "exec 'import os'", "1 import+ os\n" },
	{ "import timeit\ntimeit.timeit('x', setup='import os')", "2 import+ os\n" },
	{ "exec(x)", "1 hidden exec|?\n" },
	{ "import subprocess\nsubprocess.run(x)", "2 hidden subprocess.run|?\n" },
	{ "__import__(x)", "1 hidden __import__|?\n" },
	{ "import os\ngetattr(os, x)('id')", "2 hidden getattr:os|id" },
	{ "# -*- coding: utf-7 -*-\n1", "1 hidden~ coding: utf-7\n" },
	{ "# -*- coding: utf-8 -*-\n1", "!hidden" },
	{ "x = (", "1 broken" },
	{ "", "!1" },
};

static void facts_of_programs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		scoped(drop_mem) char *all = tell(scan_python, rows[i].program, strlen(rows[i].program));
		bool is_wanted = *rows[i].fact != '!';

		if (!strstr(all, rows[i].fact + !is_wanted) == is_wanted)
			fail_msg("%s\nshould %shave: %s\nhas:\n%s", rows[i].program, is_wanted ? "" : "not ",
				 rows[i].fact, all);
	}
}

/* Deep, long, growing: each ends, and what is at the end of a deep one is still seen. */
static void hostile_programs(void **state)
{
	static const struct {
		const char *begin, *open, *middle, *close, *end;
		size_t times;
		const char *fact;
	} hostile[] = {
		{ "import os\nos.system(", "(", "'id'", ")", ")", 100000, "2 call os.system|id\n" },
		{ "x = ", "[", "open('a')", "]", "", 100000, "1 call open|a\n" },
		{ "x = ", "-", "open('a')", "", "", 100000, "1 call open|a\n" },
		{ "x = ", "f(", "open('a')", ")", "", 50000, "1 call open|a\n" },
		{ "open('a'", "+'b'", ")", "", "", 60000, "1 call open|abbbbb" },
		{ "s='aaaaaaaaaaaaaaaa'\n", "s=s+s\n", "open(s)", "", "", 5000, "5002 call open|" },
		{ "x = ", "lambda:", "open('a')", "", "", 20000, "1 call open|a\n" },
		{ "", "(", "", "", "", 1u << 20, "1 broken" },
		{ "def f(x): return f(x)+f(x)\n", "f(1)\n", "open('a')", "", "", 5000, "call open|a\n" },
		{ "s='a'*200000\n", "x=s[::-1]\n", "open('a')", "", "", 5000, "unread size\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		scoped(buf_finish) struct buf b = { 0 };
		scoped(drop_mem) char *all = NULL;

		buf_add(&b, hostile[i].begin, strlen(hostile[i].begin));
		for (size_t k = 0; k < hostile[i].times; k++)
			buf_add(&b, hostile[i].open, strlen(hostile[i].open));
		buf_add(&b, hostile[i].middle, strlen(hostile[i].middle));
		for (size_t k = 0; k < hostile[i].times; k++)
			buf_add(&b, hostile[i].close, strlen(hostile[i].close));
		buf_add(&b, hostile[i].end, strlen(hostile[i].end));
		assert_non_null(buf_str(&b));
		all = tell(scan_python, b.data, b.len);
		if (!strstr(all, hostile[i].fact))
			fail_msg("%s%s...: no %s in %.1000s", hostile[i].begin, hostile[i].open,
				 hostile[i].fact, all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_of_programs),
		cmocka_unit_test(hostile_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
