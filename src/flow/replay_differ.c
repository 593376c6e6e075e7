/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two takes: exit status, output, fuel, and changes to the project. */
#include "flow/replay_differ.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"

#define MAX_FILE  (1 << 20) /* of a file: that much is looked at */
#define MAX_PATHS 100

static const char *const streams[] = { "stdout", "stderr" };

void replay_list_finish(struct replay_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i].what);
	free(l->items);
	*l = (struct replay_list){ 0 };
}

bool replay_list_has(const struct replay_list *l, const char *what)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i].what, what))
			return true;
	return false;
}

static void add(struct replay_list *l, const char *what, const char *kind,
		const struct replay_example *example)
{
	struct replay_difference *more = realloc(l->items, (l->n + 1) * sizeof(*more));

	if (more) {
		l->items = more;
		more[l->n] = (struct replay_difference){ strdup(what), kind, *example };
	}
	if (!more || !more[l->n].what)
		l->failed = true;
	else
		l->n++;
}

void replay_list_join(struct replay_list *to, struct replay_list *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (!replay_list_has(to, from->items[i].what))
			add(to, from->items[i].what, from->items[i].kind, &from->items[i].example);
	to->failed = to->failed || from->failed;
	replay_list_finish(from);
}

void replay_gaps_finish(struct replay_gaps *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->items[i].what);
		free(g->items[i].why);
	}
	free(g->items);
	*g = (struct replay_gaps){ 0 };
}

void replay_gaps_add(struct replay_gaps *to, const char *what, const char *why)
{
	struct replay_gap *more = to ? realloc(to->items, (to->n + 1) * sizeof(*more)) : NULL;

	if (more) {
		to->items = more;
		more[to->n] = (struct replay_gap){ strdup(what), strdup(why) };
		to->failed = to->failed || !more[to->n].what || !more[to->n].why;
		to->n++;
	} else if (to) {
		to->failed = true;
	}
}

void replay_detail_finish(struct replay_detail *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->paths[i].path);
	free(d->paths);
	*d = (struct replay_detail){ 0 };
}

static size_t show(char to[REPLAY_SHOWN], const char *text, size_t len)
{
	len = len < REPLAY_SHOWN ? len : REPLAY_SHOWN;
	if (len)
		memcpy(to, text, len);
	return len;
}

/* Of a text: the first line that differs. */
static struct replay_example example_of(const struct replay_text *t)
{
	const struct replay_line *l = &t->lines[0];
	struct replay_example x = { .kind = t->n_lines ? EXAMPLE_LINE : EXAMPLE_NONE };

	if (!t->n_lines)
		return x;
	x.line = l->number;
	x.has_was = l->was;
	x.has_is = l->is;
	x.was_len = show(x.was, l->was, l->was ? l->was_len : 0);
	x.is_len = show(x.is, l->is, l->is ? l->is_len : 0);
	return x;
}

static void compare_number(int64_t was, int64_t is, const char *what, struct replay_list *list)
{
	const struct replay_example x = { .kind = EXAMPLE_NUMBER, .was_number = was, .is_number = is };

	if (was != is)
		add(list, what, "content", &x);
}

static void compare_status(const struct take *was, const struct take *is, struct replay_list *list)
{
	const char *a = was->status ? was->status : "", *b = is->status ? is->status : "";
	struct replay_example x = { .kind = EXAMPLE_STATUS, .has_was = was->status, .has_is = is->status };

	x.was_len = show(x.was, a, strlen(a));
	x.is_len = show(x.is, b, strlen(b));
	if (strcmp(a, b) != 0)
		add(list, "status", "content", &x);
}

static void compare_stream(const struct take *was, const struct take *is, int which, struct replay_list *list,
			   struct replay_gaps *gaps, struct replay_detail *detail)
{
	const struct buf *a = &was->output[which], *b = &is->output[which];
	bool sums = was->sums[which] && is->sums[which],
	     alike = sums && !strcmp(was->sums[which], is->sums[which]),
	     texts = was->has_output && is->has_output;
	struct replay_text t = { .same = true, .kind = "" };
	struct replay_example x;

	if (!sums && !texts) {
		replay_gaps_add(gaps, streams[which],
				"the output of the run is not stored; 'aisbx run --record' stores it");
		return;
	}
	if (!alike && texts)
		replay_compare_text(a->data ? a->data : "", a->len, b->data ? b->data : "", b->len, &t);
	if (sums && !alike && t.same) { /* behind what is kept, or nothing is kept any more */
		t.same = false;
		t.kind = "content";
	}
	x = example_of(&t);
	if (!t.same)
		add(list, streams[which], t.kind, &x);
	if (detail)
		detail->streams[which] = (struct replay_stream){ .compared = true, .text = t };
}

