/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the reader of Python and their memory, which is limited. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "scan/python/python.h"

#define CHUNK (64u << 10)

struct py_chunk {
	struct py_chunk *older;
	size_t used, cap;
	_Alignas(16) char data[];
};

struct py_names {
	char **table; /* owned, with the texts */
	size_t n, cap;
};

const struct py_value py_unknown = { .kind = PY_UNKNOWN };
const struct py_value py_none = { .kind = PY_CONST, .name = "None" };
const struct py_value py_true = { .kind = PY_CONST, .name = "True", .number = 1 };
const struct py_value py_false = { .kind = PY_CONST, .name = "False" };

static bool add_chunk(struct py *p, size_t size)
{
	size_t cap = size > CHUNK ? size : CHUNK;
	struct py_chunk *c = p->bytes + cap <= PY_MAX_BYTES ? malloc(sizeof(*c) + cap) : NULL;

	if (!c) {
		p->is_full = true;
		return false;
	}
	*c = (struct py_chunk){ .older = p->chunks, .cap = cap };
	p->chunks = c;
	p->bytes += cap;
	return true;
}

void *py_alloc(struct py *p, size_t size)
{
	void *data;

	size = (size + 15) & ~(size_t)15;
	if ((!p->chunks || p->chunks->cap - p->chunks->used < size) && !add_chunk(p, size))
		return NULL;
	data = p->chunks->data + p->chunks->used;
	p->chunks->used += size;
	return memset(data, 0, size);
}

bool py_work(struct py *p, size_t n)
{
	size_t *left = p->extra ? &p->extra_left : &p->work_left, cost = p->extra ? n / 32 : n;

	*left = cost < *left ? *left - cost : 0;
	return *left;
}

struct py_mark py_mark(const struct py *p)
{
	return (struct py_mark){ p->chunks, p->chunks ? p->chunks->used : 0, p->bytes, p->stores };
}

void py_rewind(struct py *p, struct py_mark mark)
{
	if (mark.stores != p->stores)
		return;
	while (p->chunks && p->chunks != mark.chunk) {
		struct py_chunk *older = p->chunks->older;

		p->bytes -= p->chunks->cap;
		free(p->chunks);
		p->chunks = older;
	}
	if (p->chunks)
		p->chunks->used = mark.used;
}

void py_value_finish(struct py *p)
{
	py_rewind(p, (struct py_mark){ .stores = p->stores });
	if (p->outer)
		return;
	for (size_t i = 0; p->names && i < p->names->cap; i++)
		free(p->names->table[i]);
	if (p->names)
		free(p->names->table);
	free(p->names);
	p->names = NULL;
}

static size_t hash(const char *text, size_t len)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 1099511628211u;
	return (size_t)(h ^ h >> 29);
}

static bool grow_names(struct py_names *names)
{
	size_t cap = names->cap ? names->cap * 2 : 256;
	char **table = calloc(cap, sizeof(*table));

	if (!table)
		return false;
	for (size_t i = 0; i < names->cap; i++)
		if (names->table[i]) {
			size_t at = hash(names->table[i], strlen(names->table[i])) & (cap - 1);

			while (table[at])
				at = (at + 1) & (cap - 1);
			table[at] = names->table[i];
		}
	free(names->table);
	names->table = table;
	names->cap = cap;
	return true;
}

const char *py_intern(struct py *p, const char *text, size_t len)
{
	size_t at;

	len = strnlen(text, len < PY_MAX_NAME ? len : PY_MAX_NAME);
	if (!p->names)
		p->names = calloc(1, sizeof(*p->names));
	if (!p->names || (p->names->n * 2 >= p->names->cap && !grow_names(p->names))) {
		p->is_full = true;
		return "";
	}
	for (at = hash(text, len) & (p->names->cap - 1); p->names->table[at];
	     at = (at + 1) & (p->names->cap - 1))
		if (!strncmp(p->names->table[at], text, len) && !p->names->table[at][len])
			return p->names->table[at];
	if (p->bytes + len + 32 > PY_MAX_BYTES || !(p->names->table[at] = strndup(text, len))) {
		p->is_full = true;
		return "";
	}
	p->names->n++;
	p->bytes += len + 32;
	return p->names->table[at];
}

