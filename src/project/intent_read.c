/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the intents of aisbx.yaml. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "project/read.h"

static int read_intent_command(struct doc *r, const yaml_node_t *n, void *into)
{
	struct project_intent *t = into;

	t->shell = n->type == YAML_SCALAR_NODE;
	return doc_command(r, n, "a command", &t->argv);
}

static int read_intent_env(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_variables(r, n, &((struct project_intent *)into)->env);
}

/* Below the project, so that what it says can be read without asking where it leads. */
int project_read_path(struct doc *r, const yaml_node_t *n, const char *what, char **ret)
{
	const char *text = doc_text(r, n, what);

	if (!text)
		return r->e->code;
	for (const char *part = text; *part; part += strcspn(part, "/"), part += *part == '/') {
		size_t len = strcspn(part, "/");

		if (*text == '/' || !len || (len <= 2 && !strncmp(part, "..", len)))
			return doc_complain(r, n, "'%.40s' is not a path in the project, such as tools/bench",
					    text);
	}
	return doc_copy(r, n, what, PROJECT_MAX_PATH, ret);
}

static int read_intent_cwd(struct doc *r, const yaml_node_t *n, void *into)
{
	return project_read_path(r, n, "'cwd'", &((struct project_intent *)into)->cwd);
}

static int read_intent_time(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_time(r, n, "'timeout'", PROJECT_MAX_MS, &((struct project_intent *)into)->timeout_ms);
}

static int read_judges_from(struct doc *r, const yaml_node_t *n, void *into)
{
	return project_read_judges_from(r, n, &((struct project_intent *)into)->box_judges);
}

static const struct doc_shape command_shape = { .kind = DOC_COMMAND };
static const struct doc_shape path_shape = { .kind = DOC_TEXT, .pattern = PROJECT_BELOW };
static const struct doc_shape env_shape = { .kind = DOC_VARIABLES };
static const struct doc_shape time_shape = { .kind = DOC_TIME };
static const struct doc_key intent_keys[] = {
	{ "command", read_intent_command, &command_shape, "command", true },
	{ "cwd", read_intent_cwd, &path_shape, "directory, relative to the project" },
	{ "env", read_intent_env, &env_shape, "variables for it" },
	{ "timeout", read_intent_time, &time_shape, "time limit" },
	{ "judges_from", read_judges_from, &project_judges_from_shape,
	  "whose version of its script and tests is used in a gate; default: project" },
	{ .name = NULL },
};
static const struct doc_shape long_shape = { .kind = DOC_KEYS, .keys = intent_keys };
static const struct doc_shape *const intent_shapes[] = { &command_shape, &long_shape, NULL };
static const struct doc_shape intent_shape = { .kind = DOC_ANY, .any = intent_shapes };
const struct doc_shape project_intents_shape = { .kind = DOC_NAMED,
						 .choices = intent_names,
						 .of = &intent_shape };

static int read_intent(struct doc *r, const yaml_node_pair_t *pair, const char *name, size_t i, void *into)
{
	const yaml_node_t *n = doc_node(r, pair->value);
	enum intent intent = intent_by_name(name);
	struct project *p = into;
	char what[32];

	(void)i;
	if (intent == INTENT_COUNT) {
		aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			     "there is no intent '%.40s'; intents:", name);
		doc_suggest(r, name, intent_names, INTENT_COUNT);
		return doc_locate(r, &doc_node(r, pair->key)->start_mark);
	}
	if (n->type != YAML_MAPPING_NODE)
		return read_intent_command(r, n, &p->intents[intent]);
	snprintf(what, sizeof(what), "intent '%s'", name);
	return doc_mapping(r, n, what, intent_keys, &p->intents[intent]);
}

int project_read_intents(struct doc *r, const yaml_node_t *map, void *into)
{
	return doc_named(r, map, "intents", &project_intents_shape, read_intent, into);
}

void project_intents_finish(struct project *p)
{
	for (enum intent i = 0; i < INTENT_COUNT; i++) {
		strlist_finish(&p->intents[i].argv);
		strlist_finish(&p->intents[i].env);
		free(p->intents[i].cwd);
		free(p->intents[i].dir);
	}
}
