/* SPDX-License-Identifier: Apache-2.0 */
/* Values, lists and tables of them for the reader of shell, within fixed limits. */
#include "scan/shell/shell.h"

#include <stdlib.h>

void val_finish(struct val *v)
{
	free(v->text);
	strlist_finish(&v->from);
	*v = (struct val){ 0 };
}

void val_add(struct sh *s, struct val *v, const char *text, size_t len)
{
	char *grown;
	size_t kept = 0;

	if (len > SH_MAX_VALUE - v->len)
		len = SH_MAX_VALUE - v->len;
	if (s->bytes > SH_MAX_BYTES && len) {
		text = FACT_NOT_KNOWN;
		len = v->len < 16 ? 1 : 0;
	}
	if (!len)
		return;
	/* Most values are made in one go; the others grow in steps of powers of two. */
	if (!v->text || (v->len + len) / 64 != v->len / 64) {
		size_t cap = 64;

		while (cap <= v->len + len)
			cap *= 2;
		grown = realloc(v->text, cap);
		if (!grown) {
			s->facts->failed = true;
			return;
		}
		v->text = grown;
	}
	for (size_t i = 0; i < len; i++)
		if (text[i])
			v->text[v->len + kept++] = text[i];
	v->len += kept;
	v->text[v->len] = '\0';
	s->bytes += len;
}

void val_add_from(struct val *v, const char *name)
{
	if (v->from.n < SH_MAX_FROM && *name && strlen(name) < 512 && !strlist_has(&v->from, name))
		strlist_add(&v->from, name);
}

void val_take_from(struct val *v, const struct strlist *from)
{
	for (size_t i = 0; i < from->n; i++)
		val_add_from(v, from->items[i]);
}

void val_join(struct sh *s, struct val *v, const struct val *other)
{
	val_add(s, v, val_text(other), other->len);
	v->is_indirect |= other->is_indirect;
	val_take_from(v, &other->from);
}

bool val_is_known(const struct val *v)
{
	return !memchr(val_text(v), SH_UNKNOWN, v->len);
}

void val_set_unknown(struct sh *s, struct val *v)
{
	v->len = 0;
	val_add(s, v, FACT_NOT_KNOWN, 1);
}

void words_add(struct words *w, struct val *v)
{
	struct val *grown = w->list;

	if (w->n >= SH_MAX_WORDS) {
		val_finish(v);
		return;
	}
	if (!(w->n & (w->n - 1)))
		grown = reallocarray(w->list, w->n ? w->n * 2 : 1, sizeof(*grown));
	if (!grown) {
		val_finish(v);
		return;
	}
	w->list = grown;
	w->list[w->n++] = *v;
	*v = (struct val){ 0 };
}

void words_add_text(struct sh *s, struct words *w, const char *text)
{
	struct val v = { 0 };

	val_add(s, &v, text, strlen(text));
	words_add(w, &v);
}

void words_add_copy(struct sh *s, struct words *w, const struct val *v)
{
	struct val copy = { 0 };

	val_join(s, &copy, v);
	words_add(w, &copy);
}

void words_copy(struct sh *s, struct words *to, const struct words *from, size_t first)
{
	for (size_t i = first; i < from->n; i++)
		words_add_copy(s, to, &from->list[i]);
}

void words_finish(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		val_finish(&w->list[i]);
	free(w->list);
	*w = (struct words){ 0 };
}

static size_t slot_of(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return (h ^ (h >> 16)) % 1024u;
}

struct entry *table_find(const struct table *t, const char *name)
{
	for (struct entry *e = t->slots[slot_of(name)]; e; e = e->next)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

struct entry *table_make(struct table *t, const char *name)
{
	struct entry *e = table_find(t, name), **slot = &t->slots[slot_of(name)];

	if (e || t->n >= SH_MAX_NAMES)
		return e;
	e = calloc(1, sizeof(*e));
	if (e)
		e->name = strdup(name);
	if (!e || !e->name) {
		free(e);
		return NULL;
	}
	e->next = *slot;
	*slot = e;
	t->n++;
	return e;
}

void table_set(struct sh *s, struct table *t, const char *name, struct val *v)
{
	struct entry *e = table_make(t, name);

	(void)s;
	if (!e) {
		val_finish(v);
		return;
	}
	words_finish(&e->value);
	words_add(&e->value, v);
}

void table_finish(struct table *t)
{
	for (size_t i = 0; t->n && i < sizeof(t->slots) / sizeof(t->slots[0]); i++)
		while (t->slots[i]) {
			struct entry *e = t->slots[i];

			t->slots[i] = e->next;
			free(e->name);
			words_finish(&e->value);
			words_finish(&e->other);
			free(e);
		}
}
