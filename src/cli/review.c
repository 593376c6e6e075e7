/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The review of a promotion at a terminal: each path is shown, and each part of a text, and the person says
 * yes or no. What is promoted afterwards is exactly that: the digest of what was shown goes with it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/question.h"
#include "cli/render_common.h"
#include "cli/window.h"

/* Lines of a difference that are shown without being asked for. */
#define LINES_SHOWN 40

static const char help[] = "  y  yes: promote this\n"
			   "  n  no: it stays in the box\n"
			   "  a  yes to this and to the rest of this file\n"
			   "  A  yes to this and to everything that follows\n"
			   "  q  no to this and to everything that follows\n"
			   "  x  stop: promote nothing at all\n"
			   "  s  split this part, and ask about each change in it\n"
			   "  d  show the whole difference of this file\n"
			   "  ?  this help\n";

/* A review in progress. */
struct asking {
	const json_t *seen; /* what is asked about */
	json_t *accept;     /* owned; what was accepted, for --accept */
	char rest;          /* 'A' or 'q': the answer to everything that follows; 0: none yet */
	bool stopped;       /* nothing at all is to be promoted */
	bool refused;       /* something was */
	size_t n, shown;    /* items, and how many of them were asked about */
};

/* One item in progress. */
struct of_item {
	const json_t *item;
	struct buf parts; /* "1,3" */
	bool all, any;    /* parts accepted so far */
	bool rest;        /* yes to the rest of this file */
};

static const char *path_of(const json_t *item)
{
	return *text_of(item, "path") ? text_of(item, "path") : text_of(item, "path_hex");
}

/* "@@ ..." or a whole patch; only its beginning if it is long. */
static void show_text(const json_t *text)
{
	const char *from = json_string_value(text);
	size_t len = json_string_length(text), at = 0, lines = 0, more = 0;

	for (size_t i = 0; i < len; i++) {
		lines += from[i] == '\n';
		if (lines <= LINES_SHOWN)
			at = i + 1;
		else
			more += from[i] == '\n';
	}
	window_print_patch(stdout, from, at, cli_colour(stdout));
	if (more)
		printf("%s… %zu more lines; d shows them%s\n", paint(DIM), more, paint(PLAIN));
}

/* The lines of a patch that say what the heading says already. */
static void show_patch(const json_t *item)
{
	const json_t *patch = json_object_get(item, "patch");
	const char *text = json_string_value(patch), *at;
	json_t *body;

	if (!json_string_length(patch))
		return;
	at = strncmp(text, "@@", 2) ? strstr(text, "\n@@ ") : text;
	body = at ? json_stringn_nocheck(at + (*at == '\n'),
					 json_string_length(patch) - (size_t)(at + (*at == '\n') - text))
		  : NULL;
	show_text(body ? body : patch);
	json_decref(body);
}

static void show_difference(const json_t *item)
{
	json_t *one = json_pack("{s:{s:[O]}}", "review", "items", (json_t *)item);

	question_show_review(one);
	json_decref(one);
}

/* Why a change would run code later. */
static void show_traps(const struct asking *a, const json_t *item)
{
	const json_t *t;
	size_t i;

	json_array_foreach(json_object_get(a->seen, "traps"), i, t)
	{
		if (strcmp(path_of(t), path_of(item)) != 0)
			continue;
		printf("%strap, %s: ", paint(YELLOW), text_of(t, "kind"));
		cli_print_name(stdout, text_of(t, "why"));
		printf("%s\n", paint(PLAIN));
	}
}

