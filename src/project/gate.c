/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the gates of aisbx.yaml and lists of checks. A gate stands for its checks: a name in a list is
 * replaced by copies of them, so that evaluation knows checks only.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "expr/expr.h"
#include "project/read.h"

/* Of a gate while the file is read: it may be named before it is read, even by one that it names itself. */
enum gate_state { UNREAD, BEING_READ, READ, BROKEN };

static void check_finish(struct project_check *c)
{
	free(c->text);
	expr_free(c->expr);
	strlist_finish(&c->argv);
	free(c->score);
	free(c->rego);
	free(c->wasm);
	free(c->query);
	free(c->gate);
	free(c->dir);
	*c = (struct project_check){ 0 };
}

void project_checks_finish(struct project_checks *c)
{
	for (size_t i = 0; i < c->n; i++)
		check_finish(&c->items[i]);
	free(c->items);
	*c = (struct project_checks){ 0 };
}

void project_gates_finish(struct project *p)
{
	for (size_t i = 0; i < p->n_gates; i++) {
		free(p->gates[i].name);
		project_checks_finish(&p->gates[i].checks);
	}
	free(p->gates);
}

static size_t gate_index(const struct project *p, const char *name)
{
	size_t i = 0;

	while (i < p->n_gates && (!p->gates[i].name || strcmp(p->gates[i].name, name) != 0))
		i++;
	return i;
}

const struct project_gate *project_gate_by_name(const struct project *p, const char *name)
{
	size_t i = gate_index(p, name);

	return i < p->n_gates ? &p->gates[i] : NULL;
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read a check");
}

/* Room for one more, all zero; NULL and an error. */
static struct project_check *add(struct project_checks *to, struct aisbx_error *e)
{
	struct project_check *more;

	if (to->n == PROJECT_MAX_ALL) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			     "more than %u checks, including those of nested gates", PROJECT_MAX_ALL);
		return NULL;
	}
	more = realloc(to->items, (to->n + 1) * sizeof(*more));
	if (!more) {
		no_memory(e);
		return NULL;
	}
	to->items = more;
	more += to->n++;
	*more = (struct project_check){ 0 };
	return more;
}

static bool copy_text(const char *from, char **to)
{
	*to = from ? strdup(from) : NULL;
	return !from || *to;
}

/* An expression has no copy: it is read again. */
static int copy_check(const struct project_check *from, const char *gate, struct project_checks *into,
		      struct aisbx_error *e)
{
	struct project_check *to = add(into, e);

	if (!to)
		return e->code;
	to->kind = from->kind;
	to->intent = from->intent;
	to->shell = from->shell;
	to->timeout_ms = from->timeout_ms;
	to->box_judges = from->box_judges;
	for (size_t i = 0; i < from->argv.n; i++)
		strlist_add(&to->argv, from->argv.items[i]);
	if (to->argv.failed || !copy_text(from->text, &to->text) || !copy_text(from->score, &to->score) ||
	    !copy_text(from->rego, &to->rego) || !copy_text(from->query, &to->query) ||
	    !copy_text(from->wasm, &to->wasm) || !copy_text(from->gate ? from->gate : gate, &to->gate) ||
	    !copy_text(from->dir, &to->dir))
		return no_memory(e);
	return from->expr ? expr_parse(from->score ? from->score : from->text, false, &to->expr, e) : 0;
}

static int copy_gate(const struct project_gate *g, struct project_checks *to, struct aisbx_error *e)
{
	int err = 0;

	for (size_t i = 0; err == 0 && i < g->checks.n; i++)
		err = copy_check(&g->checks.items[i], g->name, to, e);
	return err;
}

#define MAX_FACTS 64

static bool is_fact(const char *text)
{
	const struct expr_fact *f = expr_facts;

	while (f->name && strcmp(f->name, text) != 0)
		f++;
	return f->name;
}

