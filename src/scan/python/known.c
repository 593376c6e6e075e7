/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of Python and its libraries that run something, look something up by name, call something, or
 * make strings.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/scope.h"
#include "scan/python/python.h"

struct known {
	const char *name;
	const struct py_value *(*run)(struct py *p, struct py_args *a, const struct known *k);
	unsigned char place; /* of the argument that counts */
	const char *key;     /* its name; or what a decoder decodes */
};

static const struct py_value *subject(const struct py_args *a, const struct known *k)
{
	return py_arg(a, k->place, k->key);
}

/* Texts for a shell; a list is words. */
static const struct py_value *run_shell(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k);

	if (!v)
		return NULL;
	if (v->kind == PY_LIST)
		py_run_words(p, a, v->items, v->n);
	else
		py_run_text(p, a, v, PY_SHELL);
	return NULL;
}

/* All arguments from a place on are words: the program and, unless it is a spawn, its name once more. */
static const struct py_value *run_words(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *words[PY_MAX_ARGS];
	size_t n = 0, at = 0;

	for (size_t i = 0; i < a->n; i++)
		if (!a->keys[i] && at++ >= k->place)
			words[n++] = a->values[i];
	if (k->key && n > 2) { /* execl(path, name, ...) */
		words[1] = words[0];
		py_run_words(p, a, words + 1, n - 1);
	} else {
		py_run_words(p, a, words, n);
	}
	return NULL;
}

/* A path, then a list whose first item is a name for it. */
static const struct py_value *run_path_and_list(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *words[PY_MAX_ARGS], *path = py_arg(a, k->place, NULL),
						   *list = py_arg(a, k->place + 1u, NULL);
	size_t n = 0;

	if (!path)
		return NULL;
	words[n++] = path;
	for (size_t i = 1; list && list->kind == PY_LIST && i < list->n && n < PY_MAX_ARGS; i++)
		words[n++] = list->items[i];
	py_run_words(p, a, words, n);
	return NULL;
}

static const struct py_value *run_python(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k), *setup = py_arg(a, PY_MAX_ARGS, "setup");

	/* compile() is no running, but what it made is the text once more: exec() is told of it. */
	if (v && v->kind == PY_FUNC)
		return NULL; /* timeit.timeit(f) */
	if (v && (strcmp(a->name, "compile") != 0 || v->kind == PY_TEXT))
		py_run_text(p, a, v, PY_PYTHON);
	if (setup && setup->kind == PY_TEXT)
		py_run_text(p, a, setup, PY_PYTHON);
	if (!strcmp(a->name, "compile") && v)
		return py_with_from(p, v->kind == PY_TEXT ? v : &py_unknown, a->from);
	return NULL;
}

static const struct py_value *import_by_name(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k);
	struct py_value *m;

	if (!v || v->kind != PY_TEXT || py_is_partly(v->text, v->n)) {
		py_tell_hidden(p, a);
		return NULL;
	}
	m = py_new(p, PY_NAME);
	if (!m)
		return NULL;
	m->name = py_name_attr(p, "", v->text, v->n); /* also maps posix to os */
	m->is_indirect = true;
	py_tell(p, FACT_IMPORT, a->at, m->name, NULL, true);
	if (!strcmp(a->name, "__import__") && a->n == 1 && strchr(m->name, '.')) /* gives the package */
		m->name = py_intern(p, m->name, (size_t)(strchr(m->name, '.') - m->name));
	return m;
}

/* A function of which only the module is known. */
static const struct py_value *fetched(struct py *p, const char *module, const struct py_from *from)
{
	struct py_value *v = py_new(p, PY_UNKNOWN);

	if (!v)
		return &py_unknown;
	v->name = py_internf(p, "getattr:%s", module);
	v->from = from;
	return v;
}

