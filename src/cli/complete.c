/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be typed next: `aisbx __complete WORD...`, which the scripts in completions/ ask. The last word is
 * the one at the cursor. The first line of the answer says what is wanted there: "words" (the lines that
 * follow, each with a tab and an explanation), "files", "directories", or "command" and the number of its
 * first word. It never fails: who presses a key twice wants no message.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"
#include "cli/cli.h"

/* Where the words are, read up to the one at the cursor. */
struct cursor {
	const struct op *op;
	const struct op_param *param; /* whose value is at the cursor; NULL: none */
	const char *text;             /* at the cursor */
	const char *before;           /* what stands before a value in the same word: "--box=" */
	int command;                  /* the number of the first word of a command; 0: not in one */
	bool options;                 /* no "--" before */
};

#define ORIGIN "host|IMAGE|TEMPLATE|BOX[@SNAPSHOT]" /* of create --from */

/* Where names come from: the word in help, the operation that lists them, its list and the names in it. */
static const struct {
	const char *values, *list, *in, *name, *about;
	bool one; /* VALUES is one kind, not several */
} sources[] = {
	{ "BOX|BOX[@SNAPSHOT]|OTHER|OTHER[@SNAPSHOT]", "ls", "boxes", "name", "project" },
	{ "RUN", "ps", "runs", "name", "command" },
	{ "BOX|RUN", "ps", "runs", "name", "command", true },
	{ "PROFILE|A|B", "profile ls", "profiles", "name", "about" },
	{ "FILE|NAME", "profile ls", "profiles", "name", "about", true },
	{ ORIGIN, "template ls", "templates", "name", "recipe", true },
	{ "PLAN", "plan ls", "plans", "plan", "goal" },
	{ "PIPELINE", "pipeline ls", "pipelines", "pipeline", "box" },
	{ "EXPERIMENT", "experiment ls", "experiments", "experiment", "name" },
	{ "ARTIFACT", "artifact ls", "artifacts", "name", "note" },
	{ "TEMPLATE", "template ls", "templates", "name", "recipe" },
	{ "IMAGE", "image ls", "images", "name", "platform" },
};

static void candidate(const struct cursor *c, const char *name, const char *about)
{
	const char *before = c->before ? c->before : "";
	size_t n = strlen(before);

	if (strncmp(c->text, before, n) != 0 || strncmp(name, c->text + n, strlen(c->text + n)) != 0)
		return;
	printf("%s", before);
	cli_print_name(stdout, name);
	if (about && *about) {
		putchar('\t');
		cli_print_name(stdout, about);
	}
	putchar('\n');
}

/* The result of an operation that only lists; NULL if it failed. A new reference. */
static json_t *listed(const char *name, json_t *args)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char cwd[PATH_MAX] = "/";
	struct op_context ctx = { .by = { .stdin_fd = -1,
					  .out_fds = { -1, -1 },
					  .cwd = cwd,
					  .env = (const char *const *)environ } };
	const struct op *op = op_by_name(name);
	json_t *result = NULL;

	if (op && getcwd(cwd, sizeof(cwd)) && op_call(op, &ctx, args, &result, &e) < 0)
		result = NULL;
	json_decref(args);
	return result;
}

static void names_of(const struct cursor *c, const char *list, const char *in, const char *name,
		     const char *about)
{
	json_t *result = listed(list, json_object());
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(result, in), i, item)
	{
		const char *text = json_string_value(json_object_get(item, name));

		if (!text) /* not every run has a name */
			text = json_string_value(json_object_get(item, "run"));
		if (text && *text)
			candidate(c, text, json_string_value(json_object_get(item, about)));
	}
	json_decref(result);
}

/* "BOX@" names a box; what follows is one of its snapshots. */
static void snapshots_of(const struct cursor *c)
{
	const char *value = c->text + (c->before ? strlen(c->before) : 0), *at = strchr(value, '@');
	scoped(drop_mem) char *box = strndup(value, (size_t)(at - value));
	scoped(drop_mem) char *before = strndup(c->text, (size_t)(at + 1 - c->text));
	struct cursor behind = *c;
	json_t *result;
	const json_t *item;
	size_t i;

	if (!box || !before)
		return;
	result = listed("show", json_pack("{s:s}", "box", box));
	behind.before = before;
	json_array_foreach(json_object_get(result, "snapshot_list"), i, item)
	{
		const char *name = json_string_value(json_object_get(item, "name"));

		candidate(&behind, name && *name ? name : json_string_value(json_object_get(item, "id")),
			  NULL);
	}
	json_decref(result);
}

/* What a box can start from, besides templates. */
static void origins(const struct cursor *c)
{
	candidate(c, "host", "this machine");
	names_of(c, "image ls", "images", "name", "platform");
	names_of(c, "ls", "boxes", "name", "project");
}

static bool is_place(const char *value, const char *of)
{
	return value && str_is_one_of(value, of);
}

/* Values of the parameter at the cursor. */
static void values(const struct cursor *c)
{
	const struct op_param *p = c->param;
	const char *kind = p->value ? p->value : "";

	if (p->choices) {
		puts("words");
		for (size_t i = 0; p->choices[i]; i++)
			candidate(c, p->choices[i], NULL);
		return;
	}
	if (is_place(kind, "DIR")) {
		puts("directories");
		return;
	}
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		/* "FILE|NAME" is one kind in help: whole texts are compared, not their parts */
		bool whole = !strcmp(kind, sources[i].values);

		if (!whole &&
		    (sources[i].one || strchr(kind, '|') || !str_is_one_of(kind, sources[i].values)))
			continue;
		puts("words");
		if (strstr(kind, "SNAPSHOT") && strchr(c->text, '@'))
			snapshots_of(c);
		else
			names_of(c, sources[i].list, sources[i].in, sources[i].name, sources[i].about);
		if (!strcmp(kind, "BOX|RUN"))
			names_of(c, "ls", "boxes", "name", "project");
		if (!strcmp(kind, ORIGIN) && !strchr(c->text, '@'))
			origins(c);
		return;
	}
	if (is_place(kind, "PATH|FILE|HOST[:GUEST]|ARG|NAME=SOURCE"))
		puts("files");
	else
		puts("words");
}