/* The beginning of a file; false: it cannot be had. */
static bool read_file(const char *path, struct buf *ret)
{
	scoped(drop_fd) int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
	char chunk[65536];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > MAX_FILE)
		return false;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(ret, chunk, (size_t)n);
	return n == 0 && buf_str(ret);
}

/* How the two versions of one path differ. */
static const char *kind_of(const struct change_list *l, const struct change *c, struct replay_example *ret)
{
	scoped(drop_mem) char *old = change_old_file(l, c);
	scoped(drop_mem) char *now = change_new_file(l, c);
	scoped(buf_finish) struct buf a = { 0 };
	scoped(buf_finish) struct buf b = { 0 };
	struct replay_text t;

	if (c->kind == CHANGE_MODE || c->kind == CHANGE_XATTR)
		return "attributes";
	if (c->kind == CHANGE_CREATE || c->kind == CHANGE_DELETE)
		return replay_is_temporary(c->path) ? "temporary name" : "content";
	if (c->kind != CHANGE_MODIFY || !S_ISREG(c->old_mode) || !S_ISREG(c->new_mode) || !old || !now ||
	    !read_file(old, &a) || !read_file(now, &b))
		return "content";
	replay_compare_text(a.data, a.len, b.data, b.len, &t);
	*ret = example_of(&t);
	return t.same ? "content" : t.kind;
}

static bool add_change(const struct change_list *l, const struct change *c, struct replay_list *list,
		       struct replay_detail *detail)
{
	scoped(buf_finish) struct buf what = { 0 };
	struct replay_example example = { .kind = EXAMPLE_NONE };
	const char *kind = kind_of(l, c, &example);
	char *path;

	buf_addf(&what, "file ");
	buf_add_utf8(&what, c->path, strlen(c->path));
	add(list, buf_str(&what) ? what.data : "file", kind, &example);
	path = detail ? strdup(c->path) : NULL;
	if (path)
		detail->paths[detail->n++] = (struct replay_path){ path, c->kind, kind };
	return !detail || path;
}

/* What the two left of the project. */
static int find_changes(struct box_state *state, const struct take *was, const struct take *is,
			struct change_list *ret, struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box a = { 0 };
	scoped(store_box_finish) struct store_box b = { 0 };
	int r = store_box_find(state->store, was->box, &a, e);

	if (r == 0)
		r = store_box_find(state->store, is->box, &b, e);
	return r < 0 ? r : box_diff(state, &a, was->after, &b, is->after, ret, NULL, e);
}

static int compare_changes(struct box_state *state, const struct take *was, const struct take *is,
			   struct replay_list *list, struct replay_gaps *gaps, struct replay_detail *detail,
			   struct aisbx_error *e)
{
	scoped(change_list_finish) struct change_list changes = { 0 };
	size_t n = 0;
	bool fits;
	int r;

	if (!was->after[0] || !is->after[0]) {
		replay_gaps_add(gaps, "changes",
				was->box[0] ? "there is no snapshot of the state after the run; 'aisbx run "
					      "--record' takes one"
					    : "the box of the run was removed after it; run in a box that "
					      "stays, with --box and --record");
		return 0;
	}
	r = find_changes(state, was, is, &changes, e);
	if (r < 0)
		return r;
	fits = !detail || (detail->paths = calloc(MAX_PATHS, sizeof(*detail->paths)));
	for (size_t i = 0; fits && i < changes.n; i++)
		if (changes.items[i].kind != CHANGE_TOUCH && n++ < MAX_PATHS)
			fits = add_change(&changes, &changes.items[i], list, detail);
	if (detail) {
		detail->compared = true;
		detail->count = n;
	}
	return fits ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compare the files after the runs");
}

int takes_differ(struct box_state *state, const struct take *was, const struct take *is,
		 struct replay_list *list, struct replay_gaps *gaps, struct replay_detail *detail,
		 struct aisbx_error *e)
{
	int r;

	compare_number(was->exit_code, is->exit_code, "exit_code", list);
	compare_number(was->signal, is->signal, "signal", list);
	compare_number(was->fuel, is->fuel, "fuel", list);
	compare_status(was, is, list);
	for (int i = 0; i < 2; i++)
		compare_stream(was, is, i, list, gaps, detail);
	r = compare_changes(state, was, is, list, gaps, detail, e);
	return r == 0 && (list->failed || (gaps && gaps->failed))
		       ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compare the runs")
		       : r;
}
