/* SPDX-License-Identifier: Apache-2.0 */
/* The requests `diff` and `differ`: compare two files, as a patch for git and patch(1). */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include <git2.h>

#include "base/scope.h"
#include "helpers/merge/merge.h"

static void drop_patch(git_patch **p)
{
	git_patch_free(*p);
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || (unsigned char)c >= 0x7f; /* git counts all that is no ASCII */
}

/* A name as git has it in patches: quoted when it holds quotes, backslashes or anything but plain ASCII. */
static void print_name(FILE *out, const char *prefix, const char *label, bool quoted)
{
	static const char named[] = "\a\b\t\n\v\f\r\"\\", letters[] = "abtnvfr\"\\";

	for (const char *c = label; *c; c++)
		quoted |= is_control(*c) || *c == '"' || *c == '\\';
	fprintf(out, "%s%s", quoted ? "\"" : "", prefix);
	for (const char *c = label; *c; c++) {
		const char *at = strchr(named, *c);

		if (at)
			fprintf(out, "\\%c", letters[at - named]);
		else if (is_control(*c))
			fprintf(out, "\\%03o", (unsigned char)*c);
		else
			fputc(*c, out);
	}
	if (quoted)
		fputc('"', out);
}

static void print_side(FILE *out, const struct side *s, const char *prefix, const char *label)
{
	if (is_missing(s))
		fputs("/dev/null", out);
	else
		print_name(out, prefix, label, false);
}

static void print_modes(FILE *out, const struct side *old, const struct side *now)
{
	if (is_missing(old))
		fprintf(out, "new file mode %o\n", now->mode);
	else if (is_missing(now))
		fprintf(out, "deleted file mode %o\n", old->mode);
	else if (old->mode != now->mode)
		fprintf(out, "old mode %o\nnew mode %o\n", old->mode, now->mode);
}

/* patch(1) cuts a name at its first space unless a tab stands behind it. */
static const char *end_of_name(const struct side *s, const char *label)
{
	return !is_missing(s) && strchr(label, ' ') ? "\t\n" : "\n";
}

/* PATCH is NULL when only the modes differ. */
static void print_header(FILE *out, git_patch *patch, const struct side *old, const struct side *now,
			 char **labels)
{
	/* Where no lines with the names follow, patch(1) takes them from the first, and knows quotes but no
	 * spaces. */
	bool is_bare = !patch || git_patch_num_hunks(patch) == 0;
	char from[8], to[8];

	fputs("diff --git ", out);
	print_name(out, "a/", labels[0], is_bare && strchr(labels[0], ' '));
	fputc(' ', out);
	print_name(out, "b/", labels[1], is_bare && strchr(labels[1], ' '));
	fputc('\n', out);
	print_modes(out, old, now);
	if (!patch)
		return;
	git_oid_tostr(from, sizeof(from), &git_patch_get_delta(patch)->old_file.id);
	git_oid_tostr(to, sizeof(to), &git_patch_get_delta(patch)->new_file.id);
	fprintf(out, "index %s..%s", from, to);
	if (old->mode == now->mode)
		fprintf(out, " %o", now->mode);
	fputc('\n', out);
	if (is_bare)
		return;
	fputs("--- ", out);
	print_side(out, old, "a/", labels[0]);
	fputs(end_of_name(old, labels[0]), out);
	fputs("+++ ", out);
	print_side(out, now, "b/", labels[1]);
	fputs(end_of_name(now, labels[1]), out);
}

/*
 * Without git's header, which would make `git apply` refuse the whole patch for want of the content: so it is
 * a line between patches, which both git and patch(1) pass over.
 */
static void print_differ(FILE *out, const struct side *old, const struct side *now, char **labels)
{
	fputs("Binary files ", out);
	print_side(out, old, "a/", labels[0]);
	fputs(" and ", out);
	print_side(out, now, "b/", labels[1]);
	fputs(" differ\n", out);
}

