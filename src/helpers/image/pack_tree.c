/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the folded layers and writes one entry for each name: of a directory first what is deleted in it,
 * then its entries sorted by their bytes. A box wrote these files: they are reached by descriptors from the
 * root of their layer, no link is followed, and nothing is opened that is not a file or a directory.
 */
#include "helpers/image/pack_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/link_names.h"
#include "helpers/image/verbs.h"
#include "image/wire.h"
#include "layer/copy.h"
#include "layer/node.h"
#include "layer/tree_root.h"
#include "sys/owner.h"

#define WHITEOUT \
	"."      \
	"wh."
#define OPAQUE WHITEOUT WHITEOUT ".opq"
#define CHUNK  (256u << 10)

/* What is below the layers at some directory. */
struct below {
	bool unknown;
	const struct node *node; /* borrowed; NULL: nothing */
};

struct packer {
	const struct pack_order *order;
	tar_sink_fn *sink;
	void *ctx;
	struct tree_root *ups; /* owned; opened when first needed */
	struct link_names links;
	struct buf path; /* of the entry */
	char *chunk;     /* owned */
	struct pack_counts counts;
	struct aisbx_error *e;
};

/* R, described unless the sink did that. */
static int fail(const struct packer *p, int r)
{
	if (p->e->code)
		return p->e->code;
	if (r == -E2BIG)
		return aisbx_refuse(
			p->e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
			"cannot pack '%s': its extended attributes and its name have more than 1 MiB",
			p->path.data);
	return aisbx_fail(p->e, AISBX_AREA_BOX, -r, "pack '%s'", p->path.data ? p->path.data : "/");
}

/* Adds NAME; the length before is for leave(). */
static int enter(struct packer *p, const char *name, size_t *ret_before)
{
	*ret_before = p->path.len;
	buf_addf(&p->path, "%s%s", p->path.len ? "/" : "", name);
	return buf_str(&p->path) ? 0 : aisbx_fail(p->e, AISBX_AREA_BOX, ENOMEM, "pack a layer");
}

static void leave(struct packer *p, size_t before)
{
	p->path.len = before;
	p->path.data[before] = '\0';
}

