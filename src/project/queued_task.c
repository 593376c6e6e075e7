/* SPDX-License-Identifier: Apache-2.0 */
/* Reads queue items and authorities by their tables of keys. */
#include "project/queued_task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/path.h"
#include "base/scope.h"
#include "policy/yaml_doc.h"

#define MAX_TEXT  16384u
#define MAX_ITEMS 64u
#define MAX_MS    (7u * 24 * 3600 * 1000)

void queued_task_finish(struct queued_task *a)
{
	strlist_finish(&a->command);
	strlist_finish(&a->branches);
	free(a->test);
	free(a->where);
	*a = (struct queued_task){ 0 };
}

void authority_finish(struct authority *a)
{
	strlist_finish(&a->where);
	strlist_finish(&a->promote);
	strlist_finish(&a->gates);
	*a = (struct authority){ 0 };
}

static int read_place(struct doc *r, const yaml_node_t *n, const char *what, char **ret)
{
	int err = doc_copy(r, n, what, 4000, ret);

	if (err == 0 && !path_is_clean(*ret))
		err = doc_complain(r, n, "%s must be an absolute path without '.' and '..', not '%.200s'",
				   what, *ret);
	return err;
}

/* A text is for a shell; a list is words, and one that has a single word is still no text. */
static int read_command(struct doc *r, const yaml_node_t *n, void *into)
{
	struct queued_task *a = into;

	if (n->type == YAML_SCALAR_NODE) {
		const char *text = doc_text(r, n, "'command'");

		if (!text)
			return r->e->code;
		if (!*text || strlen(text) > MAX_TEXT)
			return doc_complain(r, n, "'command' must have 1 to %u bytes", MAX_TEXT);
		strlist_add(&a->command, text);
		return a->command.failed ? doc_no_memory(r) : 0;
	}
	if (doc_count(n) < 2)
		return doc_complain(r, n, "'command' must be a shell command, or at least two words");
	return doc_command(r, n, "'command'", &a->command);
}

static int add_text(struct doc *r, const yaml_node_t *n, size_t i, void *into)
{
	const char *text = doc_text(r, n, "an item");

	(void)i;
	if (!text)
		return r->e->code;
	if (!*text || strlen(text) > MAX_TEXT)
		return doc_complain(r, n, "an item must have 1 to %u bytes", MAX_TEXT);
	strlist_add(into, text);
	return ((struct strlist *)into)->failed ? doc_no_memory(r) : 0;
}

static int add_place(struct doc *r, const yaml_node_t *n, size_t i, void *into)
{
	scoped(drop_mem) char *path = NULL;
	int err = read_place(r, n, "a directory", &path);

	(void)i;
	if (err == 0)
		strlist_add(into, path);
	return err == 0 && ((struct strlist *)into)->failed ? doc_no_memory(r) : err;
}

static const struct doc_shape text_shape = { .kind = DOC_TEXT };
static const struct doc_shape list_shape = {
	.kind = DOC_LIST, .of = &text_shape, .least = 1, .most = MAX_ITEMS
};

static int read_branches(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "branches", &list_shape, add_text, &((struct queued_task *)into)->branches);
}

static int read_test(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_copy(r, n, "'test'", MAX_TEXT, &((struct queued_task *)into)->test);
}

static int read_where(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_place(r, n, "'where'", &((struct queued_task *)into)->where);
}

static int read_timeout(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_time(r, n, "'timeout'", MAX_MS, &((struct queued_task *)into)->timeout_ms);
}

static int read_again(struct doc *r, const yaml_node_t *n, void *into)
{
	static const char *const words[] = { "false", "true", NULL };
	size_t which = 0;
	int err = doc_one_of(r, n, "'again'", words, &which);

	((struct queued_task *)into)->again = which == 1;
	return err;
}

static const struct doc_key queued_task_keys[] = {
	{ "command", read_command, &text_shape, "command: a shell command, or words" },
	{ "branches", read_branches, &list_shape, "or approaches to try side by side: shell commands" },
	{ "test", read_test, &text_shape, "for approaches: the test" },
	{ "where", read_where, &text_shape, "working directory", true },
	{ "timeout", read_timeout, &text_shape, "time limit" },
	{ "again", read_again, &text_shape, "true: run it again if it was interrupted" },
	{ .name = NULL },
};

