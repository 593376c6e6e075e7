/* SPDX-License-Identifier: Apache-2.0 */
/* Promotions as text: what is promoted, what prevents it, and what to do then. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/cli.h"
#include "cli/fold.h"
#include "cli/render_common.h"

static void print_path(const json_t *item)
{
	cli_print_name(stdout, *text_of(item, "path") ? text_of(item, "path") : text_of(item, "path_hex"));
}

static void print_changes(const json_t *list, const char *other)
{
	const json_t *c;
	size_t i;

	json_array_foreach(list, i, c)
	{
		const struct change_mark *m = change_mark_of(text_of(c, "kind"));

		if (!strcmp(text_of(c, "outcome"), "conflict"))
			continue;
		printf("%s%s %-10s", paint(m->colour), m->mark, text_of(c, "type"));
		print_path(c);
		if (!strcmp(text_of(c, "outcome"), "merge"))
			printf("  (merged with changes made %s)", other);
		printf("%s\n", paint(PLAIN));
	}
}

static void print_conflicts(const json_t *list, const char *ours, const char *other)
{
	const json_t *c;
	size_t i;

	json_array_foreach(list, i, c)
	{
		printf("%sC ", paint(RED));
		print_path(c);
		printf("%s\n    ", paint(PLAIN));
		cli_print_name(stdout, text_of(c, "reason"));
		printf(" (%s: %s, %s: %s)\n", ours, text_of(c, "box"), other, text_of(c, "host"));
	}
}

static void print_traps(const json_t *list)
{
	const json_t *t;
	size_t i;

	json_array_foreach(list, i, t)
	{
		printf("%sT ", paint(YELLOW));
		print_path(t);
		printf("%s\n    %s: %s\n", paint(PLAIN), text_of(t, "kind"), text_of(t, "why"));
	}
}

static void print_secrets(const json_t *list)
{
	const json_t *s;
	size_t i;

	json_array_foreach(list, i, s)
	{
		bool allowed = json_is_true(json_object_get(s, "allowed"));

		printf("%sS ", paint(allowed ? YELLOW : RED));
		print_path(s);
		printf("%s\n    contains the secret %s (%s)%s\n", paint(PLAIN), text_of(s, "name"),
		       text_of(s, "form"), allowed ? ", which you allowed" : "");
	}
}

static const char *short_branch(const json_t *item)
{
	const char *ref = text_of(item, "branch");

	return !strncmp(ref, "refs/heads/", 11) ? ref + 11 : !strncmp(ref, "refs/tags/", 10) ? ref + 10 : ref;
}

/* One line per branch: "G main: 2 commits". */
static void print_branches(const json_t *result)
{
	static const char *const ends[][2] = {
		{ "forward", "" },
		{ "created", ", new" },
		{ "repository", ", in a new repository" },
		{ "switched", ", which the box has checked out" },
		{ "aside", ": a separate branch, because yours has diverged or is in use elsewhere" }
	};
	const json_t *b, *stays = json_object_get(result, "stayed");
	size_t i;

	json_array_foreach(json_object_get(result, "branches"), i, b)
	{
		json_int_t n = number_of(b, "commits");

		printf("%sG ", paint(GREEN));
		if (*text_of(b, "path")) {
			print_path(b);
			printf(": ");
		}
		cli_print_name(stdout, short_branch(b));
		printf("%s  %lld commit%s", paint(PLAIN), (long long)n, n == 1 ? "" : "s");
		for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++)
			if (!strcmp(text_of(b, "how"), ends[k][0]))
				printf("%s", ends[k][1]);
		printf("\n");
	}
	json_array_foreach(stays, i, b)
	{
		printf("%s- ", paint(DIM));
		cli_print_name(stdout, json_string_value(b));
		printf("%s\n", paint(PLAIN));
	}
	if (*text_of(result, "switched")) {
		printf("%sC%s ", paint(RED), paint(PLAIN));
		cli_print_name(stdout, text_of(result, "switched"));
		printf("\n");
	}
}

