/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes and items of values of Python: the ways from a module to a function. */
#include "base/str.h"
#include "scan/python/python.h"

/* A method or attribute of a value that is none of a module: "str.join", "?.text". */
static const struct py_value *attr_of_value(struct py *p, const struct py_value *base, const char *attr)
{
	static const char *const types[] = {
		[PY_CONST] = "bool", [PY_INT] = "int",   [PY_TEXT] = "str",
		[PY_LIST] = "list",  [PY_DICT] = "dict", [PY_FUNC] = "function"
	};
	const char *type = base->kind <= PY_FUNC && types[base->kind] ? types[base->kind] : "?";
	struct py_value *v = py_new(p, PY_NAME);

	if (!v)
		return &py_unknown;
	v->name = py_name_attr(p, type, attr, strlen(attr));
	v->is_bare = strchr(v->name, '.') && (*type == '?' || strncmp(attr, "__", 2) != 0) &&
		     !strstr(v->name, "__globals__") && *v->name == *type;
	v->self = base;
	v->from = base->from;
	return v;
}

static const struct py_value *attr_of_class(struct py *p, const struct py_value *base, const char *attr)
{
	const struct py_scope *scope = base->scope;
	const struct py_value *v = NULL;

	for (unsigned int i = 0; i < 16 && scope && !v; i++) {
		v = py_get(p, scope, attr);
		if (!v && scope->base && scope->base->kind == PY_NAME)
			return py_attr(p, scope->base, attr);
		scope = scope->base ? scope->base->scope : NULL;
	}
	if (v && v->kind == PY_FUNC && base->kind == PY_OBJECT) {
		struct py_value *bound = py_new(p, PY_FUNC);

		if (!bound)
			return v;
		*bound = *v;
		bound->self = base;
		return bound;
	}
	return v ? v : attr_of_value(p, base, attr);
}

/* Letters to choose from. */
static const char *letters(const char *name)
{
	static const char *const known[][2] = {
		{ "string.ascii_lowercase", "abcdefghijklmnopqrstuvwxyz" },
		{ "string.ascii_uppercase", "ABCDEFGHIJKLMNOPQRSTUVWXYZ" },
		{ "string.ascii_letters", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" },
		{ "string.digits", "0123456789" },
		{ "string.punctuation", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" },
		{ "string.printable", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i][0], name))
			return known[i][1];
	return NULL;
}

/* The text that the attribute NAME of BASE is; NULL: none that is known. */
static const char *text_of_attr(const struct py_value *base, const char *name, const char *attr)
{
	if (!strcmp(name, "sys.executable"))
		return "python3";
	if (str_is_one_of(name, "os.sep|os.path.sep"))
		return "/";
	return base->text && !strcmp(attr, "path") ? base->text : NULL; /* of os.scandir */
}

const struct py_value *py_attr(struct py *p, const struct py_value *base, const char *attr)
{
	const struct py_value *patched;
	struct py_value *v;

	if ((base->kind == PY_CLASS || base->kind == PY_OBJECT) && base->scope)
		return attr_of_class(p, base, attr);
	if (base->kind != PY_NAME)
		return attr_of_value(p, base, attr);
	v = py_new(p, PY_NAME);
	if (!v)
		return &py_unknown;
	v->name = py_name_attr(p, base->name, attr, strlen(attr));
	patched = strchr(v->name, '.') ? py_get(p, p->module, v->name) : NULL;
	if (patched)
		return patched;
	if (!strcmp(base->name, "string") && letters(v->name))
		return py_borrow(p, letters(v->name), strlen(letters(v->name)));
	v->is_bare = base->is_bare && strchr(v->name, '.') && !strstr(v->name, "__globals__") &&
		     *v->name == *base->name;
	v->is_indirect = base->is_indirect;
	v->self = base;
	v->from = base->from;
	v->text = text_of_attr(base, v->name, attr);
	v->n = v->text == base->text ? base->n : v->text ? strlen(v->text) : 0;
	return v;
}

/* An item of a name of elsewhere, by a text: of sys.modules, of globals(), of the environment. */
static const struct py_value *item_of_name(struct py *p, const struct py_value *base, const char *key,
					   size_t len)
{
	const char *name = py_identifier_text(p, key, len);
	struct py_value *v = py_new(p, PY_NAME);
	const struct py_value *found;

	if (!v)
		return &py_unknown;
	v->is_indirect = true;
	v->from = base->from;
	if (str_is_one_of(base->name, "globals|locals|vars")) {
		found = py_get(p, p->module, name);
		if (found)
			return found;
		v->name = py_name_attr(p, "", key, len);
		v->is_bare = !py_is_builtin(v->name) && strcmp(v->name, "builtins") != 0;
	} else if (!strcmp(base->name, "sys.modules")) {
		v->name = py_name_attr(p, "", key, len);
	} else if (!strncmp(base->name, "os.environ", 10)) {
		v->name = py_internf(p, "os.environ.%s", name);
		v->is_called = true;
		v->from = py_from_add(p, NULL, v->name);
		v->text = !strcmp(name, "HOME") ? "~" : NULL;
		v->n = v->text != NULL;
	} else {
		v->name = py_name_attr(p, base->name, key, len);
		v->is_bare = base->is_bare && *v->name == *base->name && strchr(v->name, '.');
		v->self = base;
	}
	return v;
}

static bool is_same_key(const struct py_value *a, const struct py_value *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind == PY_INT ? a->number == b->number
				 : a->kind == PY_TEXT && a->n == b->n && !memcmp(a->text, b->text, a->n);
}

static const struct py_value *item_of_dict(struct py *p, const struct py_value *base,
					   const struct py_value *key)
{
	for (size_t i = base->n, tries = 0; i >= 2 && tries < 1024; i -= 2, tries++)
		if (is_same_key(base->items[i - 2], key))
			return base->items[i - 1];
	return py_with_from(p, &py_unknown, py_from_of(p, base));
}

static const struct py_value *item_of_row(struct py *p, const struct py_value *base, long long at)
{
	at += at < 0 ? (long long)base->n : 0;
	if (at < 0 || at >= (long long)base->n)
		return py_with_from(p, &py_unknown, base->from);
	return base->kind == PY_LIST ? base->items[at]
				     : py_with_from(p, py_borrow(p, base->text + at, 1), base->from);
}

const struct py_value *py_item(struct py *p, const struct py_value *base, const struct py_value *key)
{
	struct py_value *v;

	if (key->kind == PY_INT && (base->kind == PY_LIST || base->kind == PY_TEXT))
		return item_of_row(p, base, key->number);
	if (base->kind == PY_DICT)
		return item_of_dict(p, base, key);
	if (base->kind != PY_NAME || base->is_bare)
		return py_with_from(p, &py_unknown, base->from);
	if (key->kind == PY_TEXT && !py_is_partly(key->text, key->n))
		return item_of_name(p, base, key->text, key->n);
	v = py_new(p, PY_NAME);
	if (!v)
		return &py_unknown;
	*v = *base;
	v->is_called = true;
	v->text = NULL;
	if (!strcmp(base->name, "os.environ"))
		v->name = py_intern(p, "os.environ.?", 12);
	v->from = py_from_add(p, base->from, v->name);
	return v;
}
