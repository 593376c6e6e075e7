/* SPDX-License-Identifier: Apache-2.0 */
/* What a promotion found and what it left, by content. */
#include "layer/journal_content.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/dir.h"
#include "layer/step.h"
#include "sys/owner.h"

struct telling {
	struct journal *j;
	uint64_t budget;
	void (*each)(void *ctx, const char *path, const struct journal_content *c);
	void *ctx;
	char path[PATH_MAX]; /* of what was removed, while its directory is read */
};

/* The content of REL in ROOT, if that is the file F still. */
static void sum_of(struct telling *t, struct tree_root *root, const char *rel, const struct journal_file *f,
		   char ret[CHECKSUM_MAX])
{
	const char *name;
	struct stat st;
	int at;

	ret[0] = '\0';
	if (tree_root_stat(root, rel, &st) <= 0 || !step_is_file(f, &st))
		return;
	at = tree_root_parent(root, rel, &name);
	if (at >= 0)
		checksum_within(at, name, &st, &t->budget, ret);
}

/* All files below the directory AT/NAME, which was removed. */
static void tell_removed(struct telling *t, int at, const char *name)
{
	const size_t len = strlen(t->path);
	struct dirent *entry;
	int r = 0;
	DIR *d = dir_take(sys_own_openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), &r);

	while (d && (entry = dir_next(d, &r))) {
		struct journal_content c = { .was_there = true };
		struct stat st;

		if (len + strlen(entry->d_name) + 2 > sizeof(t->path) ||
		    sys_own_lstatat(dirfd(d), entry->d_name, &st) < 0)
			continue;
		t->path[len] = '/';
		strcpy(t->path + len + 1, entry->d_name);
		if (S_ISDIR(st.st_mode)) {
			tell_removed(t, dirfd(d), entry->d_name);
		} else {
			checksum_within(dirfd(d), entry->d_name, &st, &t->budget, c.was);
			t->each(t->ctx, t->path, &c);
		}
		t->path[len] = '\0';
	}
	if (d)
		closedir(d);
}

static void tell_item(struct telling *t, size_t i)
{
	const struct journal_item *item = &t->j->items[i];
	const bool makes = item->op == MERGE_CREATE || item->op == MERGE_INSIDE;
	const bool replaces = item->op == MERGE_REPLACE, removes = item->op == MERGE_DELETE;
	struct journal_content c = {
		.was_there = (replaces || removes) && !S_ISDIR(item->old.mode),
		.is_there = (makes || replaces) && !S_ISDIR(item->now.mode),
	};
	char slot[32];

	snprintf(slot, sizeof(slot), "%u", item->slot);
	if (c.was_there)
		sum_of(t, &t->j->slots, slot, &item->old, c.was);
	if (c.is_there)
		sum_of(t, &t->j->tree, t->j->paths[i], &item->now, c.is);
	if (c.was_there || c.is_there)
		t->each(t->ctx, t->j->paths[i], &c);
	if ((replaces || removes) && S_ISDIR(item->old.mode) && strlen(t->j->paths[i]) < sizeof(t->path)) {
		strcpy(t->path, t->j->paths[i]);
		tell_removed(t, t->j->slots.root, slot);
	}
}

void journal_contents(struct journal *j, uint64_t budget,
		      void (*each)(void *ctx, const char *path, const struct journal_content *c), void *ctx)
{
	struct telling t = { .j = j, .budget = budget, .each = each, .ctx = ctx };

	for (size_t i = 0; j->state == JOURNAL_DONE && i < journal_steps(j); i++)
		tell_item(&t, i);
}