static void print_counts(const json_t *summary)
{
	static const struct {
		const char *key, *one, *many;
	} counts[] = { { "created", "created", "created" },
		       { "modified", "modified", "modified" },
		       { "deleted", "deleted", "deleted" },
		       { "replaced", "replaced", "replaced" },
		       { "mode", "mode", "mode" },
		       { "xattr", "xattr", "xattr" },
		       { "touched", "touched", "touched" },
		       { "merged", "merged", "merged" },
		       { "conflicts", "conflict", "conflicts" },
		       { "traps", "trap", "traps" },
		       { "secrets", "secret", "secrets" } };
	const char *between = "";

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		json_int_t n = number_of(summary, counts[i].key);

		if (n) {
			printf("%s%lld %s", between, (long long)n, n == 1 ? counts[i].one : counts[i].many);
			between = ", ";
		}
	}
	printf("%s", *between ? "\n" : "");
}

static bool is_system(const json_t *result)
{
	return !strcmp(text_of(result, "target"), "/");
}

static void print_system_advice(const json_t *result)
{
	const char *box = text_of(result, "box");

	printf("\n"
	       "This changes the system of this machine, outside of any project%s. Review it, and add "
	       "--yes:\n"
	       "  aisbx promote --system %s --yes\n"
	       "For packages it is better to install them here, so that their scripts run:\n"
	       "  aisbx promote --system --packages %s\n",
	       number_of(json_object_get(result, "summary"), "traps")
		       ? "; what is marked T is obeyed without being asked"
		       : "",
	       box, box);
}

/* What to do about conflicts and traps, with the very commands. */
static void print_advice(const json_t *result)
{
	const json_t *summary = json_object_get(result, "summary");
	const char *box = text_of(result, "box");

	printf("\nNothing was changed.\n");
	if (number_of(summary, "conflicts"))
		printf("\n"
		       "Files that changed on both sides (C) need a decision:\n"
		       "  aisbx promote %s --conflict mark       write both versions into the file, between "
		       "conflict markers\n"
		       "  aisbx promote %s --conflict both       put the box's version beside the real file, "
		       "as NAME.%s\n"
		       "  aisbx promote %s --conflict keep       leave these files as they are, promote the "
		       "rest\n"
		       "  aisbx promote %s --conflict overwrite  use the box's version ('aisbx undo' "
		       "restores the real one)\n",
		       box, box, box, box, box);
	if (*text_of(result, "switched"))
		printf("\n"
		       "Or promote the files to the current branch of the project, and the commits to a "
		       "branch of their own:\n"
		       "  aisbx promote %s --conflict keep\n",
		       box);
	if (number_of(summary, "secrets"))
		printf("\n"
		       "Files marked S contain a secret that was given to the box. Remove it there; or, to "
		       "promote it anyway:\n"
		       "  aisbx promote %s --allow-secret %s\n",
		       box, text_of(json_array_get(json_object_get(result, "secrets"), 0), "name"));
	if (is_system(result)) {
		print_system_advice(result);
	} else if (number_of(summary, "traps")) {
		printf("\n"
		       "Changes marked T would run code later, outside any box. Review them, and add --yes "
		       "to accept them:\n"
		       "  aisbx run --box %s -- cat ",
		       box);
		print_path(json_array_get(json_object_get(result, "traps"), 0));
		printf("\n");
	}
}

/* Everything that stood against it was told to stay as it is. */
static bool is_answered(const json_t *result)
{
	const json_t *conflicts = json_object_get(result, "conflicts");

	return !number_of(json_object_get(result, "summary"), "traps") &&
	       !number_of(json_object_get(result, "summary"), "secrets") && json_array_size(conflicts) &&
	       strcmp(text_of(json_array_get(conflicts, 0), "resolution"), "stop") != 0;
}

/* From elsewhere 'undo' wants to be told which. */
static bool stands_in(const char *target)
{
	char here[PATH_MAX];

	return getcwd(here, sizeof(here)) && path_is_within(here, target);
}

/* Where to; at a terminal long paths do not break it in the middle of a word. */
static void print_target(const json_t *result, bool applied, bool dry)
{
	bool here = stands_in(text_of(result, "target"));
	FILE *out = stdout;

	fold_begin(&stdout, STDOUT_FILENO);
	if (applied)
		printf("%spromoted to ", paint(BOLD));
	else
		printf("%s%s ", paint(BOLD), dry ? "this would change" : "not promoted to");
	cli_print_name(stdout, text_of(result, "target"));
	printf("%s", paint(PLAIN));
	if (applied)
		printf(" as %s; 'aisbx undo%s%s' undoes it", text_of(result, "promotion"), here ? "" : " ",
		       here ? "" : text_of(result, "promotion"));
	printf("\n");
	fold_end(&stdout, out);
}

