/* SPDX-License-Identifier: Apache-2.0 */
/* Names as Python understands them: equivalent letters, and modules that are reached through others. */
#include <stdlib.h>

#include "base/str.h"

#include "scan/python/python.h"

/* What the normal form NFKC, which Python applies to identifiers, turns into plain letters: a range each. */
static const struct letters {
	uint32_t first, last;
	const char *plain; /* of the first */
} letters[] = {
	{ 0xaa, 0xaa, "a" },        { 0xba, 0xba, "o" },       { 0x132, 0x132, "IJ" },
	{ 0x133, 0x133, "ij" },     { 0x17f, 0x17f, "s" },     { 0x1c7, 0x1c7, "LJ" },
	{ 0x1c8, 0x1c8, "Lj" },     { 0x1c9, 0x1c9, "lj" },    { 0x1ca, 0x1ca, "NJ" },
	{ 0x1cb, 0x1cb, "Nj" },     { 0x1cc, 0x1cc, "nj" },    { 0x1f1, 0x1f1, "DZ" },
	{ 0x1f2, 0x1f2, "Dz" },     { 0x1f3, 0x1f3, "dz" },    { 0x2b0, 0x2b0, "h" },
	{ 0x2b2, 0x2b2, "j" },      { 0x2b3, 0x2b3, "r" },     { 0x2b7, 0x2b7, "w" },
	{ 0x2b8, 0x2b8, "y" },      { 0x2e1, 0x2e1, "l" },     { 0x2e2, 0x2e2, "s" },
	{ 0x2e3, 0x2e3, "x" },      { 0x1d2c, 0x1d2c, "A" },   { 0x1d2e, 0x1d2e, "B" },
	{ 0x1d30, 0x1d31, "D" },    { 0x1d33, 0x1d3a, "G" },   { 0x1d3c, 0x1d3c, "O" },
	{ 0x1d3e, 0x1d3e, "P" },    { 0x1d3f, 0x1d3f, "R" },   { 0x1d40, 0x1d41, "T" },
	{ 0x1d42, 0x1d42, "W" },    { 0x1d43, 0x1d43, "a" },   { 0x1d47, 0x1d47, "b" },
	{ 0x1d48, 0x1d49, "d" },    { 0x1d4d, 0x1d4d, "g" },   { 0x1d4f, 0x1d4f, "k" },
	{ 0x1d50, 0x1d50, "m" },    { 0x1d52, 0x1d52, "o" },   { 0x1d56, 0x1d56, "p" },
	{ 0x1d57, 0x1d58, "t" },    { 0x1d5b, 0x1d5b, "v" },   { 0x1d62, 0x1d62, "i" },
	{ 0x1d63, 0x1d63, "r" },    { 0x1d64, 0x1d65, "u" },   { 0x1d9c, 0x1d9c, "c" },
	{ 0x1da0, 0x1da0, "f" },    { 0x1dbb, 0x1dbb, "z" },   { 0x2071, 0x2071, "i" },
	{ 0x207f, 0x207f, "n" },    { 0x2090, 0x2090, "a" },   { 0x2091, 0x2091, "e" },
	{ 0x2092, 0x2092, "o" },    { 0x2093, 0x2093, "x" },   { 0x2095, 0x2095, "h" },
	{ 0x2096, 0x2099, "k" },    { 0x209a, 0x209a, "p" },   { 0x209b, 0x209c, "s" },
	{ 0x2102, 0x2102, "C" },    { 0x210a, 0x210a, "g" },   { 0x210b, 0x210b, "H" },
	{ 0x210c, 0x210c, "H" },    { 0x210d, 0x210d, "H" },   { 0x210e, 0x210e, "h" },
	{ 0x2110, 0x2110, "I" },    { 0x2111, 0x2111, "I" },   { 0x2112, 0x2112, "L" },
	{ 0x2113, 0x2113, "l" },    { 0x2115, 0x2115, "N" },   { 0x2119, 0x211b, "P" },
	{ 0x211c, 0x211c, "R" },    { 0x211d, 0x211d, "R" },   { 0x2124, 0x2124, "Z" },
	{ 0x2128, 0x2128, "Z" },    { 0x212a, 0x212a, "K" },   { 0x212c, 0x212d, "B" },
	{ 0x212f, 0x212f, "e" },    { 0x2130, 0x2131, "E" },   { 0x2133, 0x2133, "M" },
	{ 0x2134, 0x2134, "o" },    { 0x2139, 0x2139, "i" },   { 0x2145, 0x2145, "D" },
	{ 0x2146, 0x2147, "d" },    { 0x2148, 0x2149, "i" },   { 0x2160, 0x2160, "I" },
	{ 0x2161, 0x2161, "II" },   { 0x2162, 0x2162, "III" }, { 0x2163, 0x2163, "IV" },
	{ 0x2164, 0x2164, "V" },    { 0x2165, 0x2165, "VI" },  { 0x2166, 0x2166, "VII" },
	{ 0x2167, 0x2167, "VIII" }, { 0x2168, 0x2168, "IX" },  { 0x2169, 0x2169, "X" },
	{ 0x216a, 0x216a, "XI" },   { 0x216b, 0x216b, "XII" }, { 0x216c, 0x216c, "L" },
	{ 0x216d, 0x216e, "C" },    { 0x216f, 0x216f, "M" },   { 0x2170, 0x2170, "i" },
	{ 0x2171, 0x2171, "ii" },   { 0x2172, 0x2172, "iii" }, { 0x2173, 0x2173, "iv" },
	{ 0x2174, 0x2174, "v" },    { 0x2175, 0x2175, "vi" },  { 0x2176, 0x2176, "vii" },
	{ 0x2177, 0x2177, "viii" }, { 0x2178, 0x2178, "ix" },  { 0x2179, 0x2179, "x" },
	{ 0x217a, 0x217a, "xi" },   { 0x217b, 0x217b, "xii" }, { 0x217c, 0x217c, "l" },
	{ 0x217d, 0x217e, "c" },    { 0x217f, 0x217f, "m" },   { 0x2c7c, 0x2c7c, "j" },
	{ 0x2c7d, 0x2c7d, "V" },    { 0xa7f2, 0xa7f2, "C" },   { 0xa7f3, 0xa7f3, "F" },
	{ 0xa7f4, 0xa7f4, "Q" },    { 0xfb00, 0xfb00, "ff" },  { 0xfb01, 0xfb01, "fi" },
	{ 0xfb02, 0xfb02, "fl" },   { 0xfb03, 0xfb03, "ffi" }, { 0xfb04, 0xfb04, "ffl" },
	{ 0xfb05, 0xfb05, "st" },   { 0xfb06, 0xfb06, "st" },  { 0xfe33, 0xfe33, "_" },
	{ 0xfe34, 0xfe34, "_" },    { 0xfe4d, 0xfe4d, "_" },   { 0xfe4e, 0xfe4e, "_" },
	{ 0xfe4f, 0xfe4f, "_" },    { 0x107a5, 0x107a5, "q" }, { 0x1fbf0, 0x1fbf9, "0" },
};

