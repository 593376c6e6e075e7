/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assigns each path to the innermost repository around it, outer ones first, and asks the helper about each
 * repository.
 */
#include "layer/ignore.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/ignore_repo.h"
#include "layer/merge_helper.h"

/* Paths are asked about a piece at a time: there can be any number. */
#define PIECE ((size_t)1 << 20)

/* What lies together in one repository, or in none. */
struct part {
	char *dir; /* owned; the repository's; "": the project */
	size_t first, end;
	bool is_repo;
};

/* What a word of a request is about: an item, or a repository inside (then ITEM is NULL). */
struct asked {
	struct ignore_item *item;
	size_t part;
};

struct search {
	struct open_view *open_view;
	const char *scratch;
	struct ignore_item **items; /* owned; what lies below a directory is together */
	struct part *parts;         /* owned; outer ones first */
	size_t n_parts;
	struct asked *asked; /* owned; of the request that is made now */
	size_t n_asked;
	struct buf words;
};

static void search_finish(struct search *s)
{
	for (size_t i = 0; i < s->n_parts; i++)
		free(s->parts[i].dir);
	free(s->parts);
	free(s->items);
	free(s->asked);
	buf_finish(&s->words);
}

/* The slash before all other characters. */
static int by_path(const void *a, const void *b)
{
	const char *x = (*(struct ignore_item *const *)a)->path, *y = (*(struct ignore_item *const *)b)->path;
	size_t i = 0;

	while (x[i] && x[i] == y[i])
		i++;
	if (!x[i] || !y[i])
		return (x[i] != '\0') - (y[i] != '\0');
	if (x[i] == '/' || y[i] == '/')
		return (x[i] != '/') - (y[i] != '/');
	return (unsigned char)x[i] - (unsigned char)y[i];
}

static int add_part(struct search *s, const char *dir, size_t first, size_t end, bool is_repo,
		    struct aisbx_error *e)
{
	struct part *more = NULL;
	char *copy = strdup(dir);

	if (!(s->n_parts & (s->n_parts - 1))) /* full at each power of two */
		more = realloc(s->parts, (s->n_parts ? s->n_parts * 2 : 1) * sizeof(*more));
	else
		more = s->parts;
	if (more)
		s->parts = more;
	if (!more || !copy) {
		free(copy);
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "find repositories");
	}
	s->parts[s->n_parts++] = (struct part){ copy, first, end, is_repo };
	return 0;
}

/* Behind the last item below DIR, of which FIRST is one. */
static size_t end_of(const struct search *s, const char *dir, size_t first, size_t end)
{
	size_t n = strlen(dir);

	while (first < end && !strncmp(s->items[first]->path, dir, n) && s->items[first]->path[n] == '/')
		first++;
	return first;
}

static void ask(struct search *s, const struct ignore_repo *r, const char *path, bool is_dir,
		struct asked about)
{
	const char *rel = path + (*r->dir ? strlen(r->dir) + 1 : 0);

	if (!r->copy)
		return;
	buf_addf(&s->words, "%s%s%s", r->prefix, rel, is_dir ? "/" : "");
	buf_add(&s->words, "", 1);
	s->asked[s->n_asked++] = about;
}

/*
 * Goes down from the directory that item AT of a part shares with the one before, to the item. *RET: the next
 * item to look at; it lies behind AT, also when there is a repository on the way that takes AT and others.
 */
static int walk_down(struct search *s, struct ignore_repo *r, const struct part *p, size_t at, size_t shared,
		     size_t *ret, struct aisbx_error *e)
{
	struct ignore_item *item = s->items[at];

	for (const char *slash = item->path + shared; (slash = strchr(slash, '/')); slash++) {
		scoped(drop_mem) char *dir = strndup(item->path, (size_t)(slash - item->path));
		int is = dir ? ignore_repo_is(s->open_view, dir) : -ENOMEM;

		if (is < 0)
			return aisbx_fail(e, AISBX_AREA_LAYER, -is, "search for a repository in '%s'",
					  path_tail(dir ? dir : item->path, PATH_TOLD));
		if (is) {
			*ret = end_of(s, dir, at, p->end);
			if (!ignore_repo_is_joined(s->open_view, dir))
				ask(s, r, dir, true, (struct asked){ NULL, s->n_parts });
			return add_part(s, dir, at, *ret, true, e);
		}
		if (r->copy && ignore_repo_add(s->open_view, r, dir, e) < 0)
			return e->code;
	}
	ask(s, r, item->path, item->is_dir, (struct asked){ .item = item });
	*ret = at + 1;
	return 0;
}

/* Length of the directories that A and B have in common, with the slash behind them. */
static size_t shared_dirs(const char *a, const char *b)
{
	size_t n = 0;

	for (size_t i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			n = i + 1;
	return n;
}

static int start(const struct search *s, const struct ignore_repo *r, struct merge_helper *ret,
		 struct aisbx_error *e)
{
	scoped(buf_finish) struct buf request = { 0 };

	merge_helper_add_word(&request, "ignore");
	merge_helper_add_word(&request, r->copy);
	buf_addf(&request, r->has_index ? "%s.index" : "-", r->copy);
	buf_add(&request, "", 1);
	buf_addf(&request, "%zu", s->n_asked);
	buf_add(&request, "", 1);
	buf_add(&request, s->words.data, s->words.len);
	return merge_helper_start(&request, NULL, ret, e); /* it writes nothing */
}

/* Its answer for each path asked. */
static int hear(struct merge_helper *h, size_t n, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *line = NULL;
	size_t cap = 0;
	ssize_t len = getline(&line, &cap, h->answers);
	int r = len == 2 && line[0] == '0' ? merge_helper_take(h, n, ret) : 0, status = merge_helper_end(h);

	if (r > 0)
		return 0;
	if (len > 2 && line[0] == '3' && line[len - 1] == '\n')
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EIO,
				    "find out what git ignores: %.*s", (int)len - 3, line + 2);
	if (WIFSIGNALED(status))
		return aisbx_refuse(
			e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EPROTO,
			"find out what git ignores: %s exceeded its limit of time or memory, or crashed",
			HELPER);
	return merge_helper_fail_early(status, e);
}

