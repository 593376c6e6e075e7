/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the person at this terminal, and about a promotion that traps or secrets stopped. */
#include "cli/question.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ask.h"
#include "base/buf.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/render_common.h"
#include "cli/window.h"

bool question_can_be_asked(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

bool question_ask(const char *words, char *ret, size_t cap)
{
	size_t n;

	fflush(stdout); /* what it is about has been shown, as far as the terminal goes */
	ask_forget_typed();
	printf("%s%s%s ", paint(BOLD), words, paint(PLAIN));
	fflush(stdout);
	if (!fgets(ret, (int)cap, stdin)) {
		printf("\n");
		return false;
	}
	n = strcspn(ret, "\n");
	if (!ret[n]) { /* longer than any answer */
		int c;

		while ((c = getchar()) != '\n' && c != EOF)
			;
		*ret = '\0';
	}
	ret[n] = '\0';
	return true;
}

void question_show_review(const json_t *result)
{
	const json_t *item, *hunk;
	scoped(buf_finish) struct buf b = { 0 };
	size_t i, k;

	json_array_foreach(json_object_get(json_object_get(result, "review"), "items"), i, item)
	{
		const json_t *patch = json_object_get(item, "patch");
		const char *path = *text_of(item, "path") ? text_of(item, "path") : text_of(item, "path_hex");

		if (!json_string_length(patch) && !json_object_get(item, "hunks"))
			buf_addf(&b, "%s %s\n", text_of(item, "kind"), path);
		else if (!patch)
			buf_addf(&b, "--- a/%s\n+++ b/%s\n", path, path);
		buf_add(&b, json_string_value(patch), json_string_length(patch));
		json_array_foreach(json_object_get(item, "hunks"), k, hunk)
		{
			const json_t *text = json_object_get(hunk, "text");

			buf_add(&b, json_string_value(text), json_string_length(text));
		}
	}
	if (buf_str(&b))
		window_show_patch(b.data, b.len);
}

/* Only these stand against it, and a person can say yes to them. */
static bool is_stopped_by_traps(const json_t *result)
{
	const json_t *summary = json_object_get(result, "summary");

	return !json_is_true(json_object_get(result, "applied")) && !number_of(summary, "conflicts") &&
	       !*text_of(result, "switched") &&
	       (number_of(summary, "traps") || number_of(summary, "secrets"));
}

static const char help[] = "  y  promote it; if it contains a secret, type the whole word: yes\n"
			   "  n  change nothing\n"
			   "  r  review it: each file, and each part of a text\n"
			   "  d  show the difference\n"
			   "  ?  this help\n";

/* 'y', 'n' or 'r'. */
static char answer(const json_t *seen, const json_t *reviewed)
{
	bool secret = number_of(json_object_get(seen, "summary"), "secrets") > 0;
	char line[64], words[128];

	snprintf(words, sizeof(words), "Promote %s all the same? [y]es, [n]o, %s[d]iff, ?",
		 secret ? "the secret" : "it", reviewed ? "" : "[r]eview, ");
	while (question_ask(words, line, sizeof(line))) {
		if (!strcmp(line, "yes") || (!strcmp(line, "y") && !secret))
			return 'y';
		if (str_is_one_of(line, "n|no"))
			return 'n';
		if (!reviewed && str_is_one_of(line, "r|review"))
			return 'r';
		if (str_is_one_of(line, "d|diff"))
			question_show_review(reviewed ? reviewed : seen);
		else if (!strcmp(line, "y"))
			printf("A secret leaves the box: type the whole word, yes\n");
		else
			fputs(help, stdout);
	}
	return 'n';
}

/* ARGS with the person's yes to what SEEN shows, and to nothing else. */
static json_t *agreed(const json_t *args, const json_t *seen)
{
	json_t *more = json_copy((json_t *)args), *names = json_array();
	const json_t *s;
	size_t i;

	json_object_del(more, "review");
	json_object_set_new(more, "yes", json_true());
	if (!json_object_get(more, "reviewed"))
		json_object_set(more, "reviewed", json_object_get(json_object_get(seen, "review"), "digest"));
	json_array_extend(names, json_object_get(args, "allow-secret"));
	json_array_foreach(json_object_get(seen, "secrets"), i, s)
		json_array_append(names, json_object_get(s, "name"));
	if (json_array_size(names))
		json_object_set(more, "allow-secret", names);
	json_decref(names);
	return more;
}

static json_t *without_yes(const json_t *args)
{
	json_t *more = json_copy((json_t *)args);

	json_object_del(more, "yes");
	json_object_set_new(more, "review", json_true());
	return more;
}

/* Asks about SEEN, and does what the person says. */
static int obey(struct op_context *ctx, const json_t *args, const json_t *reviewed, const json_t *seen,
		json_t **ret, struct aisbx_error *e)
{
	char said = answer(seen, reviewed);
	json_t *more;
	int r;

	ctx->exit_status = 1;
	if (said == 'n') {
		printf("Nothing was changed.\n");
		return 0;
	}
	more = said == 'y' ? agreed(args, seen) : without_yes(args);
	r = said == 'y' ? op_call(&op_promote, ctx, more, ret, e) : question_review(ctx, more, ret, e);
	json_decref(more);
	return r;
}

int question_stopped(struct op_context *ctx, const json_t *args, const json_t *reviewed, json_t **result,
		     struct aisbx_error *e)
{
	json_t *seen = NULL, *look, *next = NULL;
	int r = 0;

	if (!is_stopped_by_traps(*result) || json_is_true(json_object_get(*result, "dry_run")) ||
	    json_object_get(args, "artifact") || json_object_get(args, "merge") ||
	    json_object_get(args, "rebase") || !question_can_be_asked())
		return 0;
	if (reviewed) {
		seen = json_copy(*result);
		json_object_set_new(seen, "dry_run", json_true()); /* it is not decided yet */
	} else { /* what is asked about must be what is shown: so it is looked at once more, with its digest
		  */
		look = without_yes(args);
		r = op_call(&op_promote, ctx, look, &seen, e);
		json_decref(look);
	}
	if (r == 0) {
		cli_render_promote(seen);
		r = obey(ctx, args, reviewed, seen, &next, e);
	}
	json_decref(seen);
	json_decref(*result);
	*result = next;
	return r;
}
