/* SPDX-License-Identifier: Apache-2.0 */
/* DIR/tenants/TENANT/projects/TREE. What no job uses stays until there are a few newer ones. */
#include "fleet/agent/trees.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/agent/agent.h"
#include "fleet/agent/carry.h"
#include "fleet/core/memory.h"

/* So many of a tenant stay without a job. */
#define KEEP 4
/* Names of those that are being removed. */
#define OLD "old-"

struct tree {
	struct tree *next;
	struct trees *all; /* borrowed */
	char tenant[FLEET_NAME];
	char id[CONTENT_TREE];
	unsigned int users;
	bool is_there;
	uint64_t used_ms;
	struct carrier *carrier; /* owned; it is on its way */
};

/* A tenant whose directory was looked at. */
struct known {
	struct known *next;
	char tenant[FLEET_NAME];
};

struct trees {
	struct trees_options o;
	struct tree *trees;  /* owned */
	struct known *known; /* owned */
	uint64_t n_old;      /* for names that are not used twice */
};

struct trees *trees_create(const struct trees_options *options)
{
	struct trees *t = fleet_new(sizeof(*t));

	*t = (struct trees){ .o = *options };
	return t;
}

void trees_destroy(struct trees *t)
{
	if (!t)
		return;
	for (struct tree *one = t->trees, *next; one; one = next) {
		next = one->next;
		carrier_stop(one->carrier);
		free(one);
	}
	for (struct known *k = t->known, *next; k; k = next) {
		next = k->next;
		free(k);
	}
	free(t);
}

static void dir_of(const struct trees *t, const char *tenant, char ret[PATH_MAX])
{
	snprintf(ret, PATH_MAX, "%s/tenants/%s/projects", t->o.dir, tenant);
}

void trees_path(const struct trees *t, const char *tenant, const char *tree, char ret[PATH_MAX])
{
	snprintf(ret, PATH_MAX, "%s/tenants/%s/projects/%s", t->o.dir, tenant, tree);
}

int trees_place(const struct trees *t, const char *tenant, char key[PATH_MAX], char cache[PATH_MAX],
		struct content_place *ret, struct aisbx_error *e)
{
	if (!t->o.store || !t->o.keys)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			"this node was started without --store and --keys, so no project can come "
			"to it");
	snprintf(key, PATH_MAX, "%s/%s.key", t->o.keys, tenant);
	snprintf(cache, PATH_MAX, "%s/tenants/%s/content", t->o.dir, tenant);
	if (access(key, R_OK) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "read the key of tenant '%s', '%s'", tenant, key);
	*ret = (struct content_place){ t->o.store, key, tenant, cache };
	return 0;
}

static struct tree *find(struct trees *t, const char *tenant, const char *id)
{
	struct tree *one = t->trees;

	while (one && (strcmp(one->id, id) != 0 || strcmp(one->tenant, tenant) != 0))
		one = one->next;
	return one;
}

static struct tree *add(struct trees *t, const char *tenant, const char *id, bool is_there)
{
	struct tree *one = fleet_new(sizeof(*one));

	*one = (struct tree){ .next = t->trees, .all = t, .is_there = is_there };
	snprintf(one->tenant, sizeof(one->tenant), "%s", tenant);
	snprintf(one->id, sizeof(one->id), "%s", id);
	t->trees = one;
	return one;
}

static void drop(struct trees *t, struct tree *one)
{
	struct tree **at = &t->trees;

	while (*at != one)
		at = &(*at)->next;
	*at = one->next;
	free(one);
}

static void remove_dir(struct trees *t, const char *tenant, const char *path)
{
	char state[PATH_MAX];
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct carry_request q = { .place = { .tenant = tenant }, .state = state, .remove = path };
	struct carrier *c;

	snprintf(state, sizeof(state), "%s/tenants/%s/state", t->o.dir, tenant);
	carrier_start(t->o.loop, &q, &c, &e); /* what stays is removed after the next start */
}

/* Out of the way at once, and removed by somebody else, for that may take long. */
static void put_away(struct trees *t, const char *tenant, const char *id)
{
	char from[PATH_MAX], to[PATH_MAX + 64];

	trees_path(t, tenant, id, from);
	snprintf(to, sizeof(to), "%s/tenants/%s/projects/" OLD "%llx-%llu", t->o.dir, tenant,
		 (unsigned long long)loop_now().wall_ms, (unsigned long long)++t->n_old);
	if (rename(from, to) == 0)
		remove_dir(t, tenant, to);
}

