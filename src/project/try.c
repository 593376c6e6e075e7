/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the experiments of aisbx.yaml: branches, how they are judged, and their budgets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "project/read.h"

const char *const project_mode_names[] = {
	[MODE_FIRST] = "first", [MODE_BEST] = "best", [MODE_ALL] = "all", NULL
};

void project_experiments_finish(struct project *p)
{
	for (size_t i = 0; i < p->n_experiments; i++) {
		struct project_experiment *x = &p->experiments[i];

		free(x->name);
		for (size_t k = 0; k < x->n_branches; k++) {
			free(x->branches[k].name);
			strlist_finish(&x->branches[k].argv);
		}
		free(x->branches);
		strlist_finish(&x->test);
		project_checks_finish(&x->gates);
		expr_free(x->score);
		free(x->score_text);
	}
	free(p->experiments);
}

const struct project_experiment *project_experiment_by_name(const struct project *p, const char *name)
{
	for (size_t i = 0; i < p->n_experiments; i++)
		if (!strcmp(p->experiments[i].name, name))
			return &p->experiments[i];
	return NULL;
}

static const struct doc_shape command_shape = { .kind = DOC_COMMAND };
static const struct doc_shape branches_shape = {
	.kind = DOC_NAMED, .pattern = DOC_NAME, .of = &command_shape, .least = 1, .most = PROJECT_MAX_BRANCHES
};

static int read_branch(struct doc *r, const yaml_node_pair_t *pair, const char *name, size_t i, void *into)
{
	struct project_experiment *x = into;

	x->n_branches = i + 1;
	x->branches[i].name = strdup(name);
	if (!x->branches[i].name)
		return doc_no_memory(r);
	if (!doc_is_name(name))
		return doc_refuse_name(r, doc_node(r, pair->key), name, "a branch");
	return doc_command(r, doc_node(r, pair->value), "a command", &x->branches[i].argv);
}

static int read_branches(struct doc *r, const yaml_node_t *n, void *into)
{
	struct project_experiment *x = into;

	x->branches = calloc(doc_count(n) + 1, sizeof(*x->branches));
	return x->branches ? doc_named(r, n, "branches", &branches_shape, read_branch, x) : doc_no_memory(r);
}

static int read_test(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_command(r, n, "a command", &((struct project_experiment *)into)->test);
}

static int read_gates(struct doc *r, const yaml_node_t *n, void *into)
{
	return project_read_checks(r, n, &((struct project_experiment *)into)->gates);
}

static int read_mode(struct doc *r, const yaml_node_t *n, void *into)
{
	size_t i = 0;
	int err = doc_one_of(r, n, "'mode'", project_mode_names, &i);

	((struct project_experiment *)into)->mode = (enum project_mode)i;
	return err;
}

static int read_score(struct doc *r, const yaml_node_t *n, void *into)
{
	struct project_experiment *x = into;
	int err = doc_copy(r, n, "'score'", PROJECT_MAX_TEXT, &x->score_text);

	if (err == 0 && expr_parse(x->score_text, true, &x->score, r->e) < 0)
		err = r->e->code == -ENOMEM ? -ENOMEM : doc_locate(r, &n->start_mark);
	return err;
}

static const char *const preferences[] = { "least", "most", NULL };

static int read_prefer(struct doc *r, const yaml_node_t *n, void *into)
{
	size_t i = 0;
	int err = doc_one_of(r, n, "'prefer'", preferences, &i);

	((struct project_experiment *)into)->most = i == 1;
	return err;
}

static const struct doc_shape repeat_shape = { .kind = DOC_NUMBER, .least = 1, .most = 1000 };
static const struct doc_shape parallel_shape = { .kind = DOC_NUMBER,
						 .least = 1,
						 .most = PROJECT_MAX_BRANCHES };
static const struct doc_shape runs_shape = { .kind = DOC_NUMBER, .least = 1, .most = 100000 };

static int read_repeat(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_number(r, n, "'repeat'", &repeat_shape, &((struct project_experiment *)into)->repeat);
}

static int read_parallel(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_number(r, n, "'parallel'", &parallel_shape,
			  &((struct project_experiment *)into)->parallel);
}

static int read_budget_time(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_time(r, n, "'time'", PROJECT_MAX_MS, &((struct project_experiment *)into)->budget_ms);
}

static int read_budget_cpu(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_time(r, n, "'cpu'", PROJECT_MAX_MS, &((struct project_experiment *)into)->budget_cpu_ms);
}

static int read_budget_runs(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_number(r, n, "'runs'", &runs_shape, &((struct project_experiment *)into)->budget_runs);
}

static const struct doc_shape time_shape = { .kind = DOC_TIME };
static const struct doc_key budget_keys[] = {
	{ "time", read_budget_time, &time_shape, "clock time, of all branches together" },
	{ "cpu", read_budget_cpu, &time_shape, "processor time, of all branches together" },
	{ "runs", read_budget_runs, &runs_shape, "maximum number of runs" },
	{ .name = NULL },
};
static const struct doc_shape budget_shape = { .kind = DOC_KEYS, .keys = budget_keys };

static int read_budget(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_mapping(r, n, "'budget'", budget_keys, into);
}

static const struct doc_shape score_shape = { .kind = DOC_TEXT, .pattern = "." };
static const struct doc_shape mode_shape = { .kind = DOC_CHOICE, .choices = project_mode_names };
static const struct doc_shape prefer_shape = { .kind = DOC_CHOICE, .choices = preferences };
static const struct doc_key try_keys[] = {
	{ "branches", read_branches, &branches_shape,
	  "branches: name and command of each, run in boxes of their own", true },
	{ "test", read_test, &command_shape, "test command that must pass; default: the intent test" },
	{ "gates", read_gates, &project_checks_shape, "gates that must hold as well" },
	{ "mode", read_mode, &mode_shape,
	  "first: the first that passes wins; best: the best score; all: no winner. Default: first" },
	{ "score", read_score, &score_shape, "expression over facts; default: the clock time" },
	{ "prefer", read_prefer, &prefer_shape,
	  "whether the lowest or the highest score wins; default: least" },
	{ "repeat", read_repeat, &repeat_shape,
	  "number of times to run each test, to detect flaky ones; default: 1" },
	{ "budget", read_budget, &budget_shape, "limits for the whole experiment" },
	{ "parallel", read_parallel, &parallel_shape, "number of branches at once; default: all" },
	{ .name = NULL },
};
static const struct doc_shape try_shape = { .kind = DOC_KEYS, .keys = try_keys };
const struct doc_shape project_experiments_shape = {
	.kind = DOC_NAMED, .pattern = DOC_NAME, .of = &try_shape, .most = PROJECT_MAX_TRIES
};

static int read_experiment(struct doc *r, const yaml_node_pair_t *pair, const char *name, size_t i,
			   void *into)
{
	struct project *p = into;
	struct project_experiment *x = &p->experiments[i];

	p->n_experiments = i + 1;
	x->repeat = 1;
	x->name = strdup(name);
	if (!x->name)
		return doc_no_memory(r);
	if (!doc_is_name(name))
		return doc_refuse_name(r, doc_node(r, pair->key), name, "an experiment");
	return doc_mapping(r, doc_node(r, pair->value), "an experiment", try_keys, x);
}

int project_read_experiments(struct doc *r, const yaml_node_t *map, void *into)
{
	struct project *p = into;

	p->experiments = calloc(doc_count(map) + 1, sizeof(*p->experiments));
	return p->experiments
		       ? doc_named(r, map, "experiments", &project_experiments_shape, read_experiment, p)
		       : doc_no_memory(r);
}
