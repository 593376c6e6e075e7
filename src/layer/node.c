/* SPDX-License-Identifier: Apache-2.0 */
/* Reads overlay layers as the kernel would: whiteouts, opaque directories, the rest. */
#include "layer/node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/scope.h"
#include "layer/copy.h"
#include "layer/fullest_dir.h"
#include "sys/owner.h"
#include "sys/sys.h"

/* Deeper than any path the kernel can name. */
#define MAX_DEPTH 2048

void node_destroy(struct node *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->n; i++)
		node_destroy(n->children[i]);
	free(n->children);
	free(n);
}

static void drop_children(struct node *n)
{
	for (size_t i = 0; i < n->n; i++)
		node_destroy(n->children[i]);
	free(n->children);
	n->children = NULL;
	n->n = 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct node *const *)a)->name, (*(struct node *const *)b)->name);
}

static int by_key(const void *key, const void *n)
{
	return strcmp(key, (*(struct node *const *)n)->name);
}

/* Among the first N, which are sorted. */
static struct node *find_in(const struct node *dir, size_t n, const char *name)
{
	struct node **found = n ? bsearch(name, dir->children, n, sizeof(*dir->children), by_key) : NULL;

	return found ? *found : NULL;
}

const struct node *node_find(const struct node *dir, const char *name)
{
	return dir ? find_in(dir, dir->n, name) : NULL;
}

/* Negative errno. */
static int append(struct node *dir, const char *name, struct node **ret)
{
	struct node *made;
	int r = memory_check();

	if (r < 0)
		return r;
	if ((dir->n & (dir->n - 1)) == 0) { /* powers of two: double */
		void *grown =
			realloc(dir->children, (dir->n ? (size_t)dir->n * 2 : 1) * sizeof(*dir->children));

		if (!grown)
			return -ENOMEM;
		dir->children = grown;
	}
	made = calloc(1, sizeof(*made) + strlen(name) + 1);
	if (!made)
		return -ENOMEM;
	memcpy(made->name, name, strlen(name));
	dir->children[dir->n++] = *ret = made;
	return 0;
}

/* One layer being read. */
struct reader {
	size_t layer;
	char where[NAME_MAX + 1]; /* what could not be read, for the error */
};

static int read_dir(struct reader *rd, struct node *dir, const struct node *mask, int fd, int depth);

/* On the way back from an error: NAME is what the place lies in. */
static void name_place(struct reader *rd, const char *name)
{
	size_t n = strlen(name), below = strlen(rd->where);

	if (n + 1 + below >= sizeof(rd->where)) /* the beginning says enough */
		below = n + 2 < sizeof(rd->where) ? sizeof(rd->where) - n - 2 : 0;
	memmove(rd->where + n + (below > 0), rd->where, below);
	memcpy(rd->where, name, n);
	if (below)
		rd->where[n] = '/';
	rd->where[n + (below > 0) + below] = '\0';
}

/* The mark of a directory that replaced the lower one: 1, 0, or a negative errno. */
static int is_opaque(int fd)
{
	char value;
	ssize_t n = sys_own_fgetxattr(fd, "user.overlay.opaque", &value, 1);

	return n < 0 ? (n == -ENODATA || n == -EOPNOTSUPP || n == -ERANGE ? 0 : (int)n)
		     : n == 1 && value == 'y';
}

static int take(struct reader *rd, struct node *n, bool is_new, const struct node *mask, int dir_fd,
		const char *name, int depth)
{
	bool hidden_before =
		!is_new && (n->kind == NODE_GONE || n->kind == NODE_OTHER || n->kind == NODE_OPAQUE);
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r = sys_own_lstatat(dir_fd, name, &st), opaque;

	if (r < 0)
		return r;
	n->layer = (uint16_t)rd->layer; /* the kernel mounts no more than 500 */
	if (!S_ISDIR(st.st_mode)) {
		drop_children(n);
		n->kind = S_ISCHR(st.st_mode) && st.st_rdev == 0 ? NODE_GONE : NODE_OTHER;
		return 0;
	}
	fd = copy_open(dir_fd, name);
	opaque = fd < 0 ? fd : is_opaque(fd);
	if (opaque < 0)
		return opaque;
	if (opaque)
		drop_children(n);
	n->kind = opaque || hidden_before ? NODE_OPAQUE : NODE_DIR;
	if (mask && mask->kind != NODE_DIR)
		mask = NULL;
	return depth < MAX_DEPTH ? read_dir(rd, n, mask, fd, depth + 1) : -ELOOP;
}

static int read_dir(struct reader *rd, struct node *dir, const struct node *mask, int fd, int depth)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3), r = 0;
	scoped(drop_dir) DIR *d = dir_take(copy < 0 ? -errno : copy, &r);
	size_t sorted = dir->n;
	struct dirent *entry;

	if (!d)
		return r;
	while (r == 0 && (entry = dir_next(d, &r))) {
		const struct node *matters = mask ? node_find(mask, entry->d_name) : NULL;
		struct node *n;
		bool is_new;

		if (mask && !matters)
			continue;
		n = find_in(dir, sorted, entry->d_name);
		is_new = !n;
		if (is_new)
			r = append(dir, entry->d_name, &n);
		if (r == 0)
			r = take(rd, n, is_new, matters, fd, entry->d_name, depth);
		if (r < 0)
			name_place(rd, entry->d_name);
	}
	if (dir->n)
		qsort(dir->children, dir->n, sizeof(*dir->children), by_name);
	return r;
}

/* The node of PREFIX below ROOT, made where it is missing. */
static int pass_to(struct node *root, const char *prefix, struct node **ret)
{
	scoped(drop_mem) char *parts = strdup(prefix);
	struct node *at = root;
	char *save = NULL;

	if (!parts)
		return -ENOMEM;
	for (char *part = strtok_r(parts, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
		struct node *n = find_in(at, at->n, part);

		if (!n) {
			int r = append(at, part, &n);

			if (r < 0)
				return r;
			n->kind = NODE_PASS;
			qsort(at->children, at->n, sizeof(*at->children), by_name);
		}
		at = n;
	}
	*ret = at;
	return 0;
}

int node_fold(const char *const *ups, size_t n_ups, const char *const *prefixes, struct node **ret_root,
	      struct aisbx_error *e)
{
	return node_fold_masked(ups, n_ups, prefixes, NULL, 0, ret_root, e);
}

int node_fold_masked(const char *const *ups, size_t n_ups, const char *const *prefixes,
		     const struct node *mask, size_t n_masked, struct node **ret_root, struct aisbx_error *e)
{
	scoped(drop_node) struct node *root = calloc(1, sizeof(*root) + 1);

	if (!root)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read layers");
	for (size_t i = 0; i < n_ups; i++) {
		scoped(drop_fd) int fd = copy_open(AT_FDCWD, ups[i]);
		struct reader rd = { .layer = i };
		struct node *at = root;
		int r = prefixes ? pass_to(root, prefixes[i], &at) : 0;

		if (r == 0)
			r = fd < 0 ? fd : read_dir(&rd, at, i < n_masked ? mask : NULL, fd, 0);

		if (r == -ENOBUFS)
			return fullest_dir_refuse(ups, n_ups, e);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_LAYER, -r, "read '%s' in layer '%s'",
					  *rd.where ? rd.where : ".", ups[i]);
	}
	*ret_root = take_mem(&root);
	return 0;
}