static const struct py_value *get_attr(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *base = py_arg(a, 0, NULL), *attr = py_arg(a, 1, NULL), *v;
	struct py_value *by_name;

	(void)k;
	if (!base || !attr)
		return NULL;
	if (attr->kind != PY_TEXT || py_is_partly(attr->text, attr->n)) {
		if (base->kind == PY_NAME && !base->is_bare && !base->is_called)
			py_tell_hidden(p, a);
		if (base->kind == PY_NAME && !base->is_bare &&
		    !base->is_called) /* so that calling it is told */
			return fetched(p, base->name, a->from);
		return py_with_from(p, &py_unknown, a->from);
	}
	v = py_attr(p, base, py_identifier_text(p, attr->text, attr->n));
	if (v->kind != PY_NAME || !(by_name = py_new(p, PY_NAME)))
		return v;
	*by_name = *v;
	by_name->is_indirect = true;
	if (!by_name->is_bare)
		py_tell(p, FACT_USE, a->at, by_name->name, NULL, true);
	return by_name;
}

/* os.__getattribute__("system") */
static const struct py_value *get_own_attr(struct py *p, struct py_args *a)
{
	struct py_args both = { .at = a->at, .name = a->name, .is_indirect = true };

	if (!a->self)
		return NULL;
	py_arg_add(p, &both, NULL, a->self);
	for (size_t i = 0; i < a->n; i++)
		py_arg_add(p, &both, NULL, a->values[i]);
	return get_attr(p, &both, NULL);
}

static const struct py_value *set_attr(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *base = py_arg(a, 0, NULL), *attr = py_arg(a, 1, NULL), *v = py_arg(a, 2, NULL);

	(void)k;
	if (!base || !attr || !v || attr->kind != PY_TEXT)
		return NULL;
	if ((base->kind == PY_OBJECT || base->kind == PY_CLASS) && base->scope)
		py_set(p, base->scope, py_identifier_text(p, attr->text, attr->n), v);
	else if (base->kind == PY_NAME && !base->is_bare)
		py_set(p, p->module, py_name_attr(p, base->name, attr->text, attr->n), v);
	return NULL;
}

/* vars(os) is os.__dict__. */
static const struct py_value *get_vars(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *base = py_arg(a, 0, NULL);

	(void)p;
	(void)k;
	return base && base->kind == PY_NAME ? base : NULL;
}

static const struct py_value *make_partial(struct py *p, struct py_args *a, const struct known *k)
{
	(void)k;
	return a->n ? py_list(p, a->values, a->n, PY_PARTIAL) : NULL;
}

/* type("C", (Base,), {"name": value}) */
static const struct py_value *make_class(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *bases = py_arg(a, 1, NULL), *names = py_arg(a, 2, NULL);
	struct py_value *v = py_new(p, PY_CLASS);

	(void)k;
	if (!v || !names || names->kind != PY_DICT)
		return NULL;
	v->scope = py_scope_new(p, p->module);
	v->scope->is_class = true;
	if (bases && bases->kind == PY_LIST && bases->n &&
	    (bases->items[0]->kind == PY_CLASS || bases->items[0]->kind == PY_NAME))
		v->scope->base = bases->items[0];
	for (size_t i = 0; i + 1 < names->n; i += 2)
		if (names->items[i]->kind == PY_TEXT)
			py_set(p, v->scope, py_identifier_text(p, names->items[i]->text, names->items[i]->n),
			       names->items[i + 1]);
	return v;
}

static const struct py_value *same(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k);

	(void)p;
	return v && v->kind != PY_UNKNOWN ? v : NULL;
}

/* What is called for them: the function, and where its arguments begin. */
static const struct py_value *call_back(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *f = subject(a, k), *args = py_arg(a, PY_MAX_ARGS, "args");
	struct py_args inner = { .at = a->at };

	if (!f || (f->kind != PY_NAME && f->kind != PY_FUNC && f->kind != PY_PARTIAL))
		return NULL;
	if (!args && k->key)
		args = py_arg(a, k->place + 1u, NULL);
	if (k->key && args && args->kind == PY_LIST) {
		for (size_t i = 0; i < args->n; i++)
			py_arg_add(p, &inner, NULL, args->items[i]);
	} else if (!k->key) {
		for (size_t i = k->place + 1u; i < a->n; i++)
			py_arg_add(p, &inner, a->keys[i], a->values[i]);
	}
	f = py_apply(p, f, &inner);
	return k->key ? NULL : f; /* a thread is no result */
}

