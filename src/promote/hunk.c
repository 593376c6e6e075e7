/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the hunks of a patch, and applies some of them. */
#include "promote/hunk.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

void hunk_list_finish(struct hunk_list *l)
{
	free(l->parts);
	*l = (struct hunk_list){ 0 };
}

/* A patch being read: where the next line is, and how much of its hunk is left. */
struct reader {
	const char *at, *end;
	struct hunk_list *list;
	size_t old_line, new_line, old_left, new_left;
	bool in_part; /* the last line was removed or added */
	struct hunk_slice context;
	size_t n_context;
};

/* The line at AT, with its end; false at the end of the text. */
static bool next_line(const char *at, const char *end, struct hunk_slice *ret)
{
	const char *stop;

	if (at >= end)
		return false;
	stop = memchr(at, '\n', (size_t)(end - at));
	*ret = (struct hunk_slice){ at, (size_t)((stop ? stop + 1 : end) - at) };
	return true;
}

static bool read_number(const char **at, const char *end, size_t *ret)
{
	size_t n = 0;
	const char *from = *at;

	while (*at < end && **at >= '0' && **at <= '9') {
		if (n > SIZE_MAX / 16)
			return false;
		n = n * 10 + (size_t)(*(*at)++ - '0');
	}
	*ret = n;
	return *at > from;
}

/* "12,3", or "12" for "12,1". */
static bool read_range(const char **at, const char *end, size_t *ret_line, size_t *ret_n)
{
	*ret_n = 1;
	if (!read_number(at, end, ret_line))
		return false;
	if (*at < end && **at == ',') {
		++*at;
		if (!read_number(at, end, ret_n))
			return false;
	}
	if (*ret_n && !*ret_line)
		return false;
	*ret_line -= *ret_n != 0; /* of an empty range it is the line before */
	return true;
}

