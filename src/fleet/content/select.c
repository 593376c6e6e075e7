/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses entries by looking each up in the layer, and gives what remains its new numbers. */
#include "fleet/content/select.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/place.h"

#define GONE UINT32_MAX

enum where {
	OUTSIDE, /* the layer has no such name */
	INSIDE,  /* it has, and what is below is looked up in turn */
	COVERED, /* it has something that hides all that is below */
};

static bool is_opaque(int fd)
{
	char value = 0;

	return fgetxattr(fd, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

static enum where look(int layer, const char *path)
{
	scoped(drop_fd) int fd = content_open_below(layer, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);

	if (fd >= 0)
		return is_opaque(fd) ? COVERED : INSIDE;
	return fd == -ENOENT ? OUTSIDE : COVERED; /* no directory, or one that cannot be looked into */
}

/* Whether ENTRY lies in the directory PATH. */
static bool is_below(const char *entry, const char *path)
{
	const size_t len = strlen(path);

	return !len || (!strncmp(entry, path, len) && entry[len] == '/');
}

/* KEEP becomes true for each entry that stays. Entries come right behind their directory. */
static void choose(const struct content_tree *t, int layer, bool *keep)
{
	const char *decided = NULL; /* what is below it is as WHERE says */
	enum where where = INSIDE;

	for (size_t i = 0; i < t->n; i++) {
		const struct content_entry *n = &t->entries[i];
		const bool known = decided && is_below(n->path, decided);

		if (!known) {
			where = look(layer, n->path);
			decided = where != INSIDE ? n->path : NULL;
		}
		keep[i] = where != OUTSIDE;
	}
}

/* The file goes and another name of it, N, stays: that one is the file now. */
static void inherit(struct content_entry *file, struct content_entry *n)
{
	n->type = CONTENT_FILE;
	n->size = file->size;
	n->refs = file->refs;
	n->n_refs = file->n_refs;
	n->xattrs = file->xattrs;
	n->n_xattrs = file->n_xattrs;
	file->refs = NULL;
	file->xattrs = NULL;
	file->n_refs = file->n_xattrs = 0;
}

/* NUMBERS: the new ones of entries that stay; of a file that goes, that of the name that is it now. */
static void renumber(struct content_tree *t, const bool *keep, uint32_t *numbers)
{
	size_t n = 0;

	t->bytes = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct content_entry *entry = &t->entries[i];

		numbers[i] = keep[i] ? (uint32_t)n : GONE;
		if (!keep[i])
			continue;
		if (entry->type == CONTENT_NAME && numbers[entry->same] == GONE) {
			numbers[entry->same] = (uint32_t)n;
			inherit(&t->entries[entry->same], entry);
		} else if (entry->type == CONTENT_NAME)
			entry->same = numbers[entry->same];
		t->bytes += entry->type == CONTENT_FILE ? entry->size : 0;
		n++;
	}
}

static void remove_others(struct content_tree *t, const bool *keep)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (keep[i])
			t->entries[n++] = t->entries[i];
		else
			content_entry_finish(&t->entries[i]);
	t->n = n;
}

int content_tree_select(struct content_tree *t, const char *layer, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(layer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_mem) bool *keep = calloc(t->n + 1, sizeof(*keep));
	scoped(drop_mem) uint32_t *numbers = calloc(t->n + 1, sizeof(*numbers));

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "open the layer '%.300s'", layer);
	if (!keep || !numbers)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "select a part of a tree");
	choose(t, fd, keep);
	renumber(t, keep, numbers);
	remove_others(t, keep);
	return 0;
}
