/* SPDX-License-Identifier: Apache-2.0 */
/* Reads programs in batches and scans them. */
#include "box/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/diff.h"
#include "box/lookup.h"
#include "box/scan_module.h"

#define MAX_READ \
	(((size_t)16 << 20) + 1)    /* one more than the helper takes: that it is too long is a finding */
#define MAX_BATCH ((size_t)8 << 20) /* bytes of programs in memory at once */

void box_scan_finish(struct box_scan *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->batch[i].path);
		buf_finish(&s->batch[i].text);
	}
	s->n = s->held = 0;
}

static int judge(struct box_scan *s, const struct box_scan_program *p, struct facts *facts,
		 struct aisbx_error *e)
{
	const struct scan_text text = { p->lang, p->text.data ? p->text.data : "", p->text.len };
	struct scan_report report;
	int r = s->by ? scan_modules(s->by, &text, s->policy, facts, e) : 0;

	if (r < 0)
		return r;
	r = scan_judge(&text, facts, s->policy, &report, e);
	if (r < 0)
		return r;
	s->scanned++;
	s->bytes += text.len;
	s->risk = report.risk > s->risk ? report.risk : s->risk;
	s->found(s->ctx, p->path, &report, facts);
	scan_report_finish(&report);
	return 0;
}

int box_scan_flush(struct box_scan *s, struct aisbx_error *e)
{
	scoped(drop_mem) struct scan_text *texts = calloc(s->n + 1, sizeof(*texts));
	struct facts *facts = calloc(s->n + 1, sizeof(*facts));
	int r = texts && facts ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "scan %zu programs", s->n);

	for (size_t i = 0; r == 0 && i < s->n; i++)
		texts[i] = (struct scan_text){ s->batch[i].lang,
					       s->batch[i].text.data ? s->batch[i].text.data : "",
					       s->batch[i].text.len };
	if (r == 0)
		r = scan_facts(texts, s->n, facts, e);
	for (size_t i = 0; r == 0 && i < s->n; i++)
		r = judge(s, &s->batch[i], &facts[i], e);
	for (size_t i = 0; facts && i < s->n; i++)
		facts_finish(&facts[i]);
	free(facts);
	box_scan_finish(s);
	return r;
}

static int read_text(int fd, const char *path, struct buf *ret, struct aisbx_error *e)
{
	char chunk[65536];
	ssize_t n = 0;

	while (ret->len < MAX_READ && (n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return aisbx_fail(e, AISBX_AREA_USAGE, errno, "read '%s'",
					  path ? path : "standard input");
		buf_add(ret, chunk, (size_t)n);
	}
	return ret->failed
		       ? aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read '%s'", path ? path : "standard input")
		       : 0;
}

int box_scan_add(struct box_scan *s, int fd, const char *name, bool must, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	const char *lang;
	int r = read_text(fd, name, &text, e);

	if (r < 0)
		return r;
	lang = s->lang ? s->lang : scan_language_guess(name, text.data ? text.data : "", text.len);
	if (!lang && must)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"the language of '%s' cannot be determined from its name or first line; give --lang",
			name ? name : "standard input");
	if (!lang) {
		s->skipped++;
		return 0;
	}
	s->batch[s->n] =
		(struct box_scan_program){ .path = name ? strdup(name) : NULL, .lang = lang, .text = text };
	if (name && !s->batch[s->n].path)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read '%s'", name);
	s->held += text.len;
	s->n++;
	text = (struct buf){ 0 };
	return s->n == BOX_SCAN_FILES || s->held >= MAX_BATCH || memory_is_over(MEMORY_NAMES)
		       ? box_scan_flush(s, e)
		       : 0;
}

/* The box may be live, and what it has is hostile: only what still is a regular file is read, and nothing is
 * waited for. */
static int scan_change(struct box_scan *s, const struct change_list *l, const struct change *c,
		       struct aisbx_error *e)
{
	scoped(drop_mem) char *file = NULL;
	scoped(drop_fd) int fd = -1;
	struct stat st;

	if (!S_ISREG(c->new_mode) ||
	    (c->kind != CHANGE_CREATE && c->kind != CHANGE_MODIFY && c->kind != CHANGE_REPLACE))
		return 0;
	file = change_new_file(l, c);
	if (!file)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "open '%s' of the box", c->path);
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0 && (errno == ENOENT || errno == ELOOP))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "open '%s' of the box", c->path);
	return S_ISREG(st.st_mode) ? box_scan_add(s, fd, c->path, false, e) : 0;
}

int box_scan_changes(struct box_scan *s, struct box_state *state, const struct store_box *b,
		     const char *snapshot, struct aisbx_error *e)
{
	scoped(change_list_finish) struct change_list changes = { 0 };
	int r = box_diff(state, b, snapshot, NULL, "", &changes, NULL, e);

	for (size_t i = 0; r == 0 && i < changes.n; i++)
		r = scan_change(s, &changes, &changes.items[i], e);
	if (r == 0)
		r = box_scan_flush(s, e);
	if (r == 0)
		r = store_event_add(state->store, "box.scanned", b->id, NULL, e,
				    "{\"snapshot\":\"%s\",\"files\":%zu,\"risk\":\"%s\",\"action\":\"%s\"}",
				    snapshot, s->scanned, scan_severity_name(s->risk),
				    scan_action_name(s->policy->levels[s->risk]));
	return r;
}

static int scan_file(const struct caller *by, struct box_scan *s, const char *name, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int fd = -1;
	struct stat st;

	if (!strcmp(name, "-"))
		return by->stdin_fd < 0 ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBADF,
						       "there is no standard input to read")
					: box_scan_add(s, by->stdin_fd, NULL, true, e);
	path = path_resolve(by->cwd, name);
	if (!path)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find '%s'", name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "open '%s'", name);
	if (S_ISDIR(st.st_mode))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EISDIR,
				    "'%s' is a directory; name the files in it", name);
	return box_scan_add(s, fd, name, true, e);
}

static int scan_box(struct box_scan *s, const char *key, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	int r = lookup_open(key, false, &p, e);

	return r < 0 ? r : box_scan_changes(s, &p.state, &p.box, p.snapshot, e);
}

static int check(const char *box, size_t n_files, struct aisbx_error *e)
{
	if (box && n_files)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give files or a box, not both");
	if (!box && !n_files)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'scan' needs FILE, '-' for standard input, or --box BOX");
	return 0;
}

int box_scan_all(const struct caller *by, const struct box_scan_request *req, struct scan_policy *ret_policy,
		 struct box_scan *s, struct aisbx_error *e)
{
	int r = check(req->box, req->files->n, e);

	if (r == 0)
		r = box_scan_policy(by, req->policy, ret_policy, e);
	s->policy = ret_policy;
	s->by = by;
	if (r < 0)
		return r;
	if (req->box)
		return scan_box(s, req->box, e);
	for (size_t i = 0; r == 0 && i < req->files->n; i++)
		r = scan_file(by, s, req->files->items[i], e);
	return r == 0 ? box_scan_flush(s, e) : r;
}