static int put(struct packer *p, const struct tar_entry *entry)
{
	int r;

	if (++p->counts.files > IMAGE_MAX_FILES)
		return aisbx_refuse(p->e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the layer has more than %u files", IMAGE_MAX_FILES);
	r = tar_write_entry(entry, p->sink, p->ctx);
	return r < 0 ? fail(p, r) : 0;
}

/* An empty file whose name says that something is deleted. */
static int put_mark(struct packer *p, const char *prefix, const char *name)
{
	scoped(buf_finish) struct buf path = { 0 };

	buf_addf(&path, "%s%s%s%s", p->path.len ? p->path.data : "", p->path.len ? "/" : "", prefix, name);
	if (path.failed)
		return aisbx_fail(p->e, AISBX_AREA_BOX, ENOMEM, "pack a layer");
	return put(p, &(struct tar_entry){ .path = path.data, .type = '0', .mode = 0600 });
}

static int64_t time_of(const struct packer *p, const struct stat *st)
{
	return st->st_mtim.tv_sec < p->order->newest ? st->st_mtim.tv_sec : p->order->newest;
}

/* The directory in which the current path is in LAYER, and its name there. Negative errno. */
static int find(struct packer *p, size_t layer, const char **ret_name)
{
	struct tree_root *root = &p->ups[layer];
	int r = root->root >= 0 ? 0 : tree_root_open(p->order->ups[layer], root, p->e);

	return r < 0 ? r : tree_root_parent(root, p->path.data, ret_name);
}

static int put_content(struct packer *p, int fd, uint64_t size)
{
	uint64_t left = size;
	int r = 0;

	while (r == 0 && left) {
		ssize_t n = read(fd, p->chunk, left < CHUNK ? (size_t)left : CHUNK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? fail(p, -errno)
				     : aisbx_refuse(p->e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
						    "'%s' became shorter while it was packed", p->path.data);
		left -= (uint64_t)n;
		r = p->sink(p->ctx, p->chunk, (size_t)n);
		p->counts.bytes += (uint64_t)n;
		tell_progress("pack", "", p->counts.bytes, 0);
	}
	if (r == 0)
		r = tar_write_padding(size, p->sink, p->ctx);
	return r < 0 ? fail(p, r) : 0;
}

/* An entry with the attributes of the open file FD (-1: of ST). */
static int put_with(struct packer *p, int fd, const struct stat *st, struct tar_entry *entry)
{
	scoped(pack_attrs_finish) struct pack_attrs a = { 0 };
	int r = pack_attrs_read(fd, st, &p->order->ids, &a);

	if (r < 0)
		return fail(p, r);
	entry->path = p->path.data;
	entry->mode = a.mode;
	entry->uid = a.uid;
	entry->gid = a.gid;
	entry->mtime = time_of(p, st);
	entry->xattrs = a.xattrs;
	entry->n_xattrs = a.n_xattrs;
	p->counts.left_out += a.left_out;
	return put(p, entry);
}

/* Opens what ST was made of: what took its place since is an error. */
static int open_same(int at, const char *name, const struct stat *st, struct stat *ret_now)
{
	scoped(drop_fd) int fd = copy_open(at, name);

	if (fd < 0)
		return fd;
	if (fstat(fd, ret_now) < 0)
		return -errno;
	if (ret_now->st_ino != st->st_ino || (ret_now->st_mode & S_IFMT) != (st->st_mode & S_IFMT))
		return -EBUSY;
	return take_fd(&fd);
}

static int put_file(struct packer *p, size_t layer, int at, const char *name, const struct stat *st)
{
	struct tar_entry entry = { .type = '0' };
	scoped(drop_fd) int fd = -1;
	struct stat now;
	int r;

	fd = open_same(at, name, st, &now);
	if (fd < 0)
		return fail(p, fd);
	if (now.st_nlink > 1) {
		r = link_names_take(&p->links, layer, &now, p->path.data, &entry.target);
		if (r < 0)
			return fail(p, r);
	}
	entry.type = entry.target ? '1' : '0';
	entry.size = entry.target ? 0 : (uint64_t)now.st_size;
	if (entry.size > p->order->most - p->counts.bytes)
		return aisbx_refuse(p->e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "with '%s' the layer has more than the %" PRIu64
				    " bytes that it may have",
				    p->path.data, p->order->most);
	r = put_with(p, fd, &now, &entry);
	return r < 0 || entry.target ? r : put_content(p, fd, entry.size);
}

static int put_link(struct packer *p, int at, const char *name, const struct stat *st)
{
	struct tar_entry entry = { .type = '2' };
	char target[PATH_MAX];
	ssize_t n = copy_readlink(at, name, target, sizeof(target) - 1);

	if (n < 0)
		return fail(p, (int)n);
	target[n] = '\0';
	entry.target = target;
	return put_with(p, -1, st, &entry);
}

static int put_other(struct packer *p, size_t layer)
{
	const char *name = NULL;
	struct stat st;
	int at = find(p, layer, &name), r;

	r = at < 0 ? at : sys_own_lstatat(at, name, &st);
	if (r < 0)
		return fail(p, r);
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		return put_file(p, layer, at, name, &st);
	case S_IFLNK:
		return put_link(p, at, name, &st);
	case S_IFIFO:
		return put_with(p, -1, &st, &(struct tar_entry){ .type = '6' });
	default: /* devices and sockets */
		p->counts.left_out++;
		return 0;
	}
}

static int put_dir(struct packer *p, const struct node *n, struct below below);

/* Whether something of NAME is below. */
static bool is_below(struct below b, const char *name)
{
	const struct node *n = b.unknown ? NULL : node_find(b.node, name);

	return b.unknown || (n && n->kind != NODE_GONE);
}

static int put_named(struct packer *p, const struct node *n, struct below below)
{
	struct below inside = { below.unknown, node_find(below.node, n->name) };
	size_t before;
	int r;

	if (!strncmp(n->name, WHITEOUT, strlen(WHITEOUT)))
		return aisbx_refuse(p->e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EINVAL,
				    "an image cannot hold '%s%s%s': a name that begins with '%s' means that "
				    "something is deleted",
				    p->path.len ? p->path.data : "", p->path.len ? "/" : "", n->name,
				    WHITEOUT);
	r = enter(p, n->name, &before);
	if (r < 0)
		return r;
	r = n->kind == NODE_OTHER ? put_other(p, n->layer) : put_dir(p, n, inside);
	if (r == 0)
		leave(p, before);
	return r;
}

/* What is in the directory of the current path. */
static int put_inside(struct packer *p, const struct node *dir, struct below below)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < dir->n; i++)
		if (dir->children[i]->kind == NODE_GONE && is_below(below, dir->children[i]->name))
			r = put_mark(p, WHITEOUT, dir->children[i]->name);
	for (size_t i = 0; r == 0 && i < dir->n; i++)
		if (dir->children[i]->kind != NODE_GONE)
			r = put_named(p, dir->children[i], below);
	return r;
}