/* "(2/7) modified src/main.c" and what else there is to know. */
static void show_heading(const struct asking *a, const json_t *item)
{
	const struct change_mark *m = change_mark_of(text_of(item, "kind"));
	const char *old = text_of(item, "old_mode"), *now = text_of(item, "new_mode");
	char size[32];

	printf("\n%s(%zu/%zu)%s %s%s %s ", paint(DIM), a->shown, a->n, paint(PLAIN), paint(m->colour),
	       text_of(item, "kind"), text_of(item, "type"));
	cli_print_name(stdout, path_of(item));
	printf("%s", paint(PLAIN));
	if (number_of(item, "inside"))
		printf(", with everything in it: %lld", (long long)number_of(item, "inside"));
	if (*old && *now && strcmp(old, now) != 0 && !json_is_true(json_object_get(item, "mode")))
		printf(", mode %s -> %s", old, now);
	if (!strcmp(text_of(item, "outcome"), "merge"))
		printf(", merged with changes made outside");
	if (json_is_true(json_object_get(item, "binary")))
		printf(", binary, %s", str_size((uint64_t)number_of(item, "size"), size, sizeof(size)));
	else if (json_object_get(item, "patch") && !*text_of(item, "patch") &&
		 !strcmp(text_of(item, "type"), "file") && *now &&
		 strcmp(text_of(item, "kind"), "mode") != 0 && number_of(item, "size"))
		printf(", %s, too large to show",
		       str_size((uint64_t)number_of(item, "size"), size, sizeof(size)));
	printf("\n");
}

/*
 * 'y', 'n' or 's'; answers that hold for more are noted. What the person typed before is no answer, and the
 * end of input stops everything.
 */
static char ask(struct asking *a, struct of_item *o, const char *what, bool splits)
{
	char line[64], words[96];

	if (a->rest || o->rest)
		return a->rest == 'q' ? 'n' : 'y';
	snprintf(words, sizeof(words), "Promote %s [y,n,a,A,q,x,%sd,?]?", what, splits ? "s," : "");
	while (question_ask(words, line, sizeof(line))) {
		if (str_is_one_of(line, "y|yes"))
			return 'y';
		if (str_is_one_of(line, "n|no"))
			return 'n';
		if (splits && !strcmp(line, "s"))
			return 's';
		o->rest = !strcmp(line, "a");
		a->rest = str_is_one_of(line, "A|q") ? *line : 0;
		if (o->rest || a->rest)
			return a->rest == 'q' ? 'n' : 'y';
		if (!strcmp(line, "x"))
			break;
		if (str_is_one_of(line, "d|diff"))
			show_difference(o->item);
		else
			fputs(help, stdout);
	}
	a->stopped = true;
	a->rest = 'q';
	return 'n';
}

static void take(struct of_item *o, char said, const char *part)
{
	o->all &= said == 'y';
	o->any |= said == 'y';
	if (said == 'y')
		buf_addf(&o->parts, "%s%s", o->parts.len ? "," : "", part);
}

static void take_number(struct of_item *o, char said, size_t part)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", part);
	take(o, said, text);
}

static void ask_hunk(struct asking *a, struct of_item *o, const json_t *hunk)
{
	const json_t *parts = json_object_get(hunk, "parts"), *part;
	size_t first = (size_t)number_of(hunk, "first"), n = json_array_size(parts), i;
	char said;

	if (!a->rest && !o->rest)
		show_text(json_object_get(hunk, "text"));
	said = ask(a, o, "this part", n > 1);
	json_array_foreach(parts, i, part)
	{
		if (said == 's') {
			if (!a->rest && !o->rest)
				show_text(part);
			take_number(o, ask(a, o, "this change", false), first + i);
		} else {
			take_number(o, said, first + i);
		}
	}
}

static void ask_parts(struct asking *a, struct of_item *o)
{
	const json_t *hunk;
	size_t i;

	if (json_is_true(json_object_get(o->item, "mode"))) {
		if (!a->rest)
			printf("permissions %s -> %s\n", text_of(o->item, "old_mode"),
			       text_of(o->item, "new_mode"));
		take(o, ask(a, o, "these permissions", false), "m");
	}
	json_array_foreach(json_object_get(o->item, "hunks"), i, hunk) ask_hunk(a, o, hunk);
}

