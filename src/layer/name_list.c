/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names: read from a tree within a time limit, stored in a file. */
#include "layer/name_list.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/time.h"
#include "sys/sys.h"

#define MAGIC    "aisbx-names-1"
#define LAST     "end"
#define MAX_FILE (64u << 20)
#define AT_LEAST \
	512 /* names are listed however slow the machine: they take less than the process that asks */
#define BELOW (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)

void name_list_finish(struct name_list *n)
{
	free(n->items);
	free(n->branch);
	buf_finish(&n->text);
	*n = (struct name_list){ 0 };
}

bool name_list_leaves_out(const char *dir, const char *name)
{
	return !strcmp(name, ".git") || (!*dir && !strcmp(name, ".aisbx"));
}

/* Where git keeps HEAD: ROOT/.git, or where that file says. */
static char *head_file(const char *root)
{
	scoped(drop_mem) char *git = path_join(root, ".git");
	scoped(drop_fd) int fd = -1;
	char text[4096], *end;
	struct stat st;
	ssize_t n;

	if (!git || stat(git, &st) < 0)
		return NULL;
	if (S_ISDIR(st.st_mode))
		return path_join(git, "HEAD");
	fd = open(git, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 9 || strncmp(text, "gitdir: ", 8) != 0)
		return NULL;
	text[n] = '\0';
	end = text + strcspn(text, "\n");
	*end = '\0';
	free(git);
	git = path_resolve(root, text + 8);
	return git ? path_join(git, "HEAD") : NULL;
}

char *name_list_branch(const char *root, struct timespec *ret_ctime)
{
	scoped(drop_mem) char *file = head_file(root);
	scoped(drop_fd) int fd = file ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	char text[512];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	struct stat st;

	if (n <= 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (ret_ctime)
		*ret_ctime = st.st_ctim;
	return strdup(!strncmp(text, "ref: ", 5) ? text + 5 : text);
}

/* An entry as it lies in the text: number, kind, path. */
static void add(struct buf *text, uint64_t ino, bool is_dir, const char *dir, const char *name)
{
	buf_addf(text, "%llx %c %s%s%s", (unsigned long long)ino, is_dir ? 'd' : 'f', dir, *dir ? "/" : "",
		 name);
	buf_add(text, "", 1);
}

struct listing {
	int root;
	dev_t dev;
	struct buf text;    /* entries */
	struct buf waiting; /* directories still to be read */
	uint64_t until;     /* 0: no end */
	size_t n;
	bool inos;
};

static bool is_dir(int at, const struct dirent *entry, dev_t dev)
{
	struct stat st;

	if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
		return false;
	return fstatat(at, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_dev == dev;
}

static bool is_over(const struct listing *l)
{
	return l->until && l->n >= AT_LEAST && time_us() >= l->until;
}

/* 1: the time is up. */
static int list_dir(struct listing *l, const char *dir)
{
	int fd = sys_openat2(l->root, *dir ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, BELOW), r = 0;
	scoped(drop_dir) DIR *d = dir_take(fd, &r);
	struct dirent *entry;

	if (!d) /* gone, or not for us to read: nor for a box */
		return r == -ENOMEM ? r : 0;
	while ((entry = dir_next(d, &r))) {
		bool is_below;

		if (name_list_leaves_out(dir, entry->d_name))
			continue;
		if (++l->n % 64 == 0 && is_over(l))
			return 1;
		is_below = is_dir(dirfd(d), entry, l->dev);
		add(&l->text, l->inos ? entry->d_ino : 0, is_below, dir, entry->d_name);
		if (is_below) {
			buf_addf(&l->waiting, "%s%s%s", dir, *dir ? "/" : "", entry->d_name);
			buf_add(&l->waiting, "", 1);
		}
	}
	return r < 0 ? r : is_over(l);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->path, ((const struct name *)b)->path);
}

/* Fills the items from the text, which stays theirs. */
static int index_text(struct name_list *n, const char *at, const char *end)
{
	size_t cap = 0;

	for (; at < end; at += strlen(at) + 1) {
		char *rest;
		uint64_t ino = strtoull(at, &rest, 16);

		if (rest == at || rest[0] != ' ' || !rest[1] || rest[2] != ' ')
			return -EBADMSG;
		if (n->n == cap) {
			void *grown = reallocarray(n->items, cap ? cap * 2 : 256, sizeof(*n->items));

			if (!grown)
				return -ENOMEM;
			n->items = grown;
			cap = cap ? cap * 2 : 256;
		}
		n->items[n->n++] = (struct name){ .path = rest + 3, .ino = ino, .is_dir = rest[1] == 'd' };
	}
	if (n->n)
		qsort(n->items, n->n, sizeof(*n->items), by_path);
	return 0;
}

static int list_all(struct listing *l)
{
	size_t at = 0;
	int r = list_dir(l, "");

	while (r == 0 && at < l->waiting.len) {
		scoped(drop_mem) char *dir = strdup(l->waiting.data + at); /* the buffer moves */

		at += dir ? strlen(dir) + 1 : 0;
		r = dir ? list_dir(l, dir) : -ENOMEM;
	}
	return l->text.failed || l->waiting.failed ? -ENOMEM : r;
}

int name_list_read_tree(const char *root, uint64_t budget_us, bool inos, struct name_list *ret,
			struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct listing l = { .root = fd, .until = budget_us ? time_us() + budget_us : 0, .inos = inos };
	scoped(name_list_finish) struct name_list n = { .branch = name_list_branch(root, NULL) };
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "list '%s'", root);
	l.dev = st.st_dev;
	add(&l.text, st.st_ino, true, "", "");
	r = list_all(&l);
	buf_finish(&l.waiting);
	if (r == 0) {
		n.text = l.text;
		n.complete = true;
		r = index_text(&n, n.text.data, n.text.data + n.text.len);
	} else {
		buf_finish(&l.text);
	}
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "list '%s'", root);
	*ret = n;
	n = (struct name_list){ 0 };
	return 0;
}