/* What was there when the node was started: whole trees; the rest is of a node that was killed. */
static void look_around(struct trees *t, const char *tenant, const char *wanted)
{
	char dir[PATH_MAX], path[PATH_MAX + 256];
	scoped(drop_dir) DIR *d = NULL;
	const struct dirent *entry;
	struct known *k = t->known;

	while (k && strcmp(k->tenant, tenant) != 0)
		k = k->next;
	if (k)
		return;
	k = fleet_new(sizeof(*k));
	snprintf(k->tenant, sizeof(k->tenant), "%s", tenant);
	k->next = t->known;
	t->known = k;
	dir_of(t, tenant, dir);
	d = opendir(dir);
	while (d && (entry = readdir(d))) {
		const bool half = entry->d_name[0] == '.' && strstr(entry->d_name, ".pull-") &&
				  strncmp(entry->d_name + 1, wanted, strlen(wanted)) != 0;

		if (content_is_tree(entry->d_name))
			add(t, tenant, entry->d_name, true);
		else if (half || !strncmp(entry->d_name, OLD, strlen(OLD))) {
			snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
			remove_dir(t, tenant, path);
		}
	}
}

/* The oldest that no job uses, of more than are kept. */
static void sweep(struct trees *t, const char *tenant)
{
	for (;;) {
		struct tree *oldest = NULL;
		unsigned int n = 0;

		for (struct tree *one = t->trees; one; one = one->next) {
			if (one->users || one->carrier || strcmp(one->tenant, tenant) != 0)
				continue;
			n++;
			if (!oldest || one->used_ms < oldest->used_ms)
				oldest = one;
		}
		if (n <= KEEP)
			return;
		put_away(t, tenant, oldest->id);
		drop(t, oldest);
	}
}

/* Not here, nor elsewhere: there is no such tree, or it cannot be one. */
static bool is_bad(const json_t *error)
{
	const json_int_t code = json_integer_value(json_object_get(error, "code"));
	const char *kind = json_string_value(json_object_get(error, "kind"));

	return code == -ENODATA ||
	       (code == -EBADMSG && kind && !strcmp(kind, aisbx_kind_name(AISBX_KIND_DENIED)));
}

static void on_fetched(void *ctx, const json_t *said)
{
	struct tree *one = ctx;
	const json_t *error = json_object_get(said, "error");
	const char *why = json_string_value(json_object_get(error, "text"));
	char tenant[FLEET_NAME], id[CONTENT_TREE], text[1024];

	one->carrier = NULL;
	one->is_there = json_object_get(said, "ok") != NULL;
	memcpy(tenant, one->tenant, sizeof(tenant));
	memcpy(id, one->id, sizeof(id));
	snprintf(text, sizeof(text), "the project did not come: %s", why ? why : "its carrier was killed");
	one->all->o.ready(one->all->o.ctx, tenant, id, one->is_there ? NULL : text, is_bad(error));
}

static int fetch(struct trees *t, struct tree *one, struct aisbx_error *e)
{
	char key[PATH_MAX], cache[PATH_MAX], to[PATH_MAX], state[PATH_MAX];
	struct carry_request q = { .state = state,
				   .fetch = one->id,
				   .to = to,
				   .boxes = t->o.boxes,
				   .ctx = one,
				   .done = on_fetched };
	int r = trees_place(t, one->tenant, key, cache, &q.place, e);

	trees_path(t, one->tenant, one->id, to);
	snprintf(state, sizeof(state), "%s/tenants/%s/state", t->o.dir, one->tenant);
	return r < 0 ? r : carrier_start(t->o.loop, &q, &one->carrier, e);
}

int trees_want(struct trees *t, const char *tenant, const char *tree, struct aisbx_error *e)
{
	struct tree *one;
	int r = 0;

	look_around(t, tenant, tree);
	one = find(t, tenant, tree);
	if (!one)
		one = add(t, tenant, tree, false);
	if (!one->is_there && !one->carrier)
		r = fetch(t, one, e);
	if (r < 0) {
		drop(t, one);
		return r;
	}
	one->users++;
	one->used_ms = loop_now().ms;
	return one->is_there;
}

void trees_release(struct trees *t, const char *tenant, const char *tree)
{
	struct tree *one = find(t, tenant, tree);

	if (!one || !one->users)
		return;
	one->users--;
	one->used_ms = loop_now().ms;
	if (!one->users && !one->is_there && !one->carrier)
		drop(t, one);
	else
		sweep(t, tenant);
}
