/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports what was found in a Python program, each fact once; programs in its strings are passed to their
 * readers.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/scope.h"
#include "scan/python/python.h"

static uint64_t mix(uint64_t h, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 1099511628211u;
	return (h ^ 0xff) * 1099511628211u;
}

static bool grow_seen(struct py *p)
{
	size_t cap = p->cap_seen ? p->cap_seen * 2 : 512;
	uint64_t *bigger = calloc(cap, sizeof(*bigger));

	if (!bigger)
		return false;
	for (size_t i = 0; i < p->cap_seen; i++)
		if (p->seen[i]) {
			size_t at = p->seen[i] & (cap - 1);

			while (bigger[at])
				at = (at + 1) & (cap - 1);
			bigger[at] = p->seen[i];
		}
	free(p->seen);
	p->seen = bigger;
	p->cap_seen = cap;
	return true;
}

/* Whether this is new. Second rounds of a loop tell much again. */
static bool is_new(struct py *p, uint64_t h)
{
	size_t at;

	h = (h ^ h >> 31) | 1;
	if (p->n_seen * 2 >= p->cap_seen && !grow_seen(p)) {
		p->is_full = true;
		return false;
	}
	for (at = h & (p->cap_seen - 1); p->seen[at]; at = (at + 1) & (p->cap_seen - 1))
		if (p->seen[at] == h)
			return false;
	p->seen[at] = h;
	p->n_seen++;
	return true;
}

static void render(struct py *p, struct buf *b, const struct py_value *v, unsigned int depth);

static void render_all(struct py *p, struct buf *b, const struct py_value *v, unsigned int depth)
{
	for (size_t i = 0; i < v->n && b->len <= FACT_MAX_TEXT; i++) {
		if (i)
			buf_add(b, v->kind == PY_DICT && i % 2 ? "=" : " ", 1);
		render(p, b, v->items[i], depth);
	}
}

static void render(struct py *p, struct buf *b, const struct py_value *v, unsigned int depth)
{
	const char *text;
	size_t len;

	if (b->len > FACT_MAX_TEXT)
		return;
	if (py_text_of(p, v, &text, &len) == 0 && py_work(p, len < FACT_MAX_TEXT ? len : FACT_MAX_TEXT)) {
		size_t start = b->len;

		buf_add(b, text, len < FACT_MAX_TEXT ? len : FACT_MAX_TEXT);
		for (size_t i = start; i < b->len;
		     i++) /* an argument ends at a NUL, which must hide nothing */
			b->data[i] = b->data[i] ? b->data[i] : ' ';
	} else if (v->kind == PY_CONST || (v->kind == PY_NAME && !v->is_called && !v->is_bare)) {
		buf_add(b, v->name, strlen(v->name));
	} else if ((v->kind == PY_LIST || v->kind == PY_DICT) && depth < 3) {
		render_all(p, b, v, depth + 1);
	} else {
		buf_add(b, FACT_NOT_KNOWN, 1);
	}
}

static void add_args(struct py *p, struct fact *f, const struct py_args *a)
{
	if (a->self && a->self->kind == PY_NAME && a->self->is_called &&
	    a->self->text) { /* the path that a method is of */
		scoped(buf_finish) struct buf b = { 0 };

		buf_add(&b, "self=", 5);
		render(p, &b, a->self, 0);
		strlist_add(&f->args, buf_str(&b) ? b.data : FACT_NOT_KNOWN);
	}
	for (size_t i = 0; i < a->n; i++) {
		scoped(buf_finish) struct buf b = { 0 };

		if (a->keys[i])
			buf_addf(&b, "%s=", a->keys[i]);
		render(p, &b, a->values[i], 0);
		strlist_add(&f->args, buf_str(&b) ? b.data : FACT_NOT_KNOWN);
	}
	for (size_t i = 0; a->from && i < a->from->n; i++)
		strlist_add(&f->from, a->from->names[i]);
	if (a->is_endless)
		strlist_add(&f->from, "endless-loop");
}

static bool may_tell(struct py *p, enum fact_kind kind)
{
	if (p->extra && !p->extra_left)
		return false; /* a round that was cut off: what it seems to find is not so */
	if (kind == FACT_TEXT)
		return p->n_texts++ < PY_MAX_TEXTS;
	if (kind == FACT_USE)
		return p->n_uses++ < PY_MAX_TEXTS;
	return true;
}

static void add_fact(struct py *p, struct fact *f, TSNode at)
{
	uint32_t place = ts_node_start_byte(at);
	uint64_t h = mix(14695981039346656037u ^ f->kind, (const char *)&place, sizeof(place));

	h = mix(h, f->name, strlen(f->name));
	for (size_t i = 0; i < f->args.n; i++)
		h = mix(h, f->args.items[i], strlen(f->args.items[i]));
	for (size_t i = 0; i < f->from.n; i++)
		h = mix(h, f->from.items[i], strlen(f->from.items[i]));
	if (f->args.failed || f->from.failed)
		p->is_full = true;
	else if (is_new(p, h))
		facts_add(p->tree.facts, f);
}

