/* SPDX-License-Identifier: Apache-2.0 */
/* Trees in memory, how their names are sorted, and how they are written. */
#include "fleet/content/tree.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fleet/content/tree_wire.h"

void content_entry_finish(struct content_entry *n)
{
	for (size_t x = 0; x < n->n_xattrs; x++) {
		free(n->xattrs[x].name);
		free(n->xattrs[x].value);
	}
	free(n->xattrs);
	free(n->refs);
	free(n->target);
	free(n->path);
	*n = (struct content_entry){ 0 };
}

void content_tree_finish(struct content_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		content_entry_finish(&t->entries[i]);
	free(t->entries);
	*t = (struct content_tree){ 0 };
}

struct content_entry *content_tree_add(struct content_tree *t)
{
	if (t->n == t->room) {
		size_t room = t->room ? 2 * t->room : 64;
		struct content_entry *entries = reallocarray(t->entries, room, sizeof(*entries));

		if (!entries)
			return NULL;
		t->entries = entries;
		t->room = room;
	}
	t->entries[t->n] = (struct content_entry){ 0 };
	return &t->entries[t->n++];
}

int content_entry_add_ref(struct content_entry *n, const struct content_ref *ref)
{
	/* Most files have one: the array doubles at powers of two. */
	if (!(n->n_refs & (n->n_refs - 1))) {
		struct content_ref *refs =
			reallocarray(n->refs, n->n_refs ? 2 * n->n_refs : 1, sizeof(*refs));

		if (!refs)
			return -ENOMEM;
		n->refs = refs;
	}
	n->refs[n->n_refs++] = *ref;
	n->size += ref->len;
	return 0;
}

int content_entry_add_xattr(struct content_entry *n, const char *name, const void *value, size_t len)
{
	struct content_xattr *xattrs = reallocarray(n->xattrs, n->n_xattrs + 1, sizeof(*xattrs)), *x;

	if (!xattrs)
		return -ENOMEM;
	n->xattrs = xattrs;
	x = &xattrs[n->n_xattrs];
	*x = (struct content_xattr){ .name = strdup(name), .value = malloc(len + 1), .len = len };
	if (!x->name || !x->value) {
		free(x->name);
		free(x->value);
		return -ENOMEM;
	}
	if (len)
		memcpy(x->value, value, len);
	n->n_xattrs++;
	return 0;
}

static int rank(char c)
{
	return c == '\0' ? 0 : c == '/' ? 1 : 2 + (unsigned char)c;
}

int content_path_compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return rank(*a) - rank(*b);
}

bool content_xattr_is_strong(const char *name)
{
	return str_is_one_of(name, "security.capability|system.posix_acl_access|system.posix_acl_default");
}

bool content_xattr_travels(const char *name)
{
	static const char *const overlay[] = { "user.overlay.", "trusted.overlay." };

	for (size_t i = 0; i < sizeof(overlay) / sizeof(*overlay); i++)
		if (!strncmp(name, overlay[i], strlen(overlay[i]))) /* the others are about this machine */
			return str_is_one_of(name + strlen(overlay[i]), "opaque|whiteout|whiteouts");
	return (!strncmp(name, "user.", 5) && name[5]) || content_xattr_is_strong(name);
}

static void add_number(struct buf *b, uint64_t value, size_t bytes)
{
	value = htole64(value);
	buf_add(b, &value, bytes);
}

static size_t shared_with(const char *before, const char *path)
{
	size_t n = 0;

	while (before[n] && before[n] == path[n])
		n++;
	return n;
}

static void write_entry(const struct content_entry *n, const char *before, struct buf *ret)
{
	size_t shared = shared_with(before, n->path), rest = strlen(n->path + shared);

	add_number(ret, (uint8_t)n->type, 1);
	add_number(ret, shared, 2);
	add_number(ret, rest, 2);
	buf_add(ret, n->path + shared, rest);
	add_number(ret, n->mode, 2);
	add_number(ret, n->uid, 4);
	add_number(ret, n->gid, 4);
	add_number(ret, (uint64_t)n->seconds, 8);
	add_number(ret, n->nanoseconds, 4);
	add_number(ret, n->n_xattrs, 1);
	for (size_t x = 0; x < n->n_xattrs; x++) {
		add_number(ret, strlen(n->xattrs[x].name), 1);
		add_number(ret, n->xattrs[x].len, 4);
		buf_add(ret, n->xattrs[x].name, strlen(n->xattrs[x].name));
		buf_add(ret, n->xattrs[x].value, n->xattrs[x].len);
	}
	if (n->type == CONTENT_FILE) {
		add_number(ret, n->size, 8);
		add_number(ret, n->n_refs, 4);
		for (size_t i = 0; i < n->n_refs; i++) {
			buf_add(ret, n->refs[i].id, CONTENT_ID);
			add_number(ret, n->refs[i].len, 4);
		}
	} else if (n->type == CONTENT_LINK) {
		add_number(ret, strlen(n->target), 2);
		buf_add(ret, n->target, strlen(n->target));
	} else if (n->type == CONTENT_NAME) {
		add_number(ret, n->same, 4);
	}
}

int content_tree_write(const struct content_tree *t, struct buf *ret)
{
	buf_add(ret, TREE_MAGIC, TREE_MAGIC_BYTES);
	add_number(ret, t->n, 4);
	for (size_t i = 0; i < t->n; i++)
		write_entry(&t->entries[i], i ? t->entries[i - 1].path : "", ret);
	return ret->failed ? -ENOMEM : ret->len > CONTENT_TREE_MOST ? -EFBIG : 0;
}