/* A word that is neither: what is there, and what is nearest to it. */
static int refuse_word(const struct project *p, const char *text, struct aisbx_error *e)
{
	const char *names[PROJECT_MAX_GATES + INTENT_COUNT + MAX_FACTS], *near;
	size_t n = 0, told;

	for (size_t i = 0; i < p->n_gates; i++)
		if (p->gates[i].name)
			names[n++] = p->gates[i].name;
	for (size_t i = 0; i < INTENT_COUNT; i++)
		names[n++] = intent_names[i];
	told = n;
	for (size_t i = 0; expr_facts[i].name && i < MAX_FACTS; i++)
		names[n++] = expr_facts[i].name;
	near = str_nearest(text, names, n);
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
		     "'%.40s' is not a gate, an intent or an expression; gates and intents:", text);
	for (size_t i = 0; i < told; i++) {
		doc_add_words(e, i ? ", " : " ");
		doc_add_words(e, names[i]);
	}
	return near ? aisbx_hint(e, "did you mean '%s'?", near) : e->code;
}

/* An intent, or an expression. */
static int add_text(const struct project *p, const char *text, struct project_checks *to,
		    struct aisbx_error *e)
{
	enum intent intent = intent_by_name(text);
	scoped(drop_expr) struct expr *x = NULL;
	struct project_check *c;
	int err = 0;

	if (strlen(text) > PROJECT_MAX_TEXT)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "a check has more than %u bytes", PROJECT_MAX_TEXT);
	if (intent == INTENT_COUNT)
		err = expr_parse(text, false, &x, e);
	if (err < 0)
		return err != -ENOMEM && doc_is_name(text) && !is_fact(text) ? refuse_word(p, text, e) : err;
	c = add(to, e);
	if (!c)
		return e->code;
	c->kind = x ? CHECK_EXPR : CHECK_INTENT;
	c->intent = intent;
	c->expr = x;
	x = NULL;
	return copy_text(text, &c->text) ? 0 : no_memory(e);
}

int project_check_add(const struct project *p, const char *text, struct project_checks *to,
		      struct aisbx_error *e)
{
	const struct project_gate *g = project_gate_by_name(p, text);

	return g ? copy_gate(g, to, e) : add_text(p, text, to, e);
}

static int read_command(struct doc *r, const yaml_node_t *n, void *into)
{
	struct project_check *c = into;
	int err = doc_command(r, n, "a command", &c->argv);
	size_t len = 1;

	if (err < 0)
		return err;
	c->shell = n->type == YAML_SCALAR_NODE;
	for (size_t i = c->shell ? 2 : 0; i < c->argv.n; i++)
		len += strlen(c->argv.items[i]) + 1;
	c->text = calloc(1, len);
	for (size_t i = c->shell ? 2 : 0; c->text && i < c->argv.n; i++)
		strcat(i && !c->shell ? strcat(c->text, " ") : c->text, c->argv.items[i]);
	return c->text ? 0 : doc_no_memory(r);
}

static int read_time(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_time(r, n, "'timeout'", PROJECT_MAX_MS, &((struct project_check *)into)->timeout_ms);
}

static int read_score(struct doc *r, const yaml_node_t *n, void *into)
{
	struct project_check *c = into;
	int err = doc_copy(r, n, "'score'", PROJECT_MAX_TEXT, &c->score);

	if (err == 0 && expr_parse(c->score, false, &c->expr, r->e) < 0)
		err = r->e->code == -ENOMEM ? -ENOMEM : doc_locate(r, &n->start_mark);
	return err;
}

static int read_judges_from(struct doc *r, const yaml_node_t *n, void *into)
{
	return project_read_judges_from(r, n, &((struct project_check *)into)->box_judges);
}

static int read_rego(struct doc *r, const yaml_node_t *n, void *into)
{
	return project_read_path(r, n, "'rego'", &((struct project_check *)into)->rego);
}

static int read_wasm(struct doc *r, const yaml_node_t *n, void *into)
{
	return project_read_path(r, n, "'wasm'", &((struct project_check *)into)->wasm);
}

/* It is a word of a command line and a text of another language: only what names a rule. */
bool project_is_query(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	const char *part = text + (strncmp(text, "data", 4) ? 0 : 4);
	bool good = part > text && *part;

	for (; good && *part; part += 1 + strspn(part + 1, letters))
		good = *part == '.' && part[1] && strchr(letters, part[1]) && !strchr("0123456789", part[1]);
	return good && strlen(text) <= PROJECT_MAX_PATH;
}