void py_tell(struct py *p, enum fact_kind kind, TSNode at, const char *name, const struct py_args *a,
	     bool is_indirect)
{
	struct fact f = tree_fact(&p->tree, at, kind, *name ? name : FACT_NOT_KNOWN);

	if (!may_tell(p, kind))
		return;
	f.flags |= is_indirect ? FACT_INDIRECT : 0;
	if (a)
		add_args(p, &f, a);
	add_fact(p, &f, at);
	strlist_finish(&f.args);
	strlist_finish(&f.from);
}

void py_tell_text(struct py *p, TSNode at, const struct py_value *v)
{
	scoped(buf_finish) struct buf b = { 0 };

	if (v->n < 4)
		return;
	render(p, &b, v, 0);
	if (buf_str(&b))
		py_tell(p, FACT_TEXT, at, b.data, NULL, v->is_indirect);
}

void py_tell_hidden(struct py *p, const struct py_args *a)
{
	py_tell(p, FACT_HIDDEN, a->at, a->name, a, a->is_indirect);
}

void py_tell_write(struct py *p, const struct py_args *a, const struct py_value *path)
{
	struct fact f = tree_fact(&p->tree, a->at, FACT_WRITE, FACT_NOT_KNOWN);
	scoped(buf_finish) struct buf b = { 0 };
	struct py_args none = { .from = a->from };

	render(p, &b, path, 0);
	if (!may_tell(p, FACT_WRITE) || !buf_str(&b))
		return;
	f.name = b.data;
	f.flags |= a->is_indirect || path->is_indirect ? FACT_INDIRECT : 0;
	add_args(p, &f, &none);
	add_fact(p, &f, a->at);
	strlist_finish(&f.args);
	strlist_finish(&f.from);
}

static void read_program(struct py *p, const struct py_args *a, const char *text, size_t len,
			 bool is_indirect, enum py_reader reader)
{
	struct fact at = tree_fact(&p->tree, a->at, FACT_CALL, a->name);
	struct scan_outer inner = { .depth = p->tree.outer ? p->tree.outer->depth + 1 : 1, .at = &at };
	uint32_t place = ts_node_start_byte(a->at);
	const struct py_value *names = py_arg(a, 1, "globals");
	int r;

	if ((p->extra && !p->extra_left) ||
	    !is_new(p, mix(mix(reader, (const char *)&place, sizeof(place)), text, len)))
		return;
	at.flags |= is_indirect || a->is_indirect ? FACT_INDIRECT : 0;
	if (len > p->nested_left) {
		py_tell_hidden(p, a);
		return;
	}
	p->nested_left -= len;
	if (reader == PY_SHELL)
		r = scan_shell(text, len, &inner, p->tree.facts);
	else
		r = py_read_inner(p, text, len, &inner, names && names->kind == PY_DICT ? names : NULL);
	p->is_full |= r < 0;
}

void py_run_text(struct py *p, const struct py_args *a, const struct py_value *v, enum py_reader reader)
{
	scoped(drop_mem) char *copy = NULL;
	const char *text;
	size_t len, known = 0;

	if ((v->kind != PY_TEXT && !v->text) || py_text_of(p, v, &text, &len) < 0) {
		py_tell_hidden(p, a);
		return;
	}
	copy = malloc(len + 1);
	if (!copy) {
		p->is_full = true;
		return;
	}
	for (size_t i = 0; i < len; i++) {
		copy[i] = text[i];
		known += !isspace((unsigned char)text[i]) && text[i] != *FACT_NOT_KNOWN;
		if (reader == PY_PYTHON && copy[i] == *FACT_NOT_KNOWN)
			copy[i] = '_';
	}
	copy[len] = '\0';
	if (!known || (reader == PY_PYTHON && py_is_partly(text, len)))
		py_tell_hidden(p, a);
	if (known)
		read_program(p, a, copy, len, v->is_indirect, reader);
}

static void add_word(struct buf *b, const char *word, size_t len)
{
	bool is_plain = len > 0;

	for (size_t i = 0; i < len && is_plain; i++)
		is_plain = isalnum((unsigned char)word[i]) || (word[i] && strchr("_./:=@%+,-", word[i]));
	if (is_plain) {
		buf_add(b, word, len);
		return;
	}
	buf_add(b, "'", 1);
	for (size_t i = 0; i < len; i++)
		buf_add(b, word[i] == '\'' ? "'\\''" : &word[i], word[i] == '\'' ? 4 : 1);
	buf_add(b, "'", 1);
}

void py_run_words(struct py *p, const struct py_args *a, const struct py_value *const *words, size_t n)
{
	scoped(buf_finish) struct buf b = { 0 };
	bool is_indirect = false;
	const char *text;
	size_t len;

	if (!n || py_text_of(p, words[0], &text, &len) < 0 || (len == 1 && *text == *FACT_NOT_KNOWN)) {
		py_tell_hidden(p, a);
		return;
	}
	for (size_t i = 0; i < n && b.len < PY_MAX_TEXT; i++) {
		if (i)
			buf_add(&b, " ", 1);
		if (py_text_of(p, words[i], &text, &len) < 0) {
			text = FACT_NOT_KNOWN;
			len = 1;
		}
		add_word(&b, text, len);
		is_indirect |= words[i]->is_indirect;
	}
	if (buf_str(&b))
		read_program(p, a, b.data, b.len, is_indirect, PY_SHELL);
}
