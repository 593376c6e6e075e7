/* SPDX-License-Identifier: Apache-2.0 */
/* Reads overlay layers as the kernel would: whiteouts, opaque directories, the rest. */
#include "layer/node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

/* Deeper than any path the kernel can name. */
#define MAX_DEPTH 2048

void node_destroy(struct node *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->n; i++)
		node_destroy(n->children[i]);
	free(n->children);
	free(n->name);
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

/* Among the first N, which are sorted. */
static struct node *find_in(const struct node *dir, size_t n, const char *name)
{
	struct node key = { .name = (char *)name }, *p = &key;
	struct node **found = n ? bsearch(&p, dir->children, n, sizeof(*dir->children), by_name) : NULL;

	return found ? *found : NULL;
}

const struct node *node_find(const struct node *dir, const char *name)
{
	return dir ? find_in(dir, dir->n, name) : NULL;
}

static struct node *append(struct node *dir, const char *name)
{
	struct node *made = calloc(1, sizeof(*made));

	if (made && (made->name = strdup(name)) && (dir->n & (dir->n - 1)) == 0) { /* powers of two: double */
		void *grown = realloc(dir->children, (dir->n ? dir->n * 2 : 1) * sizeof(*dir->children));

		if (grown)
			dir->children = grown;
		else
			errno = ENOMEM;
		if (!grown) {
			node_destroy(made);
			return NULL;
		}
	}
	if (!made || !made->name) {
		node_destroy(made);
		return NULL;
	}
	dir->children[dir->n++] = made;
	return made;
}

static int read_dir(struct node *dir, int fd, size_t layer, int depth);

/* The mark of a directory that replaced the lower one. */
static bool is_opaque(int fd)
{
	char value;

	return fgetxattr(fd, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

static int take(struct node *n, bool is_new, int dir_fd, const char *name, size_t layer, int depth)
{
	struct stat st;
	bool hidden_before = !is_new && (n->kind == NODE_GONE || n->kind == NODE_OTHER || n->kind == NODE_OPAQUE);
	int fd, r;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	n->layer = layer;
	if (!S_ISDIR(st.st_mode)) {
		drop_children(n);
		n->kind = S_ISCHR(st.st_mode) && st.st_rdev == 0 ? NODE_GONE : NODE_OTHER;
		return 0;
	}
	fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (is_opaque(fd))
		drop_children(n);
	n->kind = is_opaque(fd) || hidden_before ? NODE_OPAQUE : NODE_DIR;
	r = depth < MAX_DEPTH ? read_dir(n, fd, layer, depth + 1) : -ELOOP;
	close(fd);
	return r;
}

static int read_dir(struct node *dir, int fd, size_t layer, int depth)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	scoped(drop_dir) DIR *d = copy < 0 ? NULL : fdopendir(copy);
	size_t sorted = dir->n;
	struct dirent *entry;
	int r = 0;

	if (!d) {
		r = -errno;
		drop_fd(&copy);
		return r;
	}
	while (r == 0 && (entry = readdir(d))) {
		struct node *n;
		bool is_new;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		n = find_in(dir, sorted, entry->d_name);
		is_new = !n;
		if (is_new)
			n = append(dir, entry->d_name);
		r = n ? take(n, is_new, fd, entry->d_name, layer, depth) : -ENOMEM;
	}
	if (dir->n)
		qsort(dir->children, dir->n, sizeof(*dir->children), by_name);
	return r;
}

int node_fold(const char *const *ups, size_t n_ups, struct node **ret_root, struct aisbx_error *e)
{
	scoped(drop_node) struct node *root = calloc(1, sizeof(*root));

	if (!root)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read layers");
	for (size_t i = 0; i < n_ups; i++) {
		scoped(drop_fd) int fd = open(ups[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int r = fd < 0 ? -errno : read_dir(root, fd, i, 0);

		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_LAYER, -r, "read layer '%s'", ups[i]);
	}
	*ret_root = take_mem(&root);
	return 0;
}