static void ask_item(struct asking *a, const json_t *item)
{
	struct of_item o = { .item = item, .all = true };
	bool parts = json_object_get(item, "hunks") != NULL;

	a->shown++;
	if (!a->rest) {
		show_heading(a, item);
		show_traps(a, item);
	}
	if (parts) {
		ask_parts(a, &o);
	} else {
		if (!a->rest)
			show_patch(item);
		take(&o, ask(a, &o, "it", false), "");
	}
	a->refused |= !o.all;
	if (o.any && (o.all || !parts))
		json_array_append_new(a->accept, json_sprintf("%zu", a->shown));
	else if (o.any && buf_str(&o.parts))
		json_array_append_new(a->accept, json_sprintf("%zu:%s", a->shown, o.parts.data));
	buf_finish(&o.parts);
}

/* Promotes what was accepted, if it still is what was shown. */
static int promote(struct op_context *ctx, const json_t *args, const json_t *seen, const struct asking *a,
		   json_t **ret, struct aisbx_error *e)
{
	json_t *more = json_copy((json_t *)args);
	int r;

	json_object_del(more, "review");
	json_object_set(more, "reviewed", json_object_get(json_object_get(seen, "review"), "digest"));
	if (a->refused)
		json_object_set(more, "accept", a->accept);
	r = op_call(&op_promote, ctx, more, ret, e);
	if (r == 0)
		r = question_stopped(ctx, more, seen, ret, e);
	json_decref(more);
	return r;
}

static void ask_all(struct asking *a, const json_t *items)
{
	json_int_t conflicts = number_of(json_object_get(a->seen, "summary"), "conflicts");
	const json_t *item;
	size_t i;

	if (conflicts &&
	    !strcmp(text_of(json_array_get(json_object_get(a->seen, "conflicts"), 0), "resolution"),
		    "stop")) {
		a->refused = true;
		printf("%lld conflict%s stay%s in the box, unless --conflict says what to do; commits stay, "
		       "too\n",
		       (long long)conflicts, conflicts == 1 ? "" : "s", conflicts == 1 ? "s" : "");
	}
	printf("%zu change%s to review; ? explains the answers\n", a->n, a->n == 1 ? "" : "s");
	json_array_foreach(items, i, item) ask_item(a, item);
	printf("\n");
}

/* There are no files to ask about, only commits: all or none. */
static int ask_commits(struct op_context *ctx, const json_t *args, const json_t *seen, json_t **result,
		       struct aisbx_error *e)
{
	const struct asking all = { 0 };
	char line[16];

	cli_render_promote(seen);
	if (question_ask("Promote it [y,n]?", line, sizeof(line)) && str_is_one_of(line, "y|yes"))
		return promote(ctx, args, seen, &all, result, e);
	printf("Nothing was changed.\n");
	ctx->exit_status = 1;
	return 0;
}

int question_review(struct op_context *ctx, const json_t *args, json_t **result, struct aisbx_error *e)
{
	struct asking a = { .accept = json_array() };
	json_t *seen = NULL, *items;
	int r;

	if (!question_can_be_asked()) {
		json_decref(a.accept);
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOTTY,
			"--review asks at a terminal, and there is none; --review --json lists the "
			"changes, and --reviewed with --accept promotes some of them");
	}
	r = op_call(&op_promote, ctx, args, &seen, e);
	a.seen = seen;
	items = json_object_get(json_object_get(seen, "review"), "items");
	a.n = json_array_size(items);
	if (r == 0 && a.n) {
		ask_all(&a, items);
		if (a.stopped || !json_array_size(a.accept)) {
			printf("Nothing was %s, nothing was changed.\n", a.stopped ? "promoted" : "accepted");
			ctx->exit_status = 1;
		} else {
			r = promote(ctx, args, seen, &a, result, e);
		}
	} else if (r == 0 && json_array_size(json_object_get(seen, "branches"))) {
		r = ask_commits(ctx, args, seen, result, e);
	} else if (r == 0) {
		*result = json_incref(seen);
	}
	json_decref(seen);
	json_decref(a.accept);
	return r;
}