static void options(const struct cursor *c)
{
	static const char *const common[][2] = { { "--json", "print the result as one JSON text" },
						 { "--quiet", "suppress aisbx's own messages" },
						 { "--help", "show help" } };
	char text[80];

	puts("words");
	for (const struct op_param *p = c->op->params; p->name; p++) {
		if (p->flags & (OP_POSITIONAL | OP_HIDDEN))
			continue;
		snprintf(text, sizeof(text), "--%s", p->name);
		candidate(c, text, p->help);
	}
	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		candidate(c, common[i][0], common[i][1]);
}

/* First words if FIRST is NULL, else the second words after it. */
static void operations(const struct cursor *c, const char *first)
{
	size_t n = first ? strlen(first) : 0;

	puts("words");
	for (size_t i = 0; ops[i]; i++) {
		const char *name = ops[i]->name, *space = strchr(name, ' ');
		char word[32];

		if (first ? strncmp(name, first, n) != 0 || name[n] != ' '
			  : space && i && !strncmp(ops[i - 1]->name, name, (size_t)(space - name) + 1))
			continue;
		snprintf(word, sizeof(word), "%.*s", first || !space ? 31 : (int)(space - name),
			 first ? name + n + 1 : name);
		candidate(c, word, first || !space ? ops[i]->summary : "");
	}
	if (!first) {
		candidate(c, "help", "Show help");
		candidate(c, "--version", "");
	}
}

/* The next positional parameter after SEEN of them; a list takes all the rest. */
static const struct op_param *positional(const struct op *op, int seen)
{
	for (const struct op_param *p = op->params; p->name; p++)
		if ((p->flags & OP_POSITIONAL) &&
		    (p->type == OP_LIST || p->type == OP_COMMAND || seen-- == 0))
			return p;
	return NULL;
}

/* The option that WORD is, if its value does not stand in the same word. */
static const struct op_param *wants_value(const struct op *op, const char *word)
{
	const struct op_param *p = op->params;
	size_t last = strlen(word) - 1;

	if (!strncmp(word, "--", 2))
		p = strchr(word, '=') ? NULL : op_param_by_name(op, word + 2);
	else
		while (p->name && (!p->letter || p->letter != word[last]))
			p++;
	return p && p->name && p->type != OP_FLAG && !(p->flags & OP_POSITIONAL) ? p : NULL;
}

/* Reads WORDS, of which the last is at the cursor; FIRST is the number of the first of them. */
static void read_words(struct cursor *c, char **words, int first)
{
	int seen = 0;

	c->options = true;
	for (int i = 0; words[i]; i++) {
		const char *word = words[i];
		bool here = !words[i + 1];
		const struct op_param *p;

		if (c->param && !here) { /* the value of the option before */
			c->param = NULL;
			continue;
		}
		if (here && c->param)
			return;
		if (c->options && !strcmp(word, "--") && !here) {
			c->options = false;
			continue;
		}
		if (c->options && word[0] == '-' && word[1]) {
			if (!here)
				c->param = wants_value(c->op, word);
			continue;
		}
		p = positional(c->op, seen++);
		if (p && p->type == OP_COMMAND) {
			c->command = first + i;
			return;
		}
		if (here)
			c->param = p;
	}
}

/* "--box=bra": the value of an option stands in the same word. Returns what stands before it. */
static char *attached(struct cursor *c)
{
	const char *equals = strchr(c->text, '=');
	scoped(drop_mem) char *name = equals && !strncmp(c->text, "--", 2)
					      ? strndup(c->text + 2, (size_t)(equals - c->text) - 2)
					      : NULL;

	if (!name)
		return NULL;
	c->param = op_param_by_name(c->op, name);
	return strndup(c->text, (size_t)(equals + 1 - c->text));
}

int cli_complete(char **words)
{
	scoped(drop_mem) char *before = NULL;
	struct cursor c = { 0 };
	char both[64];
	int n = 0, taken = 1;

	while (words[n])
		n++;
	c.text = n ? words[n - 1] : "";
	if (n >= 2 && !strcmp(words[0], "help")) {
		words++;
		n--;
	}
	if (n <= 1) {
		operations(&c, NULL);
		return 0;
	}
	c.op = op_by_name(words[0]);
	if (!c.op && n == 2) {
		operations(&c, words[0]);
		return 0;
	}
	if (!c.op && snprintf(both, sizeof(both), "%s %s", words[0], words[1]) < (int)sizeof(both)) {
		c.op = op_by_name(both);
		taken = 2;
	}
	if (!c.op) {
		puts("words");
		return 0;
	}
	read_words(&c, words + taken, taken + 1);
	if (!c.param && !c.command && c.options)
		before = attached(&c);
	c.before = before;
	if (c.command)
		printf("command\n%d\n", c.command);
	else if (c.param)
		values(&c);
	else if (c.options && c.text[0] == '-')
		options(&c);
	else
		puts("words");
	return 0;
}