static int put_dir(struct packer *p, const struct node *n, struct below below)
{
	struct tar_entry entry = { .type = '5' };
	scoped(drop_fd) int fd = -1;
	const char *name = NULL;
	struct stat st;
	int at = find(p, n->layer, &name), r;

	fd = at < 0 ? at : copy_open(at, name);
	if (fd < 0)
		return fail(p, fd);
	if (fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode))
		return fail(p, -EBUSY);
	r = put_with(p, fd, &st, &entry);
	close_fd(&fd);
	if (r == 0 && n->kind == NODE_OPAQUE) {
		if (below.unknown || (below.node && below.node->n))
			r = put_mark(p, OPAQUE, "");
		below = (struct below){ 0 }; /* all of it is hidden */
	}
	return r < 0 ? r : put_inside(p, n, below);
}

static int open_packer(struct packer *p)
{
	p->chunk = malloc(CHUNK);
	p->ups = calloc(p->order->n_ups + 1, sizeof(*p->ups));
	if (!p->chunk || !p->ups)
		return aisbx_fail(p->e, AISBX_AREA_BOX, ENOMEM, "pack a layer");
	for (size_t i = 0; i < p->order->n_ups; i++)
		p->ups[i] = (struct tree_root)TREE_ROOT_INIT;
	return 0;
}

static void close_packer(struct packer *p)
{
	for (size_t i = 0; p->ups && i < p->order->n_ups; i++)
		tree_root_close(&p->ups[i]);
	free(p->ups);
	free(p->chunk);
	link_names_finish(&p->links);
	buf_finish(&p->path);
}

int pack_tree(const struct pack_order *order, tar_sink_fn *sink, void *ctx, struct pack_counts *ret,
	      struct aisbx_error *e)
{
	scoped(close_packer) struct packer p = { .order = order, .sink = sink, .ctx = ctx, .e = e };
	scoped(drop_node) struct node *root = NULL;
	scoped(drop_node) struct node *below = NULL;
	int r = open_packer(&p);

	if (r == 0)
		r = node_fold(order->ups, order->n_ups, NULL, &root, e);
	if (r == 0 && order->below)
		r = node_fold(order->below, order->n_below, NULL, &below, e);
	if (r == 0)
		r = put_inside(&p, root, (struct below){ !order->below, below });
	if (r == 0) {
		r = tar_write_end(sink, ctx);
		r = r < 0 ? fail(&p, r) : 0;
	}
	if (r == 0)
		*ret = p.counts;
	return r;
}
