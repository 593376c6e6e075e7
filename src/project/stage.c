/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the stages of aisbx.yaml: the targets of a change in order, and the gates before and after each. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "project/read.h"

/* A subset of what git takes that nobody can take for an option, a range or a file of git's own. */
#define BRANCH     "^(?!HEAD$)(?!.*(\\.\\.|//|/\\.|\\.lock(/|$)|[/.]$))[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$"
#define MAX_BRANCH 200u

void project_stages_finish(struct project *p)
{
	for (size_t i = 0; i < p->n_stages; i++) {
		struct project_stage *s = &p->stages[i];

		free(s->name);
		project_checks_finish(&s->before);
		project_checks_finish(&s->after);
		free(s->where);
		free(s->dir);
		strlist_finish(&s->command);
		strlist_finish(&s->rollback);
	}
	free(p->stages);
}

static int read_directory(struct doc *r, const yaml_node_t *n, void *into)
{
	struct project_stage *s = into;

	s->target = TARGET_DIRECTORY;
	return doc_copy(r, n, "'directory'", PROJECT_MAX_TEXT, &s->where);
}

static bool is_branch(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-";
	size_t len = strlen(name);
	const char *lock = name;

	if (!len || len > MAX_BRANCH || strspn(name, letters) != len || strchr("._/-", *name) ||
	    strchr("/.", name[len - 1]) || strstr(name, "..") || strstr(name, "//") || strstr(name, "/.") ||
	    !strcmp(name, "HEAD"))
		return false;
	while ((lock = strstr(lock, ".lock"))) {
		lock += strlen(".lock");
		if (!*lock || *lock == '/')
			return false;
	}
	return true;
}

static int read_branch(struct doc *r, const yaml_node_t *n, void *into)
{
	const char *text = doc_text(r, n, "'branch'");
	struct project_stage *s = into;

	if (!text)
		return r->e->code;
	if (!is_branch(text))
		return doc_complain(
			r, n, "'%.40s' is not a valid name of a branch, such as release or team/release-2.x",
			text);
	s->target = TARGET_BRANCH;
	s->where = strdup(text);
	return s->where ? 0 : doc_no_memory(r);
}

static int read_command(struct doc *r, const yaml_node_t *n, void *into)
{
	struct project_stage *s = into;

	s->target = TARGET_COMMAND;
	return doc_command(r, n, "a command", &s->command);
}

static int read_rollback(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_command(r, n, "a command", &((struct project_stage *)into)->rollback);
}

static const struct doc_shape command_shape = { .kind = DOC_COMMAND };
static const struct doc_shape directory_shape = { .kind = DOC_TEXT, .pattern = "." };
static const struct doc_shape branch_shape = { .kind = DOC_TEXT, .pattern = BRANCH };
static const struct doc_key to_keys[] = {
	{ "directory", read_directory, &directory_shape,
	  "directory to change; relative to the project, or absolute" },
	{ "branch", read_branch, &branch_shape, "branch of the project's repository that gets a commit" },
	{ "command", read_command, &command_shape,
	  "command to run on the machine itself, in the project, such as a deployment" },
	{ "rollback", read_rollback, &command_shape, "command that undoes it", false, "command" },
	{ .name = NULL },
};
static const char *const to_ways[] = { "directory", "branch", "command", NULL };
static const struct doc_shape to_shape = { .kind = DOC_KEYS, .keys = to_keys, .one_of = to_ways };

static int read_name(struct doc *r, const yaml_node_t *n, void *into)
{
	const char *text = doc_text(r, n, "'name'");
	struct project_stage *s = into;

	if (!text)
		return r->e->code;
	if (!doc_is_name(text))
		return doc_refuse_name(r, n, text, "a stage");
	s->name = strdup(text);
	return s->name ? 0 : doc_no_memory(r);
}

static int read_to(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_keys(r, n, "'to'", &to_shape, into);
}

static int read_before(struct doc *r, const yaml_node_t *n, void *into)
{
	return project_read_checks(r, n, &((struct project_stage *)into)->before);
}

static int read_after(struct doc *r, const yaml_node_t *n, void *into)
{
	return project_read_checks(r, n, &((struct project_stage *)into)->after);
}

static const char *const truths[] = { "false", "true", "no", "yes", NULL };

static int read_approve(struct doc *r, const yaml_node_t *n, void *into)
{
	size_t i = 0;
	int err = doc_one_of(r, n, "'approve'", truths, &i);

	((struct project_stage *)into)->approve = i % 2;
	return err;
}

static const struct doc_shape name_shape = { .kind = DOC_TEXT, .pattern = DOC_NAME };
static const struct doc_shape truth_shape = { .kind = DOC_CHOICE, .choices = truths };
static const struct doc_key stage_keys[] = {
	{ "name", read_name, &name_shape, "name", true },
	{ "to", read_to, &to_shape, "target; default: none, only gates" },
	{ "gates", read_before, &project_checks_shape, "gates that must hold for the change" },
	{ "after", read_after, &project_checks_shape,
	  "gates that must hold for the target afterwards, or the stage is rolled back", false, "to" },
	{ "approve", read_approve, &truth_shape, "whether a person must approve" },
	{ .name = NULL },
};
static const char *const stage_parts[] = { "to", "gates", "approve", NULL };
static const struct doc_shape stage_shape = { .kind = DOC_KEYS, .keys = stage_keys, .some_of = stage_parts };
const struct doc_shape project_stages_shape = { .kind = DOC_LIST,
						.of = &stage_shape,
						.most = PROJECT_MAX_STAGES };

static int read_stage(struct doc *r, const yaml_node_t *n, size_t i, void *into)
{
	struct project *p = into;
	struct project_stage *s = &p->stages[i];
	int err;

	p->n_stages = i + 1;
	err = doc_keys(r, n, "a stage", &stage_shape, s);
	for (size_t k = 0; s->name && k < i; k++)
		if (p->stages[k].name && !strcmp(p->stages[k].name, s->name))
			return doc_complain(r, n, "stage '%s' is repeated", s->name);
	return err;
}

int project_read_stages(struct doc *r, const yaml_node_t *list, void *into)
{
	struct project *p = into;

	p->stages = calloc(doc_count(list) + 1, sizeof(*p->stages));
	return p->stages ? doc_list(r, list, "stages", &project_stages_shape, read_stage, p)
			 : doc_no_memory(r);
}

int project_default_stages(struct project *p, bool has_test, struct aisbx_error *e)
{
	int err = 0;

	if (p->n_stages)
		return 0;
	free(p->stages);
	p->stages = calloc(2, sizeof(*p->stages));
	if (!p->stages)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "make stages");
	p->n_stages = 2;
	p->stages[0].name = strdup("verified");
	p->stages[1].name = strdup("dev");
	p->stages[1].target = TARGET_DIRECTORY;
	p->stages[1].where = strdup(".");
	if (!p->stages[0].name || !p->stages[1].name || !p->stages[1].where)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "make stages");
	if (has_test)
		err = project_check_add(p, "test", &p->stages[0].before, e);
	return err == 0 ? project_check_add(p, "not traps", &p->stages[0].before, e) : err;
}