int name_list_save(const struct name_list *n, const char *file, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	scoped(buf_finish) struct buf out = { 0 };
	int r;

	buf_addf(&out, "%s %d", MAGIC, n->complete);
	buf_add(&out, "", 1);
	buf_addf(&out, "%s", n->branch ? n->branch : "");
	buf_add(&out, "", 1);
	if (n->complete)
		buf_add(&out, n->text.data, n->text.len);
	buf_add(&out, LAST, sizeof(LAST));
	r = out.failed ? -ENOMEM : fd < 0 ? -errno : sys_write_all(fd, out.data, out.len);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "write '%s'", file) : 0;
}

static int read_text(const char *file, struct buf *ret)
{
	scoped(drop_fd) int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char chunk[65536];
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0 && ret->len < MAX_FILE)
		buf_add(ret, chunk, (size_t)n);
	return n < 0 ? -errno : ret->failed ? -ENOMEM : 0;
}

int name_list_load(const char *file, struct name_list *ret, struct aisbx_error *e)
{
	scoped(name_list_finish) struct name_list n = { 0 };
	int r = read_text(file, &n.text);
	const char *head = n.text.data, *branch;

	*ret = (struct name_list){ 0 };
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "read '%s'", file);
	if (n.text.len < sizeof(MAGIC) + 2 + 1 + sizeof(LAST) ||
	    memcmp(head, MAGIC " ", sizeof(MAGIC)) != 0 ||
	    memcmp(head + n.text.len - sizeof(LAST), LAST, sizeof(LAST)) != 0)
		return 0; /* torn */
	branch = head + sizeof(MAGIC) + 2;
	n.complete = head[sizeof(MAGIC)] == '1';
	n.branch = *branch ? strdup(branch) : NULL;
	if (n.complete)
		r = index_text(&n, branch + strlen(branch) + 1, head + n.text.len - sizeof(LAST));
	if (r == -EBADMSG)
		return 0;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "read '%s'", file);
	*ret = n;
	n = (struct name_list){ 0 };
	return 0;
}

struct name *name_list_find(const struct name_list *n, const char *path)
{
	const struct name key = { .path = path };

	return n && n->n ? bsearch(&key, n->items, n->n, sizeof(*n->items), by_path) : NULL;
}
