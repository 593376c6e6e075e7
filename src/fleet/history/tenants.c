/* SPDX-License-Identifier: Apache-2.0 */
/* Which tenants there are, and which of their stores have changed. A node may have a thousand, of which few
 * do. */
#include "fleet/history/tenants.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/core/memory.h"

/* What changes when a store does: its file, its log, and what runs note beside it. */
static const char *const files[] = { "store.db", "store.db-wal", "runs.notes" };
#define N_FILES (sizeof(files) / sizeof(files[0]))

struct look {
	struct {
		int64_t s, ns, size;
		uint64_t inode;
	} of[N_FILES];
};

struct outbox_tenant {
	char name[FLEET_NAME];
	struct outbox at;
	struct look sent; /* how it looked when all was sent */
	bool known;
};

void outbox_tenants_finish(struct outbox_tenants *t)
{
	free(t->list);
	t->list = NULL;
	t->n = t->room = 0;
}

static struct outbox_tenant *find(struct outbox_tenants *t, const char *name)
{
	struct outbox_tenant *new;

	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->list[i].name, name))
			return &t->list[i];
	t->list = fleet_grow(t->list, &t->room, t->n + 1, sizeof(*t->list));
	new = &t->list[t->n++];
	*new = (struct outbox_tenant){ 0 };
	memcpy(new->name, name, strnlen(name, sizeof(new->name) - 1));
	return new;
}

/* False: it has no store yet. */
static bool look_at(const char *state, struct look *ret)
{
	bool any = false;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < N_FILES; i++) {
		char path[PATH_MAX + 32];
		struct stat st;

		snprintf(path, sizeof(path), "%s/aisbx/%s", state, files[i]);
		if (lstat(path, &st) < 0)
			continue;
		any = true;
		ret->of[i].s = st.st_mtim.tv_sec;
		ret->of[i].ns = st.st_mtim.tv_nsec;
		ret->of[i].size = st.st_size;
		ret->of[i].inode = st.st_ino;
	}
	return any;
}

static int send_one(struct outbox_tenants *t, const char *name, const struct outbox *own,
		    int (*send)(struct outbox *o, struct aisbx_error *e), struct aisbx_error *e)
{
	char state[PATH_MAX];
	struct outbox_tenant *one;
	struct look look;
	int r;

	if (snprintf(state, sizeof(state), "%s/%s/state", t->dir, name) >= (int)sizeof(state) ||
	    !look_at(state, &look))
		return 0;
	one = find(t, name);
	if (one->known && !memcmp(&look, &one->sent, sizeof(look)))
		return 0;
	one->at.node = own->node;
	one->at.tenant = one->name;
	one->at.stream = own->stream;
	if (setenv("XDG_STATE_HOME", state, 1) < 0)
		return aisbx_fail(e, AISBX_AREA_STORE, errno, "send the history of tenant '%s'", name);
	r = send(&one->at, e);
	one->known = r == 0;
	one->sent = look;
	return r;
}

int outbox_tenants_turn(struct outbox_tenants *t, const struct outbox *own,
			int (*send)(struct outbox *o, struct aisbx_error *e), struct aisbx_error *e)
{
	struct bus_stream_state state;
	struct aisbx_error last = AISBX_ERROR_INIT;
	const struct dirent *entry;
	int r = bus_stream_look(own->stream, &state, e), failed = 0;
	DIR *dir;

	if (r < 0) /* nor would it be for any tenant */
		return r;
	dir = opendir(t->dir);
	if (!dir)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_STORE, errno, "read '%s'", t->dir);
	while ((entry = readdir(dir))) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		if (!fleet_is_name(entry->d_name))
			continue;
		r = send_one(t, entry->d_name, own, send, e);
		if (r == 0)
			continue;
		if (failed < 0)
			fprintf(stderr, "aisbx-outbox: %s; trying again\n", last.text);
		failed = r;
		last = *e;
	}
	closedir(dir);
	*e = last;
	return failed;
}
