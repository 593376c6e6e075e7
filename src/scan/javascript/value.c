/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a program that is read, not run. They live as long as the reader: none is freed alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/javascript/javascript.h"

#define CHUNK        ((size_t)64 << 10)
#define MAX_GATHERED 400u /* values within a value that are looked at */

struct js_chunk {
	struct js_chunk *next;
	size_t used, size;
	max_align_t data[];
};

void *js_alloc(struct js_reader *r, size_t size)
{
	struct js_chunk *c = r->chunks;
	void *p;

	size = (size + 15) & ~(size_t)15;
	if (!c || c->size - c->used < size) {
		size_t room = size > CHUNK ? size : CHUNK;

		if (r->memory + room > JS_MAX_MEMORY)
			return NULL;
		c = malloc(sizeof(*c) + room);
		if (!c)
			return NULL;
		*c = (struct js_chunk){ .next = r->chunks, .size = room };
		r->chunks = c;
		r->memory += room;
	}
	p = (char *)c->data + c->used;
	c->used += size;
	return memset(p, 0, size);
}

static bool table_grow(struct js_table *t)
{
	struct js_table bigger = { .cap = t->cap ? t->cap * 2 : 256 };

	bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < t->cap; i++)
		if (t->slots[i].value)
			js_table_put(&bigger, t->slots[i].key, t->slots[i].value);
	free(t->slots);
	*t = bigger;
	return true;
}