const char *py_internf(struct py *p, const char *fmt, ...)
{
	char text[PY_MAX_NAME + 1];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return py_intern(p, text, strlen(text));
}

struct py_value *py_new(struct py *p, enum py_kind kind)
{
	struct py_value *v = py_alloc(p, sizeof(*v));

	if (v)
		v->kind = kind;
	return v;
}

const struct py_value *py_borrow(struct py *p, const char *text, size_t len)
{
	struct py_value *v = py_new(p, PY_TEXT);

	if (!v)
		return &py_unknown;
	v->text = text;
	v->n = len;
	return v;
}

const struct py_value *py_text(struct py *p, const char *text, size_t len)
{
	char *copy = len <= PY_MAX_TEXT ? py_alloc(p, len + 1) : NULL;

	if (!copy)
		return &py_unknown;
	if (len)
		memcpy(copy, text, len);
	return py_borrow(p, copy, len);
}

const struct py_value *py_int(struct py *p, long long number)
{
	struct py_value *v = py_new(p, PY_INT);

	if (!v)
		return &py_unknown;
	v->number = number;
	return v;
}

const struct py_value *py_name(struct py *p, const char *interned)
{
	struct py_value *v = py_new(p, PY_NAME);

	if (!v)
		return &py_unknown;
	v->name = interned;
	return v;
}

const struct py_value *py_list_of(struct py *p, const struct buf *items, enum py_kind kind)
{
	return py_list(p, (const struct py_value **)(void *)items->data, items->len / sizeof(void *), kind);
}

const struct py_value *py_list(struct py *p, const struct py_value **items, size_t n, enum py_kind kind)
{
	struct py_value *v = py_new(p, kind);

	if (!v || !(v->items = py_alloc(p, (n + 1) * sizeof(*items))))
		return &py_unknown;
	if (n)
		memcpy(v->items, items, n * sizeof(*items));
	v->n = n;
	return v;
}

const struct py_value *py_with_from(struct py *p, const struct py_value *v, const struct py_from *from)
{
	struct py_value *copy;

	if (!from || v->from == from || !(copy = py_new(p, v->kind)))
		return v;
	*copy = *v;
	copy->from = py_from_join(p, v->from, from);
	return copy;
}

const struct py_from *py_from_add(struct py *p, const struct py_from *from, const char *interned)
{
	struct py_from *longer;

	if (!*interned)
		return from;
	for (size_t i = 0; from && i < from->n; i++)
		if (from->names[i] == interned)
			return from;
	if ((from && from->n == PY_MAX_FROM) || !(longer = py_alloc(p, sizeof(*longer))))
		return from;
	if (from)
		*longer = *from;
	longer->names[longer->n++] = interned;
	return longer;
}

const struct py_from *py_from_join(struct py *p, const struct py_from *a, const struct py_from *b)
{
	if (!a || a == b)
		return b;
	for (size_t i = 0; b && i < b->n; i++)
		a = py_from_add(p, a, b->names[i]);
	return a;
}

const struct py_from *py_from_of(struct py *p, const struct py_value *v)
{
	const struct py_from *from = v->from;

	if (v->kind == PY_NAME && !v->is_called && !v->is_bare && !v->text && strchr(v->name, '.'))
		from = py_from_add(p, from, v->name);
	if (v->kind == PY_LIST || v->kind == PY_DICT)
		for (size_t i = 0; i < v->n && i < PY_MAX_ARGS; i++)
			from = py_from_join(p, from,
					    v->items[i]->kind == PY_NAME ? py_from_of(p, v->items[i])
									 : v->items[i]->from);
	return from;
}

int py_text_of(struct py *p, const struct py_value *v, const char **ret_text, size_t *ret_len)
{
	if (v->kind == PY_INT) {
		char *digits = py_alloc(p, 24);

		if (!digits)
			return -1;
		*ret_len = (size_t)snprintf(digits, 24, "%lld", v->number);
		*ret_text = digits;
		return 0;
	}
	if (v->kind != PY_TEXT && !(v->kind == PY_NAME && v->text))
		return -1;
	*ret_text = v->text;
	*ret_len = v->n;
	return 0;
}

bool py_text_is(const struct py_value *v, const char *text)
{
	return v && v->kind == PY_TEXT && v->n == strlen(text) && !memcmp(v->text, text, v->n);
}
