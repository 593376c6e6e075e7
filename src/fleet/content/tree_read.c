/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a tree that may be hostile: whatever a pull would do with it is decided here. */
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "fleet/content/tree.h"
#include "fleet/content/tree_wire.h"

struct reader {
	const uint8_t *at, *end;
	char path[CONTENT_PATH_MOST + 1];      /* of the entry before, then of this one */
	uint16_t dirs[CONTENT_DEPTH_MOST + 1]; /* bytes of the paths of the directories that are open */
	size_t n_dirs;
	bool is_short;
};

static int refuse(struct aisbx_error *e, const char *what, const char *path)
{
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_LAYER, EBADMSG,
			    "the tree is refused: %s%s%.200s%s", what, path ? ": '" : "", path ? path : "",
			    path ? "'" : "");
}

static const uint8_t *take(struct reader *r, size_t len)
{
	const uint8_t *at = r->at;

	if (r->is_short || len > (size_t)(r->end - r->at)) {
		r->is_short = true;
		return NULL;
	}
	r->at += len;
	return at;
}

static uint64_t number(struct reader *r, size_t bytes)
{
	const uint8_t *at = take(r, bytes);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, bytes);
	return le64toh(value);
}

/* A text on the heap; NULL: it has a NUL, is not there, or memory ran out. */
static char *text(struct reader *r, size_t len)
{
	const uint8_t *at = take(r, len);

	return at && !memchr(at, '\0', len) ? strndup((const char *)at, len) : NULL;
}

static bool is_name(const char *name, size_t len)
{
	return len && len <= NAME_MAX && !(len == 1 && name[0] == '.') &&
	       !(len == 2 && !memcmp(name, "..", 2));
}

/* The path is one name longer than that of a directory that is open, and comes after the one before. */
static int check_path(struct reader *r, const char *before, bool is_first, struct aisbx_error *e)
{
	size_t len = strlen(r->path), dir = 0;
	const char *name;

	if (is_first)
		return *r->path ? refuse(e, "its first entry is not its top", r->path) : 0;
	if (content_path_compare(before, r->path) >= 0)
		return refuse(e, "a name comes twice, or is not in order", r->path);
	for (; r->n_dirs; r->n_dirs--) {
		dir = r->dirs[r->n_dirs - 1];
		if (!dir || (dir < len && r->path[dir] == '/' && !memcmp(before, r->path, dir)))
			break;
	}
	if (!r->n_dirs)
		return refuse(e, "its top is no directory", NULL);
	name = r->path + dir + (dir ? 1 : 0);
	if (memchr(name, '/', strlen(name)) || !is_name(name, strlen(name)))
		return refuse(e, "a name leads out of it, is no name, or is in no directory of it", r->path);
	return 0;
}

static int read_path(struct reader *r, struct content_entry *n, bool is_first, struct aisbx_error *e)
{
	char before[CONTENT_PATH_MOST + 1];
	size_t shared = number(r, 2), rest = number(r, 2);
	const uint8_t *more = take(r, rest);
	int result;

	strcpy(before, r->path);
	if (!more || shared > strlen(before) || shared + rest > CONTENT_PATH_MOST || memchr(more, '\0', rest))
		return refuse(e, "a name is damaged", NULL);
	memcpy(r->path + shared, more, rest);
	r->path[shared + rest] = '\0';
	result = check_path(r, before, is_first, e);
	if (result < 0)
		return result;
	if (n->type == CONTENT_DIR) {
		if (r->n_dirs > CONTENT_DEPTH_MOST)
			return refuse(e, "a directory is too deep", r->path);
		r->dirs[r->n_dirs++] = (uint16_t)(shared + rest);
	}
	n->path = strdup(r->path);
	return n->path ? 0 : aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read a tree");
}

static int read_xattrs(struct reader *r, struct content_entry *n, struct aisbx_error *e)
{
	size_t count = number(r, 1);

	if (count > CONTENT_XATTRS_MOST)
		return refuse(e, "an entry has too many attributes", n->path);
	for (size_t i = 0; i < count; i++) {
		size_t name_len = number(r, 1), len = number(r, 4);
		scoped(drop_mem) char *name = text(r, name_len);
		const uint8_t *value = take(r, len);

		if (!name || !value || len > CONTENT_VALUE_MOST || !content_xattr_travels(name))
			return refuse(e, "an entry has an attribute that is damaged or does not travel",
				      n->path);
		if (i && strcmp(n->xattrs[i - 1].name, name) >= 0)
			return refuse(e, "an entry has an attribute twice", n->path);
		if (content_entry_add_xattr(n, name, value, len) < 0)
			return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read a tree");
	}
	return 0;
}