static int read_query(struct doc *r, const yaml_node_t *n, void *into)
{
	const char *text = doc_text(r, n, "'query'");

	if (!text)
		return r->e->code;
	if (!project_is_query(text))
		return doc_complain(r, n, "'%.40s' is not the name of a rule, such as data.aisbx.allow",
				    text);
	return doc_copy(r, n, "'query'", PROJECT_MAX_PATH, &((struct project_check *)into)->query);
}

static const struct doc_shape command_shape = { .kind = DOC_COMMAND };
static const struct doc_shape time_shape = { .kind = DOC_TIME };
static const struct doc_shape expr_shape = { .kind = DOC_TEXT, .pattern = "." };
static const struct doc_shape path_shape = { .kind = DOC_TEXT, .pattern = PROJECT_BELOW };
static const struct doc_shape query_shape = { .kind = DOC_TEXT,
					      .pattern = "^data(\\.[A-Za-z_][A-Za-z0-9_]*)+$" };
static const struct doc_key command_keys[] = {
	{ "command", read_command, &command_shape, "command that must exit with 0", true },
	{ "timeout", read_time, &time_shape, "time limit" },
	{ "score", read_score, &expr_shape, "condition on the number it prints: \"score >= 0.8\"" },
	{ "judges_from", read_judges_from, &project_judges_from_shape,
	  "whose version of its script and tests is used; default: project" },
	{ .name = NULL },
};
static const struct doc_key rego_keys[] = {
	{ "rego", read_rego, &path_shape, "policy file in the project", true },
	{ "query", read_query, &query_shape, "query that must be true: data.PACKAGE.RULE", true },
	{ .name = NULL },
};
static const struct doc_key wasm_keys[] = {
	{ "wasm", read_wasm, &path_shape, "WebAssembly module in the project that must exit with 0", true },
	{ .name = NULL },
};
static const struct doc_shape text_shape = { .kind = DOC_TEXT, .pattern = "." };
static const struct doc_shape command_check = { .kind = DOC_KEYS, .keys = command_keys };
static const struct doc_shape rego_check = { .kind = DOC_KEYS, .keys = rego_keys };
static const struct doc_shape wasm_check = { .kind = DOC_KEYS, .keys = wasm_keys };
static const struct doc_shape *const check_shapes[] = { &text_shape, &command_check, &rego_check, &wasm_check,
							NULL };
static const struct doc_shape check_shape = { .kind = DOC_ANY, .any = check_shapes };
const struct doc_shape project_checks_shape = {
	.kind = DOC_LIST, .of = &check_shape, .least = 1, .most = PROJECT_MAX_CHECKS
};
const struct doc_shape project_gates_shape = {
	.kind = DOC_NAMED, .pattern = DOC_NAME, .of = &project_checks_shape, .most = PROJECT_MAX_GATES
};

static int read_gate(struct doc *r, size_t i);

/* What a text stands for is counted as an alias is: it is as much to be kept. */
static int read_name(struct doc *r, const yaml_node_t *n, size_t i, struct project_checks *to)
{
	struct project_reading *reading = r->of;
	struct project_gate *g = &reading->p->gates[i];
	int err = reading->states[i] == UNREAD ? read_gate(r, i) : 0;

	if (reading->states[i] == BEING_READ)
		return doc_complain(r, n, "gate '%s' contains itself", g->name);
	if (err < 0 || reading->states[i] == BROKEN)
		return err < 0 ? err : -EINVAL; /* told already */
	for (size_t k = 0; k < g->checks.n; k++) {
		const struct project_check *c = &g->checks.items[k];

		r->expanded += strlen(c->text) + (c->score ? strlen(c->score) : 0) + c->argv.n;
		for (size_t w = 0; w < c->argv.n; w++)
			r->expanded += strlen(c->argv.items[w]);
	}
	if (r->expanded > DOC_MAX_EXPANDED)
		return doc_complain(r, n, "with all nested gates the file has more than %u bytes",
				    DOC_MAX_EXPANDED);
	err = copy_gate(g, to, r->e);
	return err < 0 && err != -ENOMEM ? doc_locate(r, &n->start_mark) : err;
}

