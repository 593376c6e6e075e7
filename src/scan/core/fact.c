/* SPDX-License-Identifier: Apache-2.0 */
/* Stores facts, within fixed limits. */
#include "scan/core/fact.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[FACT_KINDS_COUNT] = {
#define X(name, text) text,
	FACT_KINDS(X)
#undef X
};

const char *fact_kind_name(enum fact_kind kind)
{
	return kind_names[kind];
}

/* Up to FACT_MAX_TEXT bytes of S, not in the middle of a character. */
static char *copy_text(struct facts *facts, const char *s)
{
	size_t len = strnlen(s, FACT_MAX_TEXT + 1);
	char *copy;

	if (len > FACT_MAX_TEXT)
		for (len = FACT_MAX_TEXT; len > FACT_MAX_TEXT - 4 && ((unsigned char)s[len] & 0xc0) == 0x80;
		     len--)
			;
	copy = strndup(s, len);
	facts->bytes += len + 1;
	facts->failed |= !copy;
	return copy;
}

static void copy_list(struct facts *facts, const struct strlist *from, struct strlist *to)
{
	size_t n = from->n < FACT_MAX_ARGS ? from->n : FACT_MAX_ARGS;

	if (!n)
		return;
	to->items = calloc(n + 1, sizeof(*to->items));
	if (!to->items) {
		facts->failed = true;
		return;
	}
	while (to->n < n) {
		char *copy = copy_text(facts, from->items[to->n]);

		if (!copy)
			return;
		to->items[to->n++] = copy;
	}
}

static void fact_finish(struct fact *f)
{
	free((char *)f->name);
	strlist_finish(&f->args);
	strlist_finish(&f->from);
}

/* One more place at the end; the list grows at powers of two. */
static bool make_room(struct facts *facts)
{
	struct fact *grown = facts->list;

	if (!(facts->n & (facts->n - 1)))
		grown = reallocarray(facts->list, facts->n ? facts->n * 2 : 1, sizeof(*grown));
	if (!grown) {
		facts->failed = true;
		return false;
	}
	facts->list = grown;
	return true;
}

void facts_add(struct facts *facts, const struct fact *f)
{
	struct fact new = *f;

	/* That something was not read must be told all the same. */
	size_t most = f->kind == FACT_UNREAD ? FACT_MAX + 1 : FACT_MAX;

	if (facts->n >= most || (facts->bytes >= FACT_MAX_BYTES && f->kind != FACT_UNREAD)) {
		facts->dropped++;
		return;
	}
	if (facts->failed || !make_room(facts))
		return;
	new.args = new.from = (struct strlist){ 0 };
	new.name = copy_text(facts, f->name ? f->name : "");
	copy_list(facts, &f->args, &new.args);
	copy_list(facts, &f->from, &new.from);
	if (facts->failed)
		fact_finish(&new);
	else
		facts->list[facts->n++] = new;
}

void facts_finish(struct facts *facts)
{
	for (size_t i = 0; i < facts->n; i++)
		fact_finish(&facts->list[i]);
	free(facts->list);
	*facts = (struct facts){ 0 };
}