static bool skip(const char **at, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *at) < n || memcmp(*at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

static bool read_head(struct reader *r, const struct hunk_slice *line)
{
	const char *at = line->text, *end = line->text + line->len;
	size_t old_line, new_line;

	if (!skip(&at, end, "@@ -") || !read_range(&at, end, &old_line, &r->old_left) ||
	    !skip(&at, end, " +") || !read_range(&at, end, &new_line, &r->new_left) || !skip(&at, end, " @@"))
		return false;
	if (old_line < r->old_line || new_line < r->new_line) /* they are in order */
		return false;
	r->old_line = old_line;
	r->new_line = new_line;
	r->in_part = false;
	r->context = (struct hunk_slice){ line->text + line->len, 0 };
	r->n_context = 0;
	r->list->n_hunks++;
	return true;
}

static int begin_part(struct reader *r, const char *text)
{
	struct hunk_list *l = r->list;
	struct hunk_part *grown;

	if ((l->n & (l->n - 1)) == 0) { /* at each power of two: a patch has as many as the box wants */
		grown = reallocarray(l->parts, l->n ? 2 * l->n : 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		l->parts = grown;
	}
	l->parts[l->n++] = (struct hunk_part){ .hunk = l->n_hunks - 1,
					       .old_line = r->old_line,
					       .new_line = r->new_line,
					       .before = r->context,
					       .n_before = r->n_context,
					       .lines = { text, 0 } };
	return 0;
}

/* What was read since the last part began belongs to it, or is the context behind it. */
static void extend(struct reader *r, const struct hunk_slice *line, bool changed, bool counted)
{
	struct hunk_part *p = r->list->n ? &r->list->parts[r->list->n - 1] : NULL;

	if (p && changed) {
		p->lines.len += line->len;
		return;
	}
	r->context.len += line->len;
	r->n_context += counted;
	if (p && p->hunk == r->list->n_hunks - 1) {
		p->after = r->context;
		p->n_after = r->n_context;
	}
}

/* A line of a hunk. 0, or -EBADMSG, -ENOMEM. */
static int read_body(struct reader *r, const struct hunk_slice *line)
{
	char kind = line->text[0];
	struct hunk_part *p;
	int err;

	if (kind == '\\') { /* about the line before */
		extend(r, line, r->in_part, false);
		return 0;
	}
	if (!strchr(" +-", kind) || !kind || (kind != '+' && !r->old_left) || (kind != '-' && !r->new_left) ||
	    line->text[line->len - 1] != '\n')
		return -EBADMSG;
	if (kind == ' ') {
		if (r->in_part) {
			r->context = (struct hunk_slice){ line->text, 0 };
			r->n_context = 0;
		}
		r->in_part = false;
		extend(r, line, false, true);
	} else {
		err = r->in_part ? 0 : begin_part(r, line->text);
		if (err < 0)
			return err;
		r->in_part = true;
		extend(r, line, true, true);
		p = &r->list->parts[r->list->n - 1];
		p->n_old += kind == '-';
		p->n_new += kind == '+';
	}
	r->old_left -= kind != '+';
	r->old_line += kind != '+';
	r->new_left -= kind != '-';
	r->new_line += kind != '-';
	return 0;
}

int hunk_list_read(const char *patch, size_t len, struct hunk_list *ret)
{
	scoped(hunk_list_finish) struct hunk_list made = { 0 };
	struct reader r = { .at = patch, .end = patch + len, .list = &made };
	struct hunk_slice line;
	int err = 0;

	for (; err == 0 && next_line(r.at, r.end, &line); r.at += line.len) {
		bool inside = r.old_left || r.new_left || (made.n_hunks && line.text[0] == '\\');

		if (inside)
			err = read_body(&r, &line);
		else if (line.len > 3 && !memcmp(line.text, "@@ ", 3))
			err = read_head(&r, &line) ? 0 : -EBADMSG;
		else if (made.n_hunks) /* the header is before the first hunk, and nothing is behind the last
					*/
			err = -EBADMSG;
	}
	if (err == 0 && (r.old_left || r.new_left))
		err = -EBADMSG;
	if (err < 0)
		return err;
	*ret = made;
	made = (struct hunk_list){ 0 };
	return 0;
}

/* A line of a part without its first character, and without its end if the next line says that it has none.
 */
static struct hunk_slice content_of(const struct hunk_slice *line, const char *end)
{
	const char *behind = line->text + line->len;
	bool ends = !(behind < end && *behind == '\\');

	return (struct hunk_slice){ line->text + 1, line->len - 1 - (ends ? 0 : 1) };
}

/* Goes through the lines of a part: removed ones must be at *AT of the base, added ones are put into RET. */
static int apply_part(const struct hunk_part *p, const char **at, const char *base_end, struct buf *ret)
{
	const char *end = p->lines.text + p->lines.len, *from = p->lines.text;
	struct hunk_slice line;

	for (; next_line(from, end, &line); from += line.len) {
		struct hunk_slice content = content_of(&line, end), old;

		if (*line.text == '+')
			buf_add(ret, content.text, content.len);
		if (*line.text != '-')
			continue;
		if (!next_line(*at, base_end, &old) || old.len != content.len ||
		    memcmp(old.text, content.text, old.len) != 0)
			return -EBADMSG;
		*at += old.len;
	}
	return 0;
}

int hunk_list_apply(const struct hunk_list *l, const bool *accepted, const char *base, size_t len,
		    struct buf *ret)
{
	const char *at = base, *end = base + len;
	struct hunk_slice line;
	size_t number = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct hunk_part *p = &l->parts[i];
		const char *from = at;
		int r;

		if (!accepted[i])
			continue;
		for (; number < p->old_line && next_line(at, end, &line); number++)
			at += line.len;
		if (number != p->old_line)
			return -EBADMSG;
		buf_add(ret, from, (size_t)(at - from));
		r = apply_part(p, &at, end, ret);
		if (r < 0)
			return r;
		number += p->n_old;
	}
	buf_add(ret, at, (size_t)(end - at));
	return ret->failed ? -ENOMEM : 0;
}

/* As git counts: an empty range has the line before it. */
static void print_head(size_t old_line, size_t n_old, size_t new_line, size_t n_new, struct buf *ret)
{
	buf_addf(ret, "@@ -%zu,%zu +%zu,%zu @@\n", old_line + (n_old != 0), n_old, new_line + (n_new != 0),
		 n_new);
}

void hunk_print_part(const struct hunk_list *l, size_t at, struct buf *ret)
{
	const struct hunk_part *p = &l->parts[at];

	print_head(p->old_line - p->n_before, p->n_before + p->n_old + p->n_after, p->new_line - p->n_before,
		   p->n_before + p->n_new + p->n_after, ret);
	buf_add(ret, p->before.text, p->before.len);
	buf_add(ret, p->lines.text, p->lines.len);
	buf_add(ret, p->after.text, p->after.len);
}

void hunk_print(const struct hunk_list *l, size_t hunk, struct buf *ret)
{
	const struct hunk_part *first = NULL, *last = NULL;
	const char *from, *end;

	for (size_t i = 0; i < l->n; i++) {
		if (l->parts[i].hunk != hunk)
			continue;
		first = first ? first : &l->parts[i];
		last = &l->parts[i];
	}
	if (!first)
		return;
	from = first->before.len ? first->before.text : first->lines.text;
	end = last->after.len ? last->after.text + last->after.len : last->lines.text + last->lines.len;
	print_head(first->old_line - first->n_before,
		   last->old_line + last->n_old + last->n_after - (first->old_line - first->n_before),
		   first->new_line - first->n_before,
		   last->new_line + last->n_new + last->n_after - (first->new_line - first->n_before), ret);
	buf_add(ret, from, (size_t)(end - from));
}
