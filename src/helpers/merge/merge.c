/* SPDX-License-Identifier: Apache-2.0 */
/* The request `merge`: merges three files into one, as `git merge-file` does. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <git2.h>

#include "base/io.h"
#include "base/scope.h"
#include "helpers/merge/merge.h"

static void drop_result(git_merge_file_result *r)
{
	git_merge_file_result_free(r);
}

int merge_fail_git(struct aisbx_error *e, const char *what, const struct side *a, const struct side *b)
{
	const git_error *g = git_error_last();

	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EIO, "%s '%s' and '%s': %s", what,
			    a->path, b->path, g && g->message ? g->message : "libgit2 gave no reason");
}

/* The file is made here or not at all: a half-written one does not stay. */
static int write_new(const char *path, const char *data, size_t len, struct aisbx_error *e)
{
	int fd, r;

	fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_LAYER, errno, "create '%s' for the merged text", path);
	r = io_write_all(fd, data, len);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r < 0) {
		unlink(path);
		return aisbx_fail(e, AISBX_AREA_LAYER, -r, "write %zu bytes of merged text to '%s'", len,
				  path);
	}
	return 0;
}

/* A label stands in a marker, and a marker is one line. */
static int check_label(const char *label, struct aisbx_error *e)
{
	for (const char *c = label; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				"mark conflicts with a label: it contains the control character 0x%02x",
				(unsigned char)*c);
	return 0;
}

static git_merge_file_input input_of(const struct side *s)
{
	git_merge_file_input in = GIT_MERGE_FILE_INPUT_INIT;

	in.ptr = s->data;
	in.size = s->len;
	return in;
}

static int merge_texts(const struct side sides[3], char **words, struct aisbx_error *e)
{
	git_merge_file_input base = input_of(&sides[0]), ours = input_of(&sides[1]),
			     theirs = input_of(&sides[2]);
	scoped(drop_result) git_merge_file_result result = { 0 };
	git_merge_file_options options = GIT_MERGE_FILE_OPTIONS_INIT;
	int r;

	options.our_label = words[4];
	options.their_label = words[5];
	/* SIMPLIFY_ALNUM, as `git merge-file`: conflicts that only blanks or brackets keep
	 * apart become one. */
	options.flags = GIT_MERGE_FILE_STYLE_MERGE | GIT_MERGE_FILE_SIMPLIFY_ALNUM;
	if (git_merge_file(&result, is_missing(&sides[0]) ? NULL : &base, &ours, &theirs, &options) < 0)
		return merge_fail_git(e, "merge", &sides[1], &sides[2]);
	r = write_new(words[3], result.ptr, result.len, e);
	if (r < 0)
		return r;
	return result.automergeable ? CLEAN : CONFLICTS;
}

static int merge_files(char **words, struct aisbx_error *e)
{
	scoped(sides_finish) struct sides s = {
		.side = { { "base", words[0] }, { "ours", words[1] }, { "theirs", words[2] } },
	};

	if (check_label(words[4], e) < 0 || check_label(words[5], e) < 0)
		return e->code;
	for (size_t i = 0; i < 3; i++)
		if ((i > 0 || !is_missing(&s.side[i])) && side_load(&s.side[i], e) < 0)
			return e->code;
	for (size_t i = 0; i < 3; i++)
		if (s.side[i].flawed)
			return NOT_TEXT;
	return merge_texts(s.side, words, e);
}

void print_failure(struct aisbx_error *e)
{
	for (char *c = e->text; *c; c++)
		if (*c == '\n') /* from a name; the answer is one line */
			*c = '?';
	printf("%d %s\n", FAILED, e->text);
}

void run_merge(char **words)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = merge_files(words, &e);

	if (r < 0)
		print_failure(&e);
	else
		printf("%d\n", r);
}