int queued_task_parse(const char *text, size_t len, const char *file, struct queued_task *ret,
		      struct aisbx_error *e)
{
	scoped(queued_task_finish) struct queued_task a = { 0 };
	struct doc r = { .file = file, .e = e };
	int err = doc_read(&r, text, len, queued_task_keys, &a);

	if (err == 0 && (!a.where || !a.command.n == !a.branches.n))
		err = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				   "%s: it must have 'where', and either 'command' or 'branches'", file);
	if (err < 0)
		return err;
	*ret = a;
	a = (struct queued_task){ 0 };
	return 0;
}

static int add_class(struct doc *r, const yaml_node_t *n, size_t i, void *into)
{
	static const char *const words[] = {
		[GUARD_RUN] = "run", [GUARD_LOOK] = "look", [GUARD_BOX] = "box", NULL
	};
	size_t which = 0;
	int err = doc_one_of(r, n, "a class", words, &which);

	(void)i;
	if (err == 0)
		((struct authority *)into)->may[which] = true;
	if (err == 0 && which == GUARD_RUN) /* looking is less than that */
		((struct authority *)into)->may[GUARD_LOOK] = true;
	return err;
}

static int read_classes(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "classes", &list_shape, add_class, into);
}

static int read_places(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "directories", &list_shape, add_place, &((struct authority *)into)->where);
}

static int read_promote(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "directories", &list_shape, add_place, &((struct authority *)into)->promote);
}

static int read_gates(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "gates", &list_shape, add_text, &((struct authority *)into)->gates);
}

/* In universal time: a file has no time zone. */
static int read_until(struct doc *r, const yaml_node_t *n, void *into)
{
	const char *text = doc_text(r, n, "'until'"), *rest;
	struct tm t = { 0 };

	if (!text)
		return r->e->code;
	rest = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &t);
	if (!rest || *rest || t.tm_year < 70)
		return doc_complain(r, n, "'until' must be a time such as 2030-01-31T07:00:00Z, not '%.40s'",
				    text);
	((struct authority *)into)->until = (uint64_t)timegm(&t);
	return 0;
}

static const struct doc_shape count_shape = { .kind = DOC_NUMBER, .least = 1, .most = 100000 };

static int read_actions(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_number(r, n, "'actions'", &count_shape, &((struct authority *)into)->actions);
}

static int read_time(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_time(r, n, "'time'", MAX_MS, &((struct authority *)into)->time_ms);
}

static int read_cpu(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_time(r, n, "'cpu'", MAX_MS, &((struct authority *)into)->cpu_ms);
}

static const struct doc_key budget_keys[] = {
	{ "actions", read_actions, &count_shape, "number of actions", true },
	{ "time", read_time, &text_shape, "total time" },
	{ "cpu", read_cpu, &text_shape, "total processor time" },
	{ .name = NULL },
};

static int read_budget(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_mapping(r, n, "'budget'", budget_keys, into);
}

static const struct doc_key authority_keys[] = {
	{ "classes", read_classes, &list_shape,
	  "what is allowed: run (commands that only read), box (all others)", true },
	{ "where", read_places, &list_shape, "allowed directories, with everything below", true },
	{ "promote", read_promote, &list_shape, "directories into which changes of a box may be promoted" },
	{ "gates", read_gates, &list_shape, "gates that must hold before that" },
	{ "until", read_until, &text_shape, "no action is started later" },
	{ "budget", read_budget, &text_shape, "limits", true },
	{ .name = NULL },
};

int authority_parse(const char *text, size_t len, const char *file, struct authority *ret,
		    struct aisbx_error *e)
{
	scoped(authority_finish) struct authority a = { 0 };
	struct doc r = { .file = file, .e = e };
	int err = doc_read(&r, text, len, authority_keys, &a);

	if (err == 0 && (!a.where.n || !a.actions || !(a.may[GUARD_LOOK] || a.may[GUARD_BOX])))
		err = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				   "%s: it must have 'classes', 'where' and 'budget: {actions: N}'", file);
	if (err < 0)
		return err;
	*ret = a;
	a = (struct authority){ 0 };
	return 0;
}
