/* SPDX-License-Identifier: Apache-2.0 */
/* A piece of a file of a box, by bytes or by lines, without secrets. */
#include <errno.h>

#include "base/error.h"
#include "box/file_act.h"

int box_window_settle(const struct box_window *w, struct file_request *head, struct aisbx_error *e)
{
	if (w->has_offset && w->has_lines)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'offset' counts bytes, 'from' and 'count' count lines: give one or the other");
	if (!w->limit || w->limit > FILE_MAX_DATA)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'limit' must be 1 to %u bytes; read the rest from 'next_offset'",
				    FILE_MAX_DATA);
	if (w->has_lines && (!w->from || !w->count))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "lines are counted from 1, and 'count' must be at least 1");
	if (w->offset > INT64_MAX / 2)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'offset' is larger than any file");
	head->flags |= w->has_lines ? FILE_LINES : 0;
	head->offset = w->has_lines ? w->from - 1 : w->offset;
	head->limit = w->has_lines ? w->count : w->limit;
	head->most = w->limit;
	return 0;
}

void box_content_finish(struct box_content *c)
{
	buf_finish(&c->data);
}

/* Bytes at the end of LEN that begin a character whose rest is missing. */
static size_t begun(const char *data, size_t len)
{
	for (size_t back = 1; back <= 3 && back <= len; back++) {
		unsigned char c = (unsigned char)data[len - back];
		size_t need = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;

		if ((c & 0xC0) != 0x80)
			return need > back ? back : 0;
	}
	return 0;
}

/* The first stretch of [AT, TO) that is a secret, with all it overlaps; NULL: none. */
static const char *next_secret(const struct fingerprint_found *found, size_t n, size_t at, size_t to,
			       size_t *ret_from, size_t *ret_to)
{
	const char *name = NULL;
	bool grown = true;

	*ret_from = to;
	for (size_t i = 0; i < n; i++)
		if (found[i].to > at && found[i].from < *ret_from) {
			*ret_from = found[i].from < at ? at : (size_t)found[i].from;
			*ret_to = (size_t)found[i].to;
			name = found[i].name;
		}
	while (name && grown) {
		grown = false;
		for (size_t i = 0; i < n; i++)
			if (found[i].from < *ret_to && found[i].to > *ret_to) {
				*ret_to = (size_t)found[i].to;
				grown = true;
			}
	}
	return name;
}

int box_act_scrub(struct box_act *f, const char *data, size_t len, size_t from, size_t to, struct buf *out,
		  size_t *ret_end, bool *ret_redacted, struct aisbx_error *e)
{
	const struct fingerprint_found *found = NULL;
	size_t n = 0, at = from;

	if (f->scan) {
		fingerprint_scan_begin(f->scan);
		fingerprint_scan_add(f->scan, data, len);
		if (!fingerprint_scan_found(f->scan, &found, &n))
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for secrets");
	}
	while (at < to) {
		size_t begin, end = to;
		const char *name = next_secret(found, n, at, to, &begin, &end);

		buf_add(out, data + at, begin - at);
		if (name)
			buf_addf(out, "[secret %s]", name);
		*ret_redacted = *ret_redacted || name;
		at = end;
	}
	*ret_end = at;
	return out->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read '%s'", f->path) : 0;
}

int box_act_content(struct box_act *f, bool whole, struct box_content *ret, struct aisbx_error *e)
{
	const struct file_answer *a = &f->reply.head;
	size_t from = a->before, to = a->data_len - a->behind;
	uint64_t n_lines = 0;
	size_t cut, end;

	ret->more = a->behind > 0;
	cut = whole && ret->more ? begun(f->reply.data + from, to - from) : 0;
	ret->next_offset = a->next - cut;
	for (size_t i = from; i < to - cut; i++)
		n_lines += f->reply.data[i] == '\n';
	if (ret->more && to > from && f->reply.data[to - 1] == '\n')
		ret->next_line = a->line + n_lines + 1;
	return box_act_scrub(f, f->reply.data, a->data_len, from, to - cut, &ret->data, &end, &ret->redacted,
			     e);
}

int box_file_read(const struct caller *by, const char *box, const struct box_path *path,
		  const struct box_window *w, struct box_act *a, struct aisbx_error *e)
{
	int r = box_window_settle(w, &a->ask.head, e);

	if (r == 0)
		r = box_act_begin(by, box, path, FILE_READ, a, e);
	return r < 0 ? r : box_act_do(a, e);
}
