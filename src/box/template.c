/* SPDX-License-Identifier: Apache-2.0 */
/* Finds templates by name for whom we act for, lists them, and takes their names away. */
#include "box/template.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"
#include "box/template_row.h"

void box_template_list_finish(struct box_template *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		box_template_finish(&list[i]);
	free(list);
}

void box_template_told_as(const struct box_template *t, char ret[BOX_KEY_MAX + 1])
{
	const char *me = box_acting_for() ? box_acting_for() : "";
	bool own = !strcmp(t->row.owner, me) || !t->row.owner[0];

	snprintf(ret, BOX_KEY_MAX + 1, "%s%s%s", own ? "" : t->row.owner, own ? "" : "/", t->row.name);
}

static bool is_there(const struct box_template *t)
{
	bool over = t->expires_ms && t->expires_ms <= box_now_ms();

	return !over && (t->shared || box_owns(t->row.owner));
}

/* A name without an owner means one's own, else the person's; never that of a third. */
static int find(struct box_state *s, const char *key, bool exactly, struct box_template *ret,
		struct aisbx_error *e)
{
	const char *slash = strchr(key, '/'), *name = slash ? slash + 1 : key;
	scoped(store_template_finish) struct store_template row = { 0 };
	scoped(box_template_finish) struct box_template t = { 0 };
	char owner[STORE_NAME_MAX + 1];
	int r;

	snprintf(owner, sizeof(owner), "%s", box_acting_for() ? box_acting_for() : "");
	if (slash && slash - key > STORE_NAME_MAX)
		return store_template_missing(key, e);
	if (slash)
		snprintf(owner, sizeof(owner), "%.*s", (int)(slash - key), key);
	r = store_template_find(s->store, owner, name, &row, e);
	if (r == -ENOENT || (r == 0 && (slash || exactly) && strcmp(row.owner, owner) != 0))
		return store_template_missing(key, e);
	if (r == 0)
		r = template_settings_read(&row, &t, e);
	if (r < 0)
		return r;
	if (!is_there(&t))
		return store_template_missing(key, e);
	*ret = t;
	t = (struct box_template){ 0 };
	return 0;
}

int box_template_find(struct box_state *s, const char *key, struct box_template *ret, struct aisbx_error *e)
{
	return find(s, key, false, ret, e);
}

/* All, whoever may see them. */
static int list_all(struct box_state *s, struct box_template **ret, size_t *ret_n, struct aisbx_error *e)
{
	struct store_template *rows = NULL;
	struct box_template *list;
	size_t n = 0, made = 0;
	int r = store_template_list(s->store, NULL, &rows, &n, e);

	if (r < 0)
		return r;
	list = calloc(n ? n : 1, sizeof(*list));
	if (!list)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list templates");
	for (; r == 0 && made < n; made++)
		r = template_settings_read(&rows[made], &list[made], e);
	store_template_list_finish(rows, n);
	if (r < 0) {
		box_template_list_finish(list, list ? made : 0);
		return r;
	}
	*ret = list;
	*ret_n = n;
	return 0;
}

int box_template_list(struct box_state *s, struct box_template **ret, size_t *ret_n, struct aisbx_error *e)
{
	struct box_template *list = NULL;
	size_t n = 0, kept = 0;
	int r = list_all(s, &list, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++)
		if (is_there(&list[i]))
			list[kept++] = list[i];
		else
			box_template_finish(&list[i]);
	if (r < 0)
		return r;
	*ret = list;
	*ret_n = kept;
	return 0;
}

static int forget(struct box_state *s, const struct box_template *t, const char *event, struct aisbx_error *e)
{
	int r = store_begin(s->store, e);

	if (r == 0)
		r = store_template_remove(s->store, t->row.owner, t->row.name, e);
	if (r == 0)
		r = store_event_add(s->store, event, NULL, NULL, e, "{\"name\":\"%s\"}", t->row.name);
	if (r == 0)
		r = store_commit(s->store, e);
	if (r < 0)
		store_rollback(s->store);
	return r;
}

int box_template_remove(struct box_state *s, const char *key, struct aisbx_error *e)
{
	scoped(box_template_finish) struct box_template t = { 0 };
	int r = find(s, key, true, &t, e);

	if (r == 0 && !box_owns(t.row.owner)) /* shared: to be used, not to be taken away */
		r = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				 "template '%s' belongs to somebody else, who shares it", key);
	if (r == 0)
		r = forget(s, &t, "template.removed", e);
	return r == 0 ? box_collect(s, NULL, e) : r;
}

int box_template_expire(struct box_state *s, size_t *ret_n, struct aisbx_error *e)
{
	struct box_template *list = NULL;
	size_t n = 0, gone = 0;
	int r = list_all(s, &list, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		if (!list[i].expires_ms || list[i].expires_ms > box_now_ms())
			continue;
		r = forget(s, &list[i], "template.expired", e);
		gone += r == 0;
	}
	box_template_list_finish(list, n);
	if (r == 0)
		*ret_n = gone;
	return r;
}
