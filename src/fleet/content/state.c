/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects below "state/": "store-R" and "generation-N", empty; "condemned-N-R" and "deleted-N-R" with a name
 * of a pack in each line. They never change, and only gc removes them.
 */
#include "fleet/content/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/root.h"

#define LIST_MOST (64u << 20) /* bytes */

void content_state_finish(struct content_state *st)
{
	strlist_finish(&st->condemned);
	strlist_finish(&st->deleted);
	strlist_finish(&st->lists);
	*st = (struct content_state){ 0 };
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void content_list_sort(struct strlist *l)
{
	if (l->n)
		qsort(l->items, l->n, sizeof(*l->items), compare);
}

bool content_list_has(const struct strlist *sorted, const char *name)
{
	return sorted->n && bsearch(&name, sorted->items, sorted->n, sizeof(*sorted->items), compare);
}

bool content_state_is_gone(const struct content_state *st, const char *pack)
{
	return content_list_has(&st->condemned, pack) || content_list_has(&st->deleted, pack);
}

static int take(void *ctx, const char *name, uint64_t size)
{
	struct content_state *st = ctx;
	unsigned long long generation;

	(void)size;
	if (!*st->store && !strncmp(name, "state/store-", 12))
		snprintf(st->store, sizeof(st->store), "%s", name + 12);
	if (sscanf(name, "state/generation-%10llu", &generation) == 1 && generation > st->generation)
		st->generation = generation;
	strlist_add(&st->lists, name);
	return st->lists.failed ? -ENOMEM : 0;
}

int content_state_read(struct content_store *s, const char *name, struct strlist *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char *rest = NULL, *all;
	int r = content_get(s, name, 0, LIST_MOST, &text, e);

	if (r == -ENOENT) /* gc has removed it meanwhile: then nothing can be in it that matters */
		return 0;
	if (r < 0)
		return r;
	all = buf_str(&text);
	for (char *line = all ? strtok_r(all, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
		if (!content_pack_name_is_good(line))
			return aisbx_refuse(e, AISBX_KIND_CONFLICT, AISBX_AREA_LAYER, EBADMSG,
					    "'%.100s' in %.200s is damaged: it names no packs", name, s->url);
		strlist_add(ret, line);
	}
	return !all || ret->failed ? aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read '%.100s'", name) : 0;
}

int content_state_load(struct content_store *s, struct content_state *ret, struct aisbx_error *e)
{
	scoped(content_state_finish) struct content_state st = { .generation = 1 };
	int r = content_list(s, "state/", "", take, &st, e);

	for (size_t i = 0; r == 0 && i < st.lists.n; i++) {
		if (!strncmp(st.lists.items[i], "state/condemned-", 16))
			r = content_state_read(s, st.lists.items[i], &st.condemned, e);
		else if (!strncmp(st.lists.items[i], "state/deleted-", 14))
			r = content_state_read(s, st.lists.items[i], &st.deleted, e);
	}
	if (r < 0)
		return r;
	content_list_sort(&st.condemned);
	content_list_sort(&st.deleted);
	*ret = st;
	st = (struct content_state){ 0 };
	return 0;
}

int content_state_make(struct content_store *s, struct content_state *st, struct aisbx_error *e)
{
	char name[64];
	uint64_t word;
	int r;

	if (*st->store)
		return 0;
	if (getrandom(&word, sizeof(word), 0) != sizeof(word))
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "name the store %.200s", s->url);
	snprintf(st->store, sizeof(st->store), "%016llx", (unsigned long long)word);
	snprintf(name, sizeof(name), "state/store-%s", st->store);
	r = content_put(s, name, "\n", 1, true, e);
	return r == -EEXIST ? 0 : r;
}

int content_state_begin(struct content_store *s, uint64_t next, struct aisbx_error *e)
{
	char name[64];

	snprintf(name, sizeof(name), "state/generation-%010llu", (unsigned long long)next);
	return content_put(s, name, "\n", 1, true, e);
}

int content_state_say(struct content_store *s, const char *what, uint64_t generation,
		      const struct strlist *packs, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char name[96];
	uint64_t word;
	int r;

	if (!packs->n)
		return 0;
	if (getrandom(&word, sizeof(word), 0) != sizeof(word))
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "write a list of packs");
	for (size_t i = 0; i < packs->n; i++)
		buf_addf(&text, "%s\n", packs->items[i]);
	if (text.failed)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "write a list of packs");
	snprintf(name, sizeof(name), "state/%s-%010llu-%016llx", what, (unsigned long long)generation,
		 (unsigned long long)word);
	r = content_put(s, name, text.data, text.len, true, e);
	return r == -EEXIST ? aisbx_fail(e, AISBX_AREA_LAYER, EEXIST, "write '%s'", name) : r;
}