static const struct py_value *call_for_each(struct py *p, struct py_args *a, const struct known *k)
{
	scoped(buf_finish) struct buf items = { 0 };
	const struct py_value *f = py_arg(a, 0, NULL), *over = py_arg(a, 1, NULL),
			      *list = over ? py_iterate(p, over) : NULL, *v;

	(void)k;
	if (!f || !over)
		return NULL;
	for (size_t i = 0; i == 0 || (list && i < list->n); i++) {
		struct py_args one = { .at = a->at };

		if (i && !py_extra_begin(p))
			return NULL;
		if (i)
			p->extra_left -= p->extra_left ? 1 : 0;
		py_arg_add(p, &one, NULL, list && list->n ? list->items[i] : py_element(p, over));
		v = py_apply(p, f, &one);
		buf_add(&items, &v, sizeof(v));
		if (i)
			py_extra_end(p);
	}
	if (items.failed || !list)
		return NULL;
	return py_with_from(p, py_list_of(p, &items, PY_LIST), a->from);
}

static const struct py_value *fetch_attr(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *name = py_arg(a, 0, NULL), *items[PY_MAX_ARGS + 1];

	(void)k;
	if (!name || name->kind != PY_TEXT)
		return NULL;
	items[0] =
		py_name(p, py_intern(p, !strcmp(a->name, "operator.attrgetter") ? "getattr" : "operator.call",
				     13));
	memcpy(items + 1, a->values, a->n * sizeof(*items));
	return py_list(p, items, a->n + 1, PY_PARTIAL);
}

/* attrgetter("x")(y): the pieces are in the order x, y. */
static const struct py_value *call_method(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *name = py_arg(a, 0, NULL), *base = a->n ? a->values[a->n - 1] : NULL;
	struct py_args inner = { .at = a->at, .is_indirect = true };

	(void)k;
	if (!name || a->n < 2 || name->kind != PY_TEXT)
		return NULL;
	for (size_t i = 1; i + 1 < a->n; i++)
		py_arg_add(p, &inner, a->keys[i], a->values[i]);
	return py_apply(p, py_attr(p, base, py_identifier_text(p, name->text, name->n)), &inner);
}

static const struct py_value *get_attr_either(struct py *p, struct py_args *a, const struct known *k)
{
	struct py_args turned = *a;

	if (a->n == 2 && a->values[0]->kind == PY_TEXT &&
	    a->values[1]->kind != PY_TEXT) { /* of operator.attrgetter */
		turned.values[0] = a->values[1];
		turned.values[1] = a->values[0];
	}
	return get_attr(p, &turned, k);
}

static const struct py_value *make_char(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k), *made;
	char *text;

	if (v && v->kind == PY_TEXT && v->n == 1)
		return v;
	if (!v || v->kind != PY_INT || v->number < 0 || v->number > 255)
		return NULL;
	text = py_alloc(p, 16);
	if (!text)
		return NULL;
	*text = (char)v->number;
	made = py_borrow(p, text, 1);
	((struct py_value *)made)->is_indirect = made != &py_unknown;
	return py_with_from(p, made, v->from);
}

static const struct py_value *make_number(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k), *base = py_arg(a, 1, "base");
	char digits[32];

	if (v && v->kind == PY_INT)
		return v;
	if (!v || v->kind != PY_TEXT)
		return NULL;
	if (!strcmp(a->name, "ord"))
		return v->n == 1 ? py_int(p, (unsigned char)*v->text) : NULL;
	if (v->n >= sizeof(digits) || !v->n)
		return NULL;
	memcpy(digits, v->text, v->n);
	digits[v->n] = '\0';
	if (base && (base->kind != PY_INT || base->number < 0 || base->number > 36 || base->number == 1))
		return NULL;
	return py_int(p, strtoll(digits, NULL, base ? (int)base->number : 10));
}

static const struct py_value *get_length(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k);

	if (!v || (v->kind != PY_TEXT && v->kind != PY_LIST) ||
	    (v->kind == PY_TEXT && py_is_partly(v->text, v->n)))
		return NULL;
	return py_int(p, (long long)v->n);
}