static size_t slot_of(const struct js_table *t, uint64_t key)
{
	return (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (t->cap - 1);
}

bool js_table_put(struct js_table *t, uint64_t key, void *value)
{
	if (t->n * 2 >= t->cap && !table_grow(t))
		return false;
	for (size_t i = slot_of(t, key);; i = (i + 1) & (t->cap - 1)) {
		if (t->slots[i].value)
			continue;
		t->slots[i] = (struct js_slot){ key, value };
		t->n++;
		return true;
	}
}

void *js_table_get(const struct js_table *t, uint64_t key)
{
	if (!t->cap)
		return NULL;
	for (size_t i = slot_of(t, key); t->slots[i].value; i = (i + 1) & (t->cap - 1))
		if (t->slots[i].key == key)
			return t->slots[i].value;
	return NULL;
}

struct word {
	uint32_t id;
	size_t len;
	char s[];
};

uint64_t js_hash(uint64_t seed, const char *s, size_t len)
{
	uint64_t hash = (seed ^ 0xcbf29ce484222325u) * 0x9e3779b97f4a7c15u, part;

	for (; len >= sizeof(part); s += sizeof(part), len -= sizeof(part)) {
		memcpy(&part, s, sizeof(part));
		hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	part = len;
	while (len--)
		part = part << 8 | (unsigned char)s[len];
	hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

const char *js_intern(struct js_reader *r, const char *s, size_t len, uint32_t *ret_id, bool *ret_is_new)
{
	struct js_table *t = &r->names;
	uint64_t hash = js_hash(0, s, len);
	struct word *w;

	*ret_id = 0;
	*ret_is_new = false;
	for (size_t i = t->cap ? slot_of(t, hash) : 0; t->cap && t->slots[i].value;
	     i = (i + 1) & (t->cap - 1)) {
		w = t->slots[i].value;
		if (t->slots[i].key == hash && w->len == len && !memcmp(w->s, s, len)) {
			*ret_id = w->id;
			return w->s;
		}
	}
	w = js_alloc(r, sizeof(*w) + len + 1);
	if (!w || !js_table_put(t, hash, w))
		return "";
	w->id = ++r->n_names;
	w->len = len;
	memcpy(w->s, s, len);
	*ret_id = w->id;
	*ret_is_new = true;
	return w->s;
}

const char *js_word(struct js_reader *r, const char *s)
{
	uint32_t id;
	bool is_new;

	return js_intern(r, s, strlen(s), &id, &is_new);
}

static struct js_value *make(struct js_reader *r, enum js_type type)
{
	struct js_value *v = js_alloc(r, sizeof(*v));

	if (!v)
		return &r->unknown;
	v->type = type;
	return v;
}

struct js_value *js_unknown(struct js_reader *r, const struct js_from *from)
{
	struct js_value *v = from ? make(r, JS_V_UNKNOWN) : &r->unknown;

	if (v != &r->unknown)
		v->from = from;
	return v;
}

struct js_value *js_undefined(struct js_reader *r)
{
	return make(r, JS_V_UNDEFINED);
}

struct js_value *js_text(struct js_reader *r, const char *data, size_t len, unsigned int flags)
{
	struct js_value *v = len <= UINT32_MAX ? make(r, JS_V_TEXT) : &r->unknown;

	if (v == &r->unknown)
		return v;
	v->data = data;
	v->len = (uint32_t)len;
	v->flags = (uint8_t)flags;
	return v;
}

struct js_value *js_text_copy(struct js_reader *r, const char *data, size_t len, unsigned int flags)
{
	char *copy = NULL;

	/* What is put together is counted where that is done, or here when it is not. */
	if (len <= JS_MAX_TEXT && r->folded <= JS_MAX_FOLDED)
		copy = js_alloc(r, len + 1);
	if (!copy)
		return js_unknown(r, NULL);
	r->folded += len;
	memcpy(copy, data, len);
	return js_text(r, copy, len, flags);
}

struct js_value *js_number(struct js_reader *r, double number)
{
	struct js_value *v = make(r, JS_V_NUMBER);

	if (v != &r->unknown)
		v->number = number;
	return v;
}

struct js_value *js_bool(struct js_reader *r, bool truth)
{
	struct js_value *v = make(r, JS_V_BOOL);

	if (v != &r->unknown)
		v->number = truth;
	return v;
}

struct js_value *js_name(struct js_reader *r, const char *name, unsigned int flags)
{
	return js_name_interned(r, js_word(r, name), flags);
}

struct js_value *js_name_interned(struct js_reader *r, const char *name, unsigned int flags)
{
	struct js_value *v = make(r, JS_V_NAME);

	if (v == &r->unknown)
		return v;
	v->data = name;
	v->len = (uint32_t)strlen(name);
	v->flags = (uint8_t)flags;
	return v;
}

struct js_value *js_namef(struct js_reader *r, unsigned int flags, const char *a, const char *b)
{
	size_t x = strlen(a), y = strlen(b);
	char name[JS_MAX_NAME + 8];

	/* Of a chain that is too long the end tells more than the middle. */
	snprintf(name, sizeof(name), x + y > JS_MAX_NAME ? "%.60s...%.100s" : "%s%s", a, b);
	return js_name(r, name, flags);
}

struct js_value *js_list(struct js_reader *r)
{
	struct js_value *v = make(r, JS_V_LIST);

	if (v == &r->unknown)
		return v;
	v->list = js_alloc(r, sizeof(*v->list));
	return v->list ? v : &r->unknown;
}

void js_list_add(struct js_reader *r, struct js_value *list, struct js_value *item)
{
	struct js_list *l = list->list;

	if (list->type != JS_V_LIST)
		return;
	if (l->n == l->cap) {
		uint32_t cap = l->cap ? l->cap * 2 : 8;
		struct js_value **grown =
			cap <= JS_MAX_ITEMS ? js_alloc(r, cap * sizeof(struct js_value *)) : NULL;

		if (!grown) {
			l->has_more = true;
			return;
		}
		if (l->n)
			memcpy(grown, l->items, l->n * sizeof(struct js_value *));
		l->items = grown;
		l->cap = cap;
	}
	l->items[l->n++] = item;
}

struct js_value *js_object(struct js_reader *r)
{
	struct js_value *v = make(r, JS_V_OBJECT);

	if (v == &r->unknown)
		return v;
	v->object = js_alloc(r, sizeof(*v->object));
	return v->object ? v : &r->unknown;
}

static struct js_prop *find_prop(struct js_reader *r, const struct js_value *object, const char *key,
				 size_t len)
{
	struct js_prop *p = object->type == JS_V_OBJECT && object->object ? object->object->first : NULL;
	uint32_t id;
	bool is_new;

	if (!p)
		return NULL;
	key = js_intern(r, key, len, &id, &is_new);
	while (p && p->key != key)
		p = p->next;
	return p;
}

void js_object_set(struct js_reader *r, struct js_value *object, const char *key, size_t len,
		   struct js_value *value)
{
	struct js_prop *p = find_prop(r, object, key, len);
	uint32_t id;
	bool is_new;

	if (object->type != JS_V_OBJECT)
		return;
	if (p) {
		p->value = value;
		return;
	}
	if (object->object->n >= JS_MAX_PROPS)
		return;
	p = js_alloc(r, sizeof(*p));
	if (!p)
		return;
	*p = (struct js_prop){ .key = js_intern(r, key, len, &id, &is_new), .value = value };
	if (object->object->last)
		object->object->last->next = p;
	else
		object->object->first = p;
	object->object->last = p;
	object->object->n++;
}

struct js_value *js_object_get(struct js_reader *r, const struct js_value *object, const char *key,
			       size_t len)
{
	struct js_prop *p = find_prop(r, object, key, len);

	return p ? p->value : NULL;
}

struct js_value *js_copy(struct js_reader *r, const struct js_value *v)
{
	struct js_value *copy = make(r, (enum js_type)v->type);

	if (copy != &r->unknown)
		*copy = *v;
	return copy;
}

struct js_value *js_with_from(struct js_reader *r, struct js_value *v, const struct js_from *from)
{
	const struct js_from *joined = js_from_join(r, v->from, from);
	struct js_value *copy;

	if (joined == v->from)
		return v;
	copy = js_copy(r, v);
	if (copy != &r->unknown)
		copy->from = joined;
	return copy;
}

/* Nothing is known of it but perhaps where it came from. */
static bool is_nothing(const struct js_value *v)
{
	return v->type == JS_V_UNKNOWN || (v->type == JS_V_NAME && (v->flags & JS_LOCAL));
}

static bool is_same(const struct js_value *a, const struct js_value *b)
{
	if (a->type != b->type)
		return false;
	if (a->type == JS_V_TEXT || a->type == JS_V_NAME)
		return a->len == b->len && (a->data == b->data || !memcmp(a->data, b->data, a->len));
	return a->type == JS_V_NUMBER || a->type == JS_V_BOOL ? a->number == b->number : a->list == b->list;
}

static void add_alternatives(struct js_reader *r, struct js_value *to, const struct js_value *v)
{
	for (; v; v = v->alt) {
		struct js_value *last = to, *copy;
		unsigned int n = 1;

		for (; last->alt && !is_same(last, v); last = last->alt)
			n++;
		if (n >= JS_MAX_ALTS || is_same(last, v))
			continue;
		copy = js_copy(r, v);
		if (copy == &r->unknown)
			return;
		copy->alt = NULL;
		last->alt = copy;
	}
}

struct js_value *js_choice(struct js_reader *r, struct js_value *a, struct js_value *b)
{
	struct js_value *first;

	if (a == b || b->type == JS_V_UNDEFINED)
		return a;
	if (a->type == JS_V_UNDEFINED)
		return b;
	if (is_nothing(a) || is_nothing(b))
		return is_nothing(b) ? js_with_from(r, a, b->from) : js_with_from(r, b, a->from);
	if (!a->alt && !b->alt && is_same(a, b))
		return js_with_from(r, a, b->from);
	first = js_copy(r, a);
	if (first == &r->unknown)
		return first;
	first->alt = NULL;
	add_alternatives(r, first, a->alt);
	add_alternatives(r, first, b);
	return first;
}

const struct js_from *js_from_add(struct js_reader *r, const struct js_from *from, const char *name)
{
	struct js_from *f;

	if (from && from->n >= JS_MAX_FROM)
		return from;
	name = js_word(r, name);
	for (const struct js_from *i = from; i; i = i->next)
		if (i->name == name)
			return from;
	f = js_alloc(r, sizeof(*f));
	if (!f)
		return from;
	*f = (struct js_from){ .name = name, .next = from, .n = from ? from->n + 1 : 1 };
	return f;
}

const struct js_from *js_from_join(struct js_reader *r, const struct js_from *a, const struct js_from *b)
{
	if (!a || a == b)
		return b;
	for (; b; b = b->next)
		a = js_from_add(r, a, b->name);
	return a;
}

static const struct js_from *gather(struct js_reader *r, const struct js_from *from, const struct js_value *v,
				    unsigned int depth, unsigned int *left)
{
	for (unsigned int n = 0; v && n < JS_MAX_ALTS && *left; v = v->alt, n++, --*left) {
		from = js_from_join(r, from, v->from);
		if (v->type == JS_V_NAME && !(v->flags & JS_LOCAL) && !strstr(v->data, "()"))
			from = js_from_add(r, from, v->data);
		if (v->type == JS_V_LIST)
			for (uint32_t i = 0; i < v->list->n && i < 64 && depth < 3; i++)
				from = gather(r, from, v->list->items[i], depth + 1, left);
		if (v->type == JS_V_OBJECT)
			for (struct js_prop *p = v->object->first; p && depth < 3; p = p->next)
				from = gather(r, from, p->value, depth + 1, left);
	}
	return from;
}

const struct js_from *js_from_all(struct js_reader *r, const struct js_value *v)
{
	unsigned int left = MAX_GATHERED;

	return gather(r, NULL, v, 0, &left);
}

bool js_is_text(const struct js_value *v, const char *text)
{
	return v && v->type == JS_V_TEXT && v->len == strlen(text) && !memcmp(v->data, text, v->len);
}

bool js_is_name(const struct js_value *v, const char *name)
{
	return v && v->type == JS_V_NAME && !strcmp(v->data, name);
}