static size_t read_char(const unsigned char *s, size_t len, uint32_t *ret)
{
	size_t n = s[0] < 0xc0 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (n > len)
		n = 1;
	*ret = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++)
		*ret = *ret << 6 | (s[i] & 0x3f);
	return n;
}

/* The plain letters of C into OUT (5 bytes), or false. */
static bool make_plain(uint32_t c, char *out)
{
	out[1] = '\0';
	if (c >= 0xff01 && c <= 0xff5e) {
		out[0] = (char)(c - 0xfee0);
		return true;
	}
	if (c >= 0x1d400 &&
	    c <= 0x1d6a3) { /* mathematical alphabets: 26 capitals, 26 small ones, again and again */
		uint32_t k = (c - 0x1d400) % 52;

		out[0] = (char)(k < 26 ? 'A' + k : 'a' + k - 26);
		return true;
	}
	if (c >= 0x1d7ce && c <= 0x1d7ff) {
		out[0] = (char)('0' + (c - 0x1d7ce) % 10);
		return true;
	}
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (c >= letters[i].first && c <= letters[i].last) {
			strcpy(out, letters[i].plain);
			out[0] = (char)(out[0] + (c - letters[i].first));
			return true;
		}
	return false;
}

const char *py_identifier_text(struct py *p, const char *text, size_t len)
{
	char plain[PY_MAX_NAME + 8];
	size_t n = 0, step;
	bool is_plain = true;

	len = len < PY_MAX_NAME ? len : PY_MAX_NAME;
	for (size_t i = 0; i < len && is_plain; i++)
		is_plain = (unsigned char)text[i] < 0x80;
	if (is_plain)
		return py_intern(p, text, len);
	for (size_t i = 0; i < len && n + 8 < sizeof(plain); i += step) {
		char out[8];
		uint32_t c;

		step = read_char((const unsigned char *)text + i, len - i, &c);
		if (c >= 0x80 && make_plain(c, out)) {
			for (const char *letter = out; *letter; letter++)
				plain[n++] = *letter;
		} else {
			memcpy(plain + n, text + i, step);
			n += step;
		}
	}
	return py_intern(p, plain, n);
}

const char *py_identifier(struct py *p, TSNode n)
{
	size_t len;
	const char *text = tree_bytes(&p->tree, n, &len);

	return py_identifier_text(p, text, len);
}