/* str(), bytes(): a list of numbers is a text, too. */
static const struct py_value *make_text(struct py *p, struct py_args *a, const struct known *k)
{
	scoped(buf_finish) struct buf b = { 0 };
	const struct py_value *v = subject(a, k);
	const char *text;
	size_t len;

	if (!v)
		return NULL;
	if (v->kind == PY_TEXT || (v->kind == PY_NAME && v->text))
		return v;
	if (v->kind == PY_INT && *k->name == 's' && py_text_of(p, v, &text, &len) == 0)
		return py_borrow(p, text, len);
	if (v->kind != PY_LIST || *k->name == 's')
		return NULL;
	for (size_t i = 0; i < v->n && i < PY_MAX_TEXT; i++) {
		if (v->items[i]->kind != PY_INT)
			return NULL;
		buf_add(&b, &(char){ (char)v->items[i]->number }, 1);
	}
	if (b.failed)
		return NULL;
	v = py_with_from(p, py_text(p, b.data, b.len), a->from);
	return py_with_from(p, v, py_from_add(p, NULL, a->name));
}

/* A dictionary of what becomes what. */
static const struct py_value *make_table(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *from = py_arg(a, 0, NULL), *to = py_arg(a, 1, NULL), *pairs[2 * 64];
	size_t n = 0;

	(void)k;
	if (from && from->kind == PY_DICT)
		return from;
	if (!from || !to || from->kind != PY_TEXT || to->kind != PY_TEXT)
		return NULL;
	for (size_t i = 0; i < from->n && i < to->n && i < 64; i++) {
		pairs[n++] = py_borrow(p, from->text + i, 1);
		pairs[n++] = py_borrow(p, to->text + i, 1);
	}
	return py_list(p, pairs, n, PY_DICT);
}

static const struct py_value *decode(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = py_arg(a, k->place, NULL), *how = py_arg(a, 1, "encoding");
	const char *name = k->key;

	if (!v || v->kind != PY_TEXT)
		return NULL;
	if (!name && how && how->kind == PY_TEXT)
		name = py_intern(p, how->text, how->n);
	if (!name || (!strcmp(k->name, "codecs.encode") && strncmp(name, "rot", 3) != 0))
		return NULL;
	v = py_decode(p, v->text, v->n, name);
	return v ? py_with_from(p, v, py_from_add(p, a->from, a->name)) : NULL;
}

static const struct py_value *make_list(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k);

	return !v ? py_list(p, NULL, 0, PY_LIST) : py_iterate(p, v);
}

static const struct py_value *turn_round(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k);

	v = v ? py_iterate(p, v) : NULL;
	v = v ? py_slice(p, v, NULL, NULL, -1) : NULL;
	if (v && v->kind == PY_LIST)
		((struct py_value *)v)->is_indirect = v != &py_unknown;
	return v;
}

static const struct py_value *make_range(struct py *p, struct py_args *a, const struct known *k)
{
	scoped(buf_finish) struct buf items = { 0 };
	long long from = 0, to, step = 1;

	(void)k;
	for (size_t i = 0; i < a->n; i++)
		if (a->values[i]->kind != PY_INT)
			return NULL;
	if (a->n < 1 || a->n > 3)
		return NULL;
	to = a->values[a->n > 1]->number;
	from = a->n > 1 ? a->values[0]->number : 0;
	step = a->n > 2 ? a->values[2]->number : 1;
	if (step <= 0 || from < -4096 || to > 4096 || step > 4096 ||
	    !py_work(p, to > from ? (size_t)(to - from) * 16 : 0))
		return NULL;
	for (; from < to; from += step) {
		const struct py_value *v = py_int(p, from);

		buf_add(&items, &v, sizeof(v));
	}
	return items.failed ? NULL : py_list_of(p, &items, PY_LIST);
}

/* zip() and enumerate(): lists of pairs. */
static const struct py_value *make_pairs(struct py *p, struct py_args *a, const struct known *k)
{
	scoped(buf_finish) struct buf items = { 0 };
	const struct py_value *one = py_arg(a, 0, NULL), *two = py_arg(a, 1, NULL);

	one = one ? py_iterate(p, one) : NULL;
	two = two && *k->name == 'z' ? py_iterate(p, two) : NULL;
	if (!one || (*k->name == 'z' && !two) || !py_work(p, one->n * 64))
		return NULL;
	for (size_t i = 0; i < one->n && (!two || i < two->n); i++) {
		const struct py_value *pair[2] = { two ? one->items[i] : py_int(p, (long long)i),
						   two ? two->items[i] : one->items[i] };
		const struct py_value *v = py_list(p, pair, 2, PY_LIST);

		buf_add(&items, &v, sizeof(v));
	}
	return items.failed ? NULL : py_list_of(p, &items, PY_LIST);
}