/* Whoever is ignored takes along what lies in it. */
static void mark(struct search *s, const struct asked *about)
{
	if (about->item) {
		about->item->ignored = true;
		return;
	}
	for (size_t i = s->parts[about->part].first; i < s->parts[about->part].end; i++)
		s->items[i]->ignored = true;
	s->parts[about->part].end = s->parts[about->part].first;
}

static int ask_helper(struct search *s, const struct ignore_repo *r, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf verdicts = { 0 };
	struct merge_helper h;
	/* The first word about a repository above is the project: one that ignores that is not
	 * the project's. */
	size_t skip = r->above.root >= 0;
	const char *verdict;
	int rc;

	if (!s->n_asked)
		return 0;
	rc = start(s, r, &h, e);
	if (rc == 0)
		rc = hear(&h, s->n_asked, &verdicts, e);
	if (rc < 0)
		return rc;
	verdict = buf_str(&verdicts);
	if (!verdict)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "store what git ignores");
	for (size_t i = skip; i < s->n_asked && !(skip && verdict[0] == '1'); i++)
		if (verdict[i] == '1')
			mark(s, &s->asked[i]);
	return 0;
}

/* A new request. */
static void begin(struct search *s, const struct ignore_repo *r)
{
	s->words.len = s->n_asked = 0;
	if (r->above.root < 0)
		return;
	merge_helper_add_word(&s->words, r->prefix);
	s->n_asked++;
}

static int collect(struct search *s, struct ignore_repo *r, size_t part, struct aisbx_error *e)
{
	struct part p = s->parts[part]; /* the list may move */
	size_t top = *p.dir ? strlen(p.dir) + 1 : 0;

	if (r->copy && ignore_repo_add(s->open_view, r, p.dir, e) < 0)
		return e->code;
	for (size_t at = p.first, next = p.end; at < p.end; at = next) {
		size_t shared = at > p.first ? shared_dirs(s->items[at - 1]->path, s->items[at]->path) : top;

		if (walk_down(s, r, &p, at, shared > top ? shared : top, &next, e) < 0)
			return e->code;
		if (s->words.len < PIECE)
			continue;
		if (ask_helper(s, r, e) <
		    0) /* what rules there are for these is laid out: they lie above them */
			return e->code;
		begin(s, r);
	}
	return s->words.failed ? aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "find out what git ignores") : 0;
}

static int judge(struct search *s, struct ignore_repo *r, size_t part, struct aisbx_error *e)
{
	scoped(drop_mem) char *copy = NULL;

	if (asprintf(&copy, "%s/%zu", s->scratch, part) < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "find out what git ignores");
	if (s->parts[part].is_repo && ignore_repo_lay_out(s->open_view, r, copy, e) < 0)
		return e->code;
	begin(s, r);
	if (collect(s, r, part, e) < 0)
		return e->code;
	return ask_helper(s, r, e);
}

/* The project: a repository, in one, or in none. */
static int find_outermost(struct search *s, size_t n, struct ignore_repo *ret, struct aisbx_error *e)
{
	int is = ignore_repo_is(s->open_view, "");

	if (is < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, -is, "search for a repository in '%s'",
				  s->open_view->view->host);
	if (!is)
		is = ignore_repo_find_above(s->open_view, ret, e);
	return is < 0 ? is : add_part(s, "", 0, n, is, e);
}

/* R is filled already when it is a repository above the project. */
static int judge_part(struct search *s, struct ignore_repo *r, size_t part, struct aisbx_error *e)
{
	if (s->parts[part].first == s->parts[part].end)
		return 0;
	if (!r->dir)
		r->dir = strdup(s->parts[part].dir);
	if (!r->prefix)
		r->prefix = strdup("");
	if (!r->dir || !r->prefix)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "read what '%s' ignores", s->parts[part].dir);
	return judge(s, r, part, e);
}

static int judge_all(struct search *s, size_t n, struct aisbx_error *e)
{
	scoped(ignore_repo_finish) struct ignore_repo outermost = IGNORE_REPO_INIT;
	int rc = find_outermost(s, n, &outermost, e);

	for (size_t i = 0; rc == 0 && i < s->n_parts; i++) {
		scoped(ignore_repo_finish) struct ignore_repo inner = IGNORE_REPO_INIT;

		rc = judge_part(s, i ? &inner : &outermost, i, e);
	}
	return rc;
}

int ignore_find(struct open_view *open_view, struct ignore_item *items, size_t n, const char *scratch,
		struct aisbx_error *e)
{
	scoped(search_finish) struct search s = { .open_view = open_view, .scratch = scratch };

	if (!n)
		return 0;
	s.items = calloc(n, sizeof(*s.items));
	s.asked = calloc(n + 1, sizeof(*s.asked)); /* and the project in a repository above */
	if (!s.items || !s.asked)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "find out which of %zu paths git ignores", n);
	for (size_t i = 0; i < n; i++) {
		items[i].ignored = false;
		s.items[i] = &items[i];
	}
	qsort(s.items, n, sizeof(*s.items), by_path);
	return judge_all(&s, n, e);
}