static int by_name(const void *key, const void *row)
{
	return strcmp(key, *(const char *const *)row);
}

bool py_is_builtin(const char *name)
{
	static const char *const known[] = {
		/* sorted */
		"__builtins__", "__import__",  "bool",    "breakpoint", "bytearray", "bytes",
		"chr",          "classmethod", "compile", "delattr",    "dict",      "dir",
		"enumerate",    "eval",        "exec",    "execfile",   "filter",    "float",
		"frozenset",    "getattr",     "globals", "help",       "hex",       "input",
		"int",          "iter",        "len",     "list",       "locals",    "map",
		"max",          "memoryview",  "min",     "next",       "object",    "open",
		"ord",          "print",       "range",   "raw_input",  "reload",    "repr",
		"reversed",     "round",       "set",     "setattr",    "slice",     "sorted",
		"staticmethod", "str",         "sum",     "super",      "tuple",     "type",
		"unichr",       "vars",        "zip",
	};

	return bsearch(name, known, sizeof(known) / sizeof(*known), sizeof(*known), by_name);
}

bool py_is_plain(const char *name)
{
	static const char *const known[] = {
		/* sorted */
		"bool",      "bytearray", "bytes", "chr",       "classmethod",  "dict",       "dir",
		"enumerate", "filter",    "float", "frozenset", "help",         "hex",        "int",
		"iter",      "len",       "list",  "map",       "max",          "memoryview", "min",
		"next",      "object",    "ord",   "print",     "range",        "repr",       "reversed",
		"round",     "set",       "slice", "sorted",    "staticmethod", "str",        "sum",
		"super",     "tuple",     "type",  "unichr",    "zip",
	};

	return bsearch(name, known, sizeof(known) / sizeof(*known), sizeof(*known), by_name);
}

/* Functions by which a module is recognized when only they are named. */
static const struct owned {
	const char *function, *module;
} owners[] = {
	{ "Popen", "subprocess" },
	{ "call", "subprocess" },
	{ "check_call", "subprocess" },
	{ "check_output", "subprocess" },
	{ "getoutput", "subprocess" },
	{ "run", "subprocess" },
	{ "rmtree", "shutil" },
	{ "environ", "os" },
	{ "execl", "os" },
	{ "execv", "os" },
	{ "execve", "os" },
	{ "execvp", "os" },
	{ "fork", "os" },
	{ "getenv", "os" },
	{ "kill", "os" },
	{ "popen", "os" },
	{ "remove", "os" },
	{ "system", "os" },
	{ "unlink", "os" },
};

/* A name that nobody defined, after "from x import *". */
const char *py_star_name(struct py *p, const char *name)
{
	for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++)
		for (size_t k = 0; k < p->n_stars; k++)
			if (!strcmp(owners[i].function, name) && !strcmp(owners[i].module, p->stars[k]))
				return py_internf(p, "%s.%s", p->stars[k], name);
	return p->n_stars ? py_internf(p, "%s.%s", p->stars[p->n_stars - 1], name) : name;
}

/* Modules that others carry about: shutil.os is os, whoever it is reached by. */
static const char *carried(const char *attr)
{
	static const char *const known[][2] = {
		{ "os", "os" },
		{ "_os", "os" },
		{ "posix", "os" },
		{ "nt", "os" },
		{ "sys", "sys" },
		{ "_sys", "sys" },
		{ "subprocess", "subprocess" },
		{ "shutil", "shutil" },
		{ "_shutil", "shutil" },
		{ "__builtins__", "builtins" },
		{ "builtins", "builtins" },
		{ "_builtins", "builtins" },
		{ "__builtin__", "builtins" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i][0], attr))
			return known[i][1];
	return NULL;
}

const char *py_name_attr(struct py *p, const char *base, const char *attr, size_t len)
{
	const char *name = py_identifier_text(p, attr, len), *module = carried(name);

	if (module)
		return py_intern(p, module, strlen(module));
	if (!strcmp(name, "__dict__")) /* os.__dict__["system"] is os.system */
		return py_intern(p, base, PY_MAX_NAME);
	if (!*base || str_is_one_of(base, "builtins|__builtins__|__builtin__"))
		return name;
	if (str_is_one_of(base, "posix|nt"))
		base = "os";
	if (strstr(base, "__globals__"))
		for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++)
			if (!strcmp(owners[i].function, name))
				return py_internf(p, "%s.%s", owners[i].module, name);
	if (strlen(base) + strlen(name) >= PY_MAX_NAME)
		return py_intern(p, base, PY_MAX_NAME);
	return py_internf(p, "%s.%s", base, name);
}
