/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of files, to bytes and back. It is this machine's own, so numbers are as it has them. */
#include "fleet/content/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

#define MAGIC      "aisbxFC1"
#define ONE        (CONTENT_ID + 4)
#define STAMP      40u
#define FILES_MOST ((size_t)2 << 30)

static int64_t nanoseconds(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void content_stamp_of(const struct stat *st, struct content_stamp *ret)
{
	*ret = (struct content_stamp){ .dev = st->st_dev,
				       .ino = st->st_ino,
				       .size = (uint64_t)st->st_size,
				       .mtime = nanoseconds(st->st_mtim),
				       .ctime = nanoseconds(st->st_ctim) };
}

bool content_stamp_is_same(const struct content_stamp *a, const struct content_stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size && a->mtime == b->mtime &&
	       a->ctime == b->ctime;
}

void content_files_finish(struct content_files *f)
{
	buf_finish(&f->text);
	free(f->items);
	*f = (struct content_files){ 0 };
}

/* The N bytes at *AT, if they are there. */
static const uint8_t *take(const uint8_t **at, const uint8_t *end, size_t n)
{
	const uint8_t *from = *at;

	if (n > (size_t)(end - from))
		return NULL;
	*at += n;
	return from;
}

/* A text with its NUL. */
static const char *take_text(const uint8_t **at, const uint8_t *end)
{
	const uint8_t *nul = memchr(*at, '\0', (size_t)(end - *at));

	return nul ? (const char *)take(at, end, (size_t)(nul - *at) + 1) : NULL;
}

static bool read_one(const uint8_t **at, const uint8_t *end, struct content_seen *ret)
{
	const uint8_t *numbers, *count;

	ret->path = take_text(at, end);
	numbers = ret->path ? take(at, end, STAMP) : NULL;
	count = numbers ? take(at, end, sizeof(ret->n_refs)) : NULL;
	if (!count)
		return false;
	memcpy(&ret->stamp, numbers, STAMP);
	memcpy(&ret->n_refs, count, sizeof(ret->n_refs));
	ret->refs = take(at, end, (size_t)ret->n_refs * ONE);
	return ret->refs;
}

static int parse(struct content_files *f)
{
	const uint8_t *at = (const uint8_t *)f->text.data, *end = at + f->text.len;
	const uint8_t *magic = take(&at, end, 8), *count = magic ? take(&at, end, 4) : NULL;
	uint32_t n = 0;

	if (!count || memcmp(magic, MAGIC, 8) != 0)
		return -EBADMSG;
	memcpy(&n, count, sizeof(n));
	f->dir = take_text(&at, end);
	if (!f->dir || n > CONTENT_ENTRY_MOST)
		return -EBADMSG;
	f->items = calloc(n ? n : 1, sizeof(*f->items));
	if (!f->items)
		return -ENOMEM;
	for (; f->n < n; f->n++)
		if (!read_one(&at, end, &f->items[f->n]))
			return -EBADMSG;
	return 0;
}

int content_files_open(int fd, const char *name, struct content_files *ret)
{
	scoped(content_files_finish) struct content_files f = { 0 };
	int r = content_cache_read(fd, name, FILES_MOST, &f.text);

	if (r == 0)
		r = parse(&f);
	if (r < 0)
		return r;
	*ret = f;
	f = (struct content_files){ 0 };
	return 0;
}

void content_files_load(const struct content_cache *c, const char *dir, struct content_files *ret)
{
	scoped(drop_fd) int fd = content_cache_dir(c, "files");
	char name[33];

	*ret = (struct content_files){ 0 };
	content_cache_name(dir, name);
	if (fd >= 0 && content_files_open(fd, name, ret) == 0 && strcmp(ret->dir, dir) != 0)
		content_files_finish(ret);
}

const struct content_seen *content_files_find(struct content_files *f, const char *path,
					      const struct content_stamp *st)
{
	int order = 1;

	while (f->at < f->n && (order = content_path_compare(path, f->items[f->at].path)) > 0)
		f->at++;
	if (f->at == f->n || order != 0 || !content_stamp_is_same(&f->items[f->at].stamp, st))
		return NULL;
	return &f->items[f->at];
}

struct content_ref content_seen_ref(const struct content_seen *s, uint32_t i)
{
	struct content_ref ref;

	memcpy(ref.id, s->refs + (size_t)i * ONE, CONTENT_ID);
	memcpy(&ref.len, s->refs + (size_t)i * ONE + CONTENT_ID, sizeof(ref.len));
	return ref;
}

static void write_one(const struct content_entry *n, const struct content_stamp *st, struct buf *text)
{
	uint32_t n_refs = (uint32_t)n->n_refs;

	buf_add(text, n->path, strlen(n->path) + 1);
	buf_add(text, st, STAMP);
	buf_add(text, &n_refs, sizeof(n_refs));
	for (size_t i = 0; i < n->n_refs; i++) {
		buf_add(text, n->refs[i].id, CONTENT_ID);
		buf_add(text, &n->refs[i].len, sizeof(n->refs[i].len));
	}
}

int content_files_save(const struct content_cache *c, const char *dir, const struct content_tree *t,
		       const struct content_stamp *stamps)
{
	scoped(drop_fd) int fd = content_cache_dir(c, "files");
	scoped(buf_finish) struct buf text = { 0 };
	uint32_t n = 0;
	char name[33];

	if (fd < 0)
		return fd;
	for (size_t i = 0; i < t->n; i++)
		n += t->entries[i].type == CONTENT_FILE && stamps[i].is_sure;
	buf_add(&text, MAGIC, 8);
	buf_add(&text, &n, sizeof(n));
	buf_add(&text, dir, strlen(dir) + 1);
	for (size_t i = 0; i < t->n; i++)
		if (t->entries[i].type == CONTENT_FILE && stamps[i].is_sure)
			write_one(&t->entries[i], &stamps[i], &text);
	if (text.failed)
		return -ENOMEM;
	content_cache_name(dir, name);
	return content_cache_write(fd, name, &text);
}