static int print_line(const git_diff_delta *delta, const git_diff_hunk *hunk, const git_diff_line *line,
		      void *out)
{
	(void)delta;
	(void)hunk;
	if (line->origin == GIT_DIFF_LINE_FILE_HDR)
		return 0;
	if (strchr(" +-", line->origin))
		fputc(line->origin, out);
	fwrite(line->content, 1, line->content_len, out);
	return 0;
}

/* What one request gives. */
struct answer {
	FILE *out;
	char *text; /* owned */
	size_t len;
	size_t added, removed;
};

/* Without memory for an answer there is none: the caller sees a helper that died. */
static void answer_begin(struct answer *a)
{
	*a = (struct answer){ 0 };
	a->out = open_memstream(&a->text, &a->len);
	if (!a->out)
		abort();
}

static void answer_end(struct answer *a)
{
	if (ferror(a->out) | fclose(a->out))
		abort();
}

static bool is_same(const struct side *a, const struct side *b)
{
	return a->data && b->data && a->len == b->len && !memcmp(a->data, b->data, a->len);
}

static int print_patch(struct answer *a, const struct side *old, const struct side *now, char **labels,
		       struct aisbx_error *e)
{
	git_diff_options options = GIT_DIFF_OPTIONS_INIT;
	scoped(drop_patch) git_patch *patch = NULL;

	options.context_lines = 3;
	options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
	if (!is_same(old, now) && git_patch_from_buffers(&patch, old->data, old->len, labels[0], now->data,
							 now->len, labels[1], &options) < 0)
		return merge_fail_git(e, "compare", old, now);
	if (!patch && old->mode == now->mode)
		return CLEAN;
	/* libgit2 1.5 does not look whether xdiff succeeded: without memory nothing differs. */
	if (patch && (old->len || now->len) && git_patch_num_hunks(patch) == 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, ENOMEM,
				    "compare '%s' and '%s': the result is empty", old->path, now->path);
	print_header(a->out, patch, old, now, labels);
	if (patch && (git_patch_print(patch, print_line, a->out) < 0 ||
		      git_patch_line_stats(NULL, &a->added, &a->removed, patch) < 0))
		return merge_fail_git(e, "print the difference of", old, now);
	return CLEAN;
}

static int diff_files(struct answer *a, struct sides *s, char **labels, struct aisbx_error *e)
{
	struct side *old = &s->side[0], *now = &s->side[1];

	for (size_t i = 0; i < 2; i++)
		if (!is_missing(&s->side[i]) && side_load(&s->side[i], e) < 0 &&
		    (e->code != -ELOOP || side_load_link(&s->side[i], e) < 0))
			return e->code;
	if (is_missing(old) && is_missing(now))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "compare: both sides are missing");
	if (!is_missing(old) && !is_missing(now) && (old->mode ^ now->mode) & S_IFMT)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "compare a link with a file");
	if ((old->flawed || now->flawed) && !is_same(old, now))
		return NOT_TEXT;
	return print_patch(a, old, now, labels, e);
}

/* Whatever goes wrong, the names are told, so that nobody takes the patch for all there is. */
static void answer_diff(char **words, bool look)
{
	scoped(sides_finish) struct sides s = { .side = { { "old", words[0] }, { "new", words[1] } } };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct answer a;
	int r;

	answer_begin(&a);
	r = look ? diff_files(&a, &s, words + 2, &e) : FAILED;
	answer_end(&a);
	if (r != CLEAN) {
		free(a.text); /* what there was of it */
		answer_begin(&a);
		print_differ(a.out, &s.side[0], &s.side[1], words + 2);
		answer_end(&a);
	}
	printf("%d %zu %zu %zu\n", r < 0 ? FAILED : r, a.len, a.added, a.removed);
	fwrite(a.text, 1, a.len, stdout);
	free(a.text);
}

void run_diff(char **words)
{
	answer_diff(words, true);
}

void run_differ(char **words)
{
	answer_diff(words, false);
}
