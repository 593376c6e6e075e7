/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads aisbx.yaml part by part: a mistake in one takes away that one and what uses it, and the rest holds. A
 * part with a mistake is never taken for one that says nothing: whoever needs it is refused.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "project/read.h"

static const struct {
	const char *key;
	unsigned int part;
} parts[] = {
	{ "version", PROJECT_ALL }, { "services", PROJECT_SERVICES }, { "intents", PROJECT_INTENTS },
	{ "gates", PROJECT_GATES }, { "stages", PROJECT_STAGES },     { "experiments", PROJECT_EXPERIMENTS },
	{ "guard", PROJECT_GUARD }, { "judges", PROJECT_JUDGES },
};
#define N_PARTS (sizeof(parts) / sizeof(*parts))

void project_problems_finish(struct project *p)
{
	for (size_t i = 0; i < p->n_problems; i++)
		free(p->problems[i].text);
	free(p->problems);
}

static int add_problem(struct project *p, unsigned int broken, const char *text)
{
	struct project_problem *grown = reallocarray(p->problems, p->n_problems + 1, sizeof(*grown));
	char *copy = strdup(text);

	if (grown)
		p->problems = grown;
	if (!grown || !copy) {
		free(copy);
		return -ENOMEM;
	}
	grown[p->n_problems++] = (struct project_problem){ broken, copy };
	p->broken |= broken;
	return 0;
}

/* What a key may have meant; one that is like none may have decided over changes. */
static unsigned int part_of(const char *name)
{
	const char *names[N_PARTS], *near;

	for (size_t i = 0; i < N_PARTS; i++)
		names[i] = parts[i].key;
	near = name ? str_nearest(name, names, N_PARTS) : NULL;
	for (size_t i = 0; near && i < N_PARTS; i++)
		if (near == names[i])
			return parts[i].part;
	return PROJECT_DECISIONS;
}

/* The errors since the first ones of R, which are of PART; without any it uses a gate that has one. */
static int note(struct doc *r, size_t since, unsigned int part, struct project *p)
{
	int err = 0;

	for (size_t i = since; err == 0 && i < r->all->n; i++)
		err = add_problem(p, part, r->all->items[i]);
	for (size_t i = 0; r->all->n == since && i < p->n_problems; i++)
		if (p->problems[i].parts & PROJECT_GATES)
			p->problems[i].parts |= part;
	p->broken |= part;
	return err;
}

/* One section after another, so that it is known which one has a mistake; gates first, others name them. */
static int read_parts(struct doc *r, const yaml_node_t *root, void *into)
{
	const yaml_node_t *gates = doc_find(r, root, "gates");
	int err = doc_need_mapping(r, root, "the file");

	if (err < 0)
		return err;
	if (gates && (err = project_read_gates(r, gates, into)) < 0 && err != -ENOMEM)
		err = note(r, 0, PROJECT_GATES, into);
	for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
	     err != -ENOMEM && pair < root->data.mapping.pairs.top; pair++) {
		const yaml_node_t *key = doc_node(r, pair->key);
		size_t since = r->all->n;

		err = doc_pair(r, root, pair, project_shape.keys, into);
		if (err < 0 && err != -ENOMEM)
			err = note(r, since,
				   part_of(key->type == YAML_SCALAR_NODE
						   ? (const char *)key->data.scalar.value
						   : NULL),
				   into);
	}
	return err == -ENOMEM ? err : 0;
}

/* What was read of a part before its mistake is nothing to rely on. Strict rules of the guard are. */
static void drop_broken(struct project *p)
{
	struct project gone = { 0 };

	if (p->broken & PROJECT_SERVICES) {
		service_specs_finish(&p->services);
		p->services = gone.services;
	}
	if (p->broken & PROJECT_INTENTS) {
		project_intents_finish(p);
		memcpy(p->intents, gone.intents, sizeof(p->intents));
	}
	if (p->broken & PROJECT_GATES) {
		project_gates_finish(p);
		p->gates = NULL;
		p->n_gates = 0;
	}
	if (p->broken & PROJECT_STAGES) {
		project_stages_finish(p);
		p->stages = NULL;
		p->n_stages = 0;
	}
	if (p->broken & PROJECT_EXPERIMENTS) {
		project_experiments_finish(p);
		p->experiments = NULL;
		p->n_experiments = 0;
	}
	if (p->broken & PROJECT_JUDGES) {
		project_judges_finish(p);
		p->judges = NULL;
		p->n_judges = 0;
	}
	if (p->broken & PROJECT_GUARD)
		project_guard_keep_strict(p);
}

int project_need(const struct project *p, unsigned int needs, struct aisbx_error *e)
{
	if (!(p->broken & needs))
		return 0;
	for (size_t i = 0; i < p->n_problems; i++)
		if (p->problems[i].parts & needs)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "%s",
					    p->problems[i].text);
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "%s has a mistake", PROJECT_FILE);
}

char *project_problem_line(const struct project *p)
{
	char names[160] = "", more[48] = "", *line = NULL;

	if (!p->n_problems)
		return NULL;
	for (size_t i = 1; i < N_PARTS; i++)
		if (p->broken & parts[i].part)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
				 *names ? ", " : "", parts[i].key);
	if (p->n_problems > 1)
		snprintf(more, sizeof(more), " (and %zu more)", p->n_problems - 1);
	if (asprintf(&line, "%s%s; until it is mended, what uses %s is refused", p->problems[0].text, more,
		     names) < 0)
		line = NULL;
	return line;
}

int project_parse_parts(const char *text, size_t len, const char *file, unsigned int needs,
			struct project *ret_project, struct aisbx_error *e)
{
	scoped(project_finish) struct project p = { 0 };
	scoped(strlist_finish) struct strlist all = { 0 };
	struct project_reading reading = { .p = &p };
	struct aisbx_error whole = AISBX_ERROR_INIT;
	struct doc r = { .file = file, .e = &whole, .all = &all, .of = &reading };
	int err = doc_read_root(&r, text, len, read_parts, &p);

	free(reading.states);
	if (err < 0 && err != -ENOMEM) /* no YAML, too long, not a mapping */
		err = add_problem(&p, PROJECT_ALL, all.n ? all.items[0] : whole.text);
	if (err < 0 || all.failed)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", file);
	drop_broken(&p);
	err = project_need(&p, needs, e);
	if (err < 0)
		return err;
	*ret_project = p;
	p = (struct project){ 0 };
	return 0;
}