static const struct py_value *make_dict(struct py *p, struct py_args *a, const struct known *k)
{
	scoped(buf_finish) struct buf items = { 0 };
	const struct py_value *v, *first = py_arg(a, 0, NULL);

	(void)k;
	if (first && first->kind == PY_DICT)
		buf_add(&items, first->items, first->n * sizeof(v));
	for (size_t i = 0; i < a->n; i++)
		if (a->keys[i]) {
			v = py_borrow(p, a->keys[i], strlen(a->keys[i]));
			buf_add(&items, &v, sizeof(v));
			buf_add(&items, &a->values[i], sizeof(v));
		}
	if (items.failed)
		return NULL;
	return py_with_from(p, py_list_of(p, &items, PY_DICT), a->from);
}

static const struct py_value *get_next(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k);

	return v ? py_element(p, v) : NULL;
}

static const struct py_value *split_words(struct py *p, struct py_args *a, const struct known *k)
{
	const struct py_value *v = subject(a, k);
	struct py_args none = { .at = a->at };

	return v && v->kind == PY_TEXT ? py_method(p, v, "split", &none) : NULL;
}

static const struct known knowns[] = {
	/* sorted by name */
	{ "__import__", import_by_name, 0, "name" },
	{ "asyncio.create_subprocess_exec", run_words, 0, NULL },
	{ "asyncio.create_subprocess_shell", run_shell, 0, "cmd" },
	{ "asyncio.to_thread", call_back, 0, NULL },
	{ "atexit.register", call_back, 0, NULL },
	{ "base64.b16decode", decode, 0, "hex" },
	{ "base64.b32decode", decode, 0, "base32" },
	{ "base64.b64decode", decode, 0, "base64" },
	{ "base64.decodebytes", decode, 0, "base64" },
	{ "base64.decodestring", decode, 0, "base64" },
	{ "base64.standard_b64decode", decode, 0, "base64" },
	{ "base64.urlsafe_b64decode", decode, 0, "base64" },
	{ "binascii.a2b_base64", decode, 0, "base64" },
	{ "binascii.a2b_hex", decode, 0, "hex" },
	{ "binascii.unhexlify", decode, 0, "hex" },
	{ "bytearray", make_text, 0, NULL },
	{ "bytearray.fromhex", decode, 0, "hex" },
	{ "bytes", make_text, 0, NULL },
	{ "bytes.decode", same, 0, NULL },
	{ "bytes.fromhex", decode, 0, "hex" },
	{ "bytes.maketrans", make_table, 0, NULL },
	{ "cProfile.run", run_python, 0, "statement" },
	{ "chr", make_char, 0, NULL },
	{ "classmethod", same, 0, NULL },
	{ "codecs.decode", decode, 0, NULL },
	{ "codecs.encode", decode, 0, NULL },
	{ "commands.getoutput", run_shell, 0, "cmd" },
	{ "commands.getstatusoutput", run_shell, 0, "cmd" },
	{ "compile", run_python, 0, "source" },
	{ "concurrent.futures.ProcessPoolExecutor.submit", call_back, 0, NULL },
	{ "concurrent.futures.ThreadPoolExecutor.submit", call_back, 0, NULL },
	{ "dict", make_dict, 0, NULL },
	{ "enumerate", make_pairs, 0, NULL },
	{ "eval", run_python, 0, "source" },
	{ "exec", run_python, 0, "source" },
	{ "filter", same, 1, NULL },
	{ "frozenset", make_list, 0, NULL },
	{ "functools.partial", make_partial, 0, NULL },
	{ "getattr", get_attr_either, 0, NULL },
	{ "importlib.__import__", import_by_name, 0, "name" },
	{ "importlib.import_module", import_by_name, 0, "name" },
	{ "int", make_number, 0, NULL },
	{ "invoke.run", run_shell, 0, "command" },
	{ "iter", make_list, 0, NULL },
	{ "len", get_length, 0, NULL },
	{ "list", make_list, 0, NULL },
	{ "map", call_for_each, 0, NULL },
	{ "multiprocessing.Process", call_back, 1, "target" },
	{ "next", get_next, 0, NULL },
	{ "operator.attrgetter", fetch_attr, 0, NULL },
	{ "operator.call", call_method, 0, NULL },
	{ "operator.methodcaller", fetch_attr, 0, NULL },
	{ "ord", make_number, 0, NULL },
	{ "os.execl", run_words, 0, "path" },
	{ "os.execle", run_words, 0, "path" },
	{ "os.execlp", run_words, 0, "path" },
	{ "os.execlpe", run_words, 0, "path" },
	{ "os.execv", run_path_and_list, 0, NULL },
	{ "os.execve", run_path_and_list, 0, NULL },
	{ "os.execvp", run_path_and_list, 0, NULL },
	{ "os.execvpe", run_path_and_list, 0, NULL },
	{ "os.popen", run_shell, 0, "cmd" },
	{ "os.popen2", run_shell, 0, "cmd" },
	{ "os.popen3", run_shell, 0, "cmd" },
	{ "os.posix_spawn", run_path_and_list, 0, NULL },
	{ "os.posix_spawnp", run_path_and_list, 0, NULL },
	{ "os.spawnl", run_words, 1, "path" },
	{ "os.spawnle", run_words, 1, "path" },
	{ "os.spawnlp", run_words, 1, "path" },
	{ "os.spawnv", run_path_and_list, 1, NULL },
	{ "os.spawnve", run_path_and_list, 1, NULL },
	{ "os.spawnvp", run_path_and_list, 1, NULL },
	{ "os.startfile", run_shell, 0, "path" },
	{ "os.system", run_shell, 0, "command" },
	{ "pdb.run", run_python, 0, "statement" },
	{ "pexpect.run", run_shell, 0, "command" },
	{ "pexpect.spawn", run_shell, 0, "command" },
	{ "platform.popen", run_shell, 0, "cmd" },
	{ "profile.run", run_python, 0, "statement" },
	{ "psutil.Popen", run_shell, 0, "args" },
	{ "pty.spawn", run_shell, 0, "argv" },
	{ "range", make_range, 0, NULL },
	{ "reversed", turn_round, 0, NULL },
	{ "set", make_list, 0, NULL },
	{ "setattr", set_attr, 0, NULL },
	{ "shlex.join", same, 0, NULL },
	{ "shlex.split", split_words, 0, "s" },
	{ "sorted", make_list, 0, NULL },
	{ "staticmethod", same, 0, NULL },
	{ "str", make_text, 0, NULL },
	{ "str.maketrans", make_table, 0, NULL },
	{ "subprocess.Popen", run_shell, 0, "args" },
	{ "subprocess.call", run_shell, 0, "args" },
	{ "subprocess.check_call", run_shell, 0, "args" },
	{ "subprocess.check_output", run_shell, 0, "args" },
	{ "subprocess.getoutput", run_shell, 0, "cmd" },
	{ "subprocess.getstatusoutput", run_shell, 0, "cmd" },
	{ "subprocess.run", run_shell, 0, "args" },
	{ "textwrap.dedent", same, 0, NULL },
	{ "threading.Thread", call_back, 1, "target" },
	{ "threading.Timer", call_back, 1, "function" },
	{ "timeit.Timer", run_python, 0, "stmt" },
	{ "timeit.repeat", run_python, 0, "stmt" },
	{ "timeit.timeit", run_python, 0, "stmt" },
	{ "tuple", make_list, 0, NULL },
	{ "type", make_class, 0, NULL },
	{ "unichr", make_char, 0, NULL },
	{ "vars", get_vars, 0, NULL },
	{ "zip", make_pairs, 0, NULL },
};

static int by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct known *)row)->name);
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

const struct py_value *py_known(struct py *p, struct py_args *a)
{
	const struct known *k =
		bsearch(a->name, knowns, sizeof(knowns) / sizeof(*knowns), sizeof(*knowns), by_name);
	static const struct known system = { "system", run_shell, 0, NULL };

	if (k)
		return k->run(p, a, k);
	if (ends_with(a->name, ".__getattribute__") || ends_with(a->name, ".__getattr__"))
		return get_own_attr(p, a);
	if (!strncmp(a->name, "ctypes.", 7) &&
	    (ends_with(a->name, ".system") || ends_with(a->name, ".popen")))
		return run_shell(p, a, &system);
	return py_known_path(p, a);
}