void cli_render_promote(const json_t *result)
{
	const json_t *changes = json_object_get(result, "changes");
	bool applied = json_is_true(json_object_get(result, "applied")),
	     dry = json_is_true(json_object_get(result, "dry_run"));

	if (json_object_get(result, "commands")) {
		cli_render_commands(result);
		return;
	}
	if (!json_array_size(changes) && !json_array_size(json_object_get(result, "branches"))) {
		print_branches(result);
		print_ignored(stdout, result);
		printf("nothing to promote\n");
		return;
	}
	print_changes(changes, "outside");
	print_more(result, "changes");
	print_conflicts(json_object_get(result, "conflicts"), "box", "outside");
	print_more(result, "conflicts");
	print_traps(json_object_get(result, "traps"));
	print_more(result, "traps");
	print_secrets(json_object_get(result, "secrets"));
	print_more(result, "secrets");
	print_branches(result);
	print_ignored(stdout, result);
	print_counts(json_object_get(result, "summary"));
	print_target(result, applied, dry);
	if (!applied && !dry && !is_answered(result))
		print_advice(result);
	if (*text_of(result, "error")) {
		fprintf(stderr, "aisbx: ");
		cli_print_safe(stderr, text_of(result, "error"));
		fprintf(stderr, "\n");
	}
}

void cli_render_combine(const json_t *result)
{
	const json_t *box = json_object_get(result, "box"), *conflicts = json_object_get(result, "conflicts");

	print_changes(json_object_get(result, "changes"), "in the first box");
	print_more(result, "changes");
	print_conflicts(conflicts, "second box", "first box");
	print_more(result, "conflicts");
	if (json_is_object(box))
		printf("%scombined in %s%s\n", paint(BOLD), text_of(box, "name"), paint(PLAIN));
	else
		printf("%snot combined%s: --conflict keep uses the first box's version of files marked C, "
		       "overwrite the second's\n",
		       paint(BOLD), paint(PLAIN));
}

void cli_render_undo(const json_t *result)
{
	const json_t *changed = json_object_get(result, "conflicts"), *c;
	bool undone = json_is_true(json_object_get(result, "undone"));
	size_t i;

	json_array_foreach(changed, i, c)
	{
		printf("%sC ", paint(RED));
		print_path(c);
		printf("%s\n    changed since the promotion\n", paint(PLAIN));
	}
	print_more(result, "conflicts");
	printf("%s%s %s%s of ", paint(BOLD),
	       undone                                             ? "undid"
	       : json_is_true(json_object_get(result, "dry_run")) ? "would undo"
								  : "did not undo",
	       text_of(result, "promotion"), paint(PLAIN));
	cli_print_name(stdout, text_of(result, "target"));
	printf("\n");
	if (*text_of(result, "error"))
		fprintf(stderr, "aisbx: %s\n", text_of(result, "error"));
	if (!undone && json_array_size(changed))
		printf("\n"
		       "Nothing was changed. Choose what to do with the files above:\n"
		       "  aisbx undo %s --conflict keep       leave them as they are, undo the rest\n"
		       "  aisbx undo %s --conflict overwrite  restore them, too (your versions are kept for "
		       "a month)\n",
		       text_of(result, "promotion"), text_of(result, "promotion"));
}

static void render_rebuilt(const json_t *j)
{
	const json_t *missing;
	const char *aside = json_string_value(json_object_get(j, "aside"));
	size_t i;

	printf("store rebuilt: %lld boxes, %lld snapshots, %lld promotions that can be undone, %lld "
	       "artifacts, %lld runs\n",
	       number_of(j, "boxes"), number_of(j, "snapshots"), number_of(j, "promotions"),
	       number_of(j, "artifacts"), number_of(j, "runs"));
	if (aside)
		printf("the old store is kept as %s\n", aside);
	json_array_foreach(json_object_get(j, "missing"), i, missing)
		printf("missing: %s\n", json_string_value(missing));
}

void cli_render_recover(const json_t *result)
{
	const json_t *list = json_object_get(result, "recovered"), *r;
	size_t i;

	if (json_object_get(result, "rebuilt"))
		render_rebuilt(json_object_get(result, "rebuilt"));
	else if (!json_array_size(list))
		printf("nothing to recover\n");
	json_array_foreach(list, i, r) printf("%s: %s\n", text_of(r, "promotion"), text_of(r, "action"));
}