static int read_file(struct reader *r, struct content_entry *n, struct aisbx_error *e)
{
	uint64_t size = number(r, 8), count = number(r, 4);

	if (size > CONTENT_FILE_MOST || count > (size_t)(r->end - r->at) / (CONTENT_ID + 4))
		return refuse(e, "a file is larger than there can be", n->path);
	for (uint64_t i = 0; i < count; i++) {
		const uint8_t *id = take(r, CONTENT_ID);
		struct content_ref ref = { .len = (uint32_t)number(r, 4) };

		if (!id || r->is_short)
			return refuse(e, "a list of chunks is too short", n->path);
		memcpy(ref.id, id, CONTENT_ID);
		if (!ref.len ||
		    ref.len > (content_ref_is_hole(&ref) ? CONTENT_HOLE_MOST : CONTENT_CHUNK_MOST))
			return refuse(e, "a chunk is empty or too large", n->path);
		if (content_entry_add_ref(n, &ref) < 0)
			return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read a tree");
	}
	return n->size == size ? 0 : refuse(e, "the chunks of a file are not its size", n->path);
}

static int read_special(struct reader *r, const struct content_tree *t, struct content_entry *n,
			struct aisbx_error *e)
{
	switch (n->type) {
	case CONTENT_FILE:
		return read_file(r, n, e);
	case CONTENT_LINK:
		n->target = text(r, number(r, 2));
		if (!n->target || !*n->target || strlen(n->target) > CONTENT_PATH_MOST)
			return refuse(e, "a link is damaged", n->path);
		return 0;
	case CONTENT_NAME:
		n->same = (uint32_t)number(r, 4);
		if (n->same >= t->n - 1 || t->entries[n->same].type != CONTENT_FILE || n->n_xattrs)
			return refuse(e, "a further name is not one of a file before it", n->path);
		return 0;
	case CONTENT_DIR:
	case CONTENT_FIFO:
	case CONTENT_WHITEOUT:
		return 0;
	}
	return refuse(e, "an entry is of an unknown type", n->path);
}

static int read_entry(struct reader *r, struct content_tree *t, struct aisbx_error *e)
{
	struct content_entry *n = content_tree_add(t);
	int result;

	if (!n)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read a tree");
	n->type = (enum content_type)number(r, 1);
	result = read_path(r, n, t->n == 1, e);
	if (result < 0)
		return result;
	n->mode = (uint32_t)number(r, 2);
	n->uid = (uint32_t)number(r, 4);
	n->gid = (uint32_t)number(r, 4);
	n->seconds = (int64_t)number(r, 8);
	n->nanoseconds = (uint32_t)number(r, 4);
	if (n->mode > 07777 || n->nanoseconds >= 1000000000u)
		return refuse(e, "an entry has a mode or time that there is not", n->path);
	result = read_xattrs(r, n, e);
	if (result == 0)
		result = read_special(r, t, n, e);
	if (result == 0 && r->is_short)
		result = refuse(e, "it ends too early", n->path);
	t->bytes += n->size;
	if (result == 0 && t->bytes > CONTENT_FILE_MOST)
		result = refuse(e, "it is larger than there can be", n->path);
	return result;
}

int content_tree_read(const void *data, size_t len, struct content_tree *ret, struct aisbx_error *e)
{
	scoped(content_tree_finish) struct content_tree t = { 0 };
	struct reader r = { .at = data, .end = (const uint8_t *)data + len };
	const uint8_t *magic = take(&r, TREE_MAGIC_BYTES);
	uint64_t n = number(&r, 4);

	if (!magic || r.is_short || memcmp(magic, TREE_MAGIC, TREE_MAGIC_BYTES) != 0)
		return refuse(e, "it is none, or of another version", NULL);
	if (!n || n > CONTENT_ENTRY_MOST || n > (size_t)(r.end - r.at) / TREE_ENTRY_LEAST)
		return refuse(e, "it has more entries than there can be, or none", NULL);
	while (t.n < n) {
		int result = read_entry(&r, &t, e);

		if (result < 0)
			return result;
	}
	if (r.at != r.end)
		return refuse(e, "something follows its end", NULL);
	if (t.entries[0].type != CONTENT_DIR)
		return refuse(e, "its top is no directory", NULL);
	*ret = t;
	t = (struct content_tree){ 0 };
	return 0;
}
