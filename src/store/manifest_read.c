/* SPDX-License-Identifier: Apache-2.0 */
/* Reads manifests: nothing is used before the whole was read. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/str.h"
#include "store/db.h"
#include "store/manifest.h"

/* More is nothing that aisbx wrote: manifest and config of an image are long at most 4 MiB each, escaped. */
#define BYTES_MAX (32 << 20)

#define HEAD "\n" MANIFEST_HEAD "\nat\t"
#define TAIL "\n" MANIFEST_END "\n"

static int read_all(const char *path, struct buf *ret)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return io_read_all(fd, BYTES_MAX, ret);
}

/* The last place of WORD before END; NULL: none. */
static const char *last_of(const char *text, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = end - n; p >= text; p--)
		if (!memcmp(p, word, n))
			return p;
	return NULL;
}

int manifest_load(const char *path, struct buf *ret_text, struct manifest_when *ret_when, size_t *ret_size)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(buf_finish) struct buf last = { 0 };
	const char *tail, *head;
	char *next;
	int r = read_all(path, &text);

	if (ret_size)
		*ret_size = text.len;
	if (r < 0)
		return r;
	tail = text.len <= BYTES_MAX && strlen(text.data) == text.len
		       ? last_of(text.data, text.data + text.len, TAIL)
		       : NULL;
	head = tail ? last_of(text.data, tail, HEAD) : NULL;
	if (!head)
		return -EUCLEAN;
	buf_add(&last, head, (size_t)(tail + strlen(TAIL) - head));
	if (!buf_str(&last))
		return -ENOMEM;
	ret_when->at = strtoll(last.data + strlen(HEAD), &next, 10);
	ret_when->from = *next == '\t' ? strtoll(next, NULL, 10) : ret_when->at;
	buf_finish(ret_text);
	*ret_text = last;
	last = (struct buf){ 0 };
	return ret_when->at < 0 ? -EUCLEAN : 0;
}

static const char *rows_of(const struct buf *text)
{
	const char *end = text->len > strlen(HEAD)
				  ? memchr(text->data + strlen(HEAD), '\n', text->len - strlen(HEAD))
				  : NULL;

	return end ? end + 1 : NULL;
}

bool manifest_is_same(const struct buf *a, const struct buf *b)
{
	const char *rows_a = rows_of(a), *rows_b = rows_of(b);
	size_t n;

	if (!rows_a || !rows_b)
		return false;
	n = (size_t)(a->data + a->len - rows_a);
	return n == (size_t)(b->data + b->len - rows_b) && !memcmp(rows_a, rows_b, n);
}

bool manifest_next(struct buf *text, size_t *at, struct manifest_row *ret)
{
	char *line, *end, *field;

	if (*at == 0) {
		const char *rows = rows_of(text);

		if (!rows)
			return false;
		*at = (size_t)(rows - text->data);
	}
	line = text->data + *at;
	end = strchr(line, '\n');
	if (!end || !strncmp(line, MANIFEST_END "\n", strlen(MANIFEST_END "\n")))
		return false;
	*end = '\0';
	*at = (size_t)(end + 1 - text->data);
	*ret = (struct manifest_row){ .table = line };
	strsep(&line, "\t");
	while ((field = strsep(&line, "\t")) && ret->n < MANIFEST_COLUMNS) {
		char *value = strchr(field, '=');

		if (!value)
			continue;
		*value++ = '\0';
		db_unescape(value);
		ret->names[ret->n] = field;
		ret->values[ret->n++] = value;
	}
	return true;
}

const char *manifest_value(const struct manifest_row *row, const char *name)
{
	for (size_t i = 0; i < row->n; i++)
		if (!strcmp(row->names[i], name))
			return row->values[i];
	return NULL;
}

int store_manifest_read(const char *path, struct store_told *ret)
{
	scoped(buf_finish) struct buf text = { 0 };
	struct manifest_row row;
	struct manifest_when when;
	size_t next = 0;
	bool by_image = false, by_other = false;
	int r = manifest_load(path, &text, &when, NULL);

	*ret = (struct store_told){ 0 };
	while (r == 0 && manifest_next(&text, &next, &row)) {
		const char *parent = !strcmp(row.table, "layers") ? manifest_value(&row, "parent") : NULL;

		if (parent && strlen(parent) < sizeof(ret->parent))
			strcpy(ret->parent, parent);
		by_other = by_other || str_is_one_of(row.table, "boxes|snapshots|templates");
		by_image = by_image || !strcmp(row.table, "images");
	}
	ret->named = by_other || by_image;
	ret->only_image = by_image && !by_other;
	return r;
}