static int read_text(struct doc *r, const yaml_node_t *n, struct project_checks *to)
{
	struct project_reading *reading = r->of;
	const char *text = doc_text(r, n, "a check");
	size_t i;
	int err;

	if (!text)
		return r->e->code;
	if (!*text)
		return doc_complain(r, n, "a check is empty");
	i = gate_index(reading->p, text);
	if (i < reading->p->n_gates)
		return read_name(r, n, i, to);
	err = add_text(reading->p, text, to, r->e);
	return err < 0 && err != -ENOMEM ? doc_locate(r, &n->start_mark) : err;
}

static int read_check(struct doc *r, const yaml_node_t *n, size_t i, void *into)
{
	bool rego = doc_has(r, n, "rego") || doc_has(r, n, "query"), wasm = !rego && doc_has(r, n, "wasm");
	struct project_checks *to = into;
	struct project_check *c;
	int err;

	(void)i;
	if (n->type == YAML_SCALAR_NODE)
		return read_text(r, n, to);
	if (n->type != YAML_MAPPING_NODE)
		return doc_complain(r, n,
				    "a check must be a string, {command: ...}, {rego: FILE, query: "
				    "data...} or {wasm: FILE}, not a list");
	c = add(to, r->e);
	if (!c)
		return r->e->code == -ENOMEM ? -ENOMEM : doc_locate(r, &n->start_mark);
	c->kind = rego ? CHECK_REGO : wasm ? CHECK_WASM : CHECK_COMMAND;
	err = doc_mapping(r, n, "a check", rego ? rego_keys : wasm ? wasm_keys : command_keys, c);
	if (err < 0 || c->kind == CHECK_COMMAND)
		return err;
	if ((rego ? asprintf(&c->text, "%s: %s", c->rego, c->query) : asprintf(&c->text, "%s", c->wasm)) <
	    0) {
		c->text = NULL;
		return doc_no_memory(r);
	}
	return 0;
}

int project_read_checks(struct doc *r, const yaml_node_t *n, struct project_checks *to)
{
	return doc_list(r, n, "checks", &project_checks_shape, read_check, to);
}

/* Names only, so that one gate can name another wherever it is. */
static int add_gate(struct doc *r, const yaml_node_pair_t *pair, const char *name, size_t i, void *into)
{
	struct project *p = into;

	p->n_gates = i + 1;
	if (!doc_is_name(name))
		return doc_refuse_name(r, doc_node(r, pair->key), name, "a gate");
	if (intent_by_name(name) != INTENT_COUNT)
		return doc_complain(r, doc_node(r, pair->key),
				    "a gate cannot be called '%s': that is an intent", name);
	p->gates[i].name = strdup(name);
	return p->gates[i].name ? 0 : doc_no_memory(r);
}

static int read_gate(struct doc *r, size_t i)
{
	struct project_reading *reading = r->of;
	int err;

	reading->states[i] = BEING_READ;
	err = project_read_checks(r, doc_node(r, reading->gates->data.mapping.pairs.start[i].value),
				  &reading->p->gates[i].checks);
	reading->states[i] = err < 0 ? BROKEN : READ;
	return err;
}

int project_read_gates(struct doc *r, const yaml_node_t *map, void *into)
{
	struct project_reading *reading = r->of;
	struct project *p = into;
	int err, first;

	p->gates = calloc(doc_count(map) + 1, sizeof(*p->gates));
	reading->states = calloc(doc_count(map) + 1, 1);
	reading->gates = map;
	if (!p->gates || !reading->states)
		return doc_no_memory(r);
	err = first = doc_named(r, map, "gates", &project_gates_shape, add_gate, p);
	for (size_t i = 0; doc_goes_on(r, err) && i < p->n_gates; i++) {
		if (reading->states[i] == UNREAD)
			err = read_gate(r, i);
		first = first ? first : err;
	}
	return first;
}
