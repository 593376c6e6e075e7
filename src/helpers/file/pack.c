/* SPDX-License-Identifier: Apache-2.0 */
/* Packs a file or a whole directory as one stream, to be saved as an artifact. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "helpers/file/file.h"

struct packer {
	int out;
	struct file_answer *a; /* next: what is neither file, directory nor link and was left out */
	uint64_t bytes, limit, entries;
};

static int pack_content(struct packer *p, int fd, uint64_t size)
{
	char chunk[65536];

	while (size) {
		ssize_t n = read(fd, chunk, size < sizeof(chunk) ? (size_t)size : sizeof(chunk));
		int r = n < 0 ? err() : n == 0 ? -ESTALE : io_write_all(p->out, chunk, (size_t)n);

		if (r < 0)
			return r;
		size -= (uint64_t)n;
	}
	return 0;
}

/* Counts it, with what it takes beside its content. */
static int pack_head(struct packer *p, int dir, const char *name, const char *shown, const struct stat *st)
{
	scoped(buf_finish) struct buf head = { 0 };
	int r = entry_add(&head, dir, name, shown, st);

	p->bytes += head.len + (S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0);
	if (r == 0 && (p->bytes > p->limit || p->entries++ == FILE_MAX_PACKED))
		return why(p->a, FILE_WHY_LARGE, EFBIG);
	return r < 0 ? r : io_write_all(p->out, head.data, head.len);
}

static int pack_any(struct packer *p, int dir, const char *name, const char *shown, unsigned int depth);

static int pack_dir(struct packer *p, int dir, const char *name, const char *shown, unsigned int depth)
{
	scoped(name_list_finish) struct name_list names = { 0 };
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	scoped(drop_fd) int keep = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	bool more = false;
	int r;

	if (fd < 0)
		return err();
	r = name_list_read(fd, FILE_MAX_PACKED, &names, &more);
	if (r == 0 && keep < 0)
		r = -EMFILE;
	if (r == 0 && more)
		r = why(p->a, FILE_WHY_LARGE, EFBIG);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		scoped(drop_mem) char *below = NULL;

		if (asprintf(&below, "%s%s%s", shown, *shown ? "/" : "", names.list[i]) < 0)
			return below = NULL, -ENOMEM;
		r = pack_any(p, keep, names.list[i], below, depth - 1);
	}
	return r;
}

static int pack_file(struct packer *p, int dir, const char *name, const char *shown)
{
	struct stat st;
	scoped(drop_fd) int fd = open_file(dir, name, p->a, &st);
	int r = fd < 0 ? fd : pack_head(p, dir, name, shown, &st);

	return r < 0 ? r : pack_content(p, fd, (uint64_t)st.st_size);
}

static int pack_any(struct packer *p, int dir, const char *name, const char *shown, unsigned int depth)
{
	struct stat st;
	int r;

	if (!depth)
		return -ELOOP;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err();
	switch (type_of(&st)) {
	case FILE_IS_FILE:
		return pack_file(p, dir, name, shown);
	case FILE_IS_LINK:
		return pack_head(p, dir, name, shown, &st);
	case FILE_IS_DIR:
		r = pack_head(p, dir, name, shown, &st);
		return r < 0 ? r : pack_dir(p, dir, name, shown, depth);
	case FILE_IS_OTHER:
	case FILE_TYPES:
		break;
	}
	p->a->next++;
	return 0;
}

int act_pack(const struct ask *q, struct file_answer *a, int out)
{
	struct packer p = { .out = out, .a = a, .limit = q->head.limit };
	scoped(drop_fd) int dir = -1;
	scoped(drop_mem) char *name = NULL;
	struct stat st;
	int r = open_parent(q->part[FILE_PATH], true, false, &dir, &name);

	if (r == 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		r = err();
	if (r == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		tell_stat(a, &st);
		r = why(a, FILE_WHY_NO_FILE, EINVAL);
	}
	if (r == 0)
		r = pack_any(&p, dir, name, "", FILE_MAX_DEPTH);
	if (r == 0)
		tell_stat(a, &st);
	return r;
}
