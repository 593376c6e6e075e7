/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the services of aisbx.yaml and of profiles: by tables of keys, then the dependencies. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "policy/yaml_doc.h"
#include "policy/service.h"

#define READY_DEFAULT_MS 10000u
#define READY_MAX_MS     3600000u

void service_specs_finish(struct service_specs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct service_spec *s = &p->items[i];

		free(s->name);
		strlist_finish(&s->argv);
		strlist_finish(&s->env);
		free(s->after);
		strlist_finish(&s->ready_argv);
		free(s->ready_text);
	}
	free(p->items);
	p->items = NULL;
	p->n = 0;
}

static int read_argv(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_command(r, n, "a command", &((struct service_spec *)into)->argv);
}

/* Names of others: they may come later in the file, so read_after resolves them when all are known. */
static int check_after(struct doc *r, const yaml_node_t *n, void *into)
{
	(void)into;
	return n->type == YAML_SEQUENCE_NODE
		       ? 0
		       : doc_complain(r, n, "'after' must be a list of services: [a, b]");
}

static const char *const restarts[] = {
	[RESTART_NO] = "no", [RESTART_ON_FAILURE] = "on-failure", [RESTART_ALWAYS] = "always", NULL
};

static int read_restart(struct doc *r, const yaml_node_t *n, void *into)
{
	struct service_spec *s = into;
	size_t i = 0;
	int err = doc_one_of(r, n, "'restart'", restarts, &i);

	s->restart = (enum service_restart)i;
	return err;
}

static int read_env(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_variables(r, n, &((struct service_spec *)into)->env);
}

/* What a service waits for, in words. */
static int set_ready_text(const struct doc *r, struct service_spec *s, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int set_ready_text(const struct doc *r, struct service_spec *s, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&s->ready_text, fmt, args) < 0)
		s->ready_text = NULL;
	va_end(args);
	return s->ready_text ? 0 : doc_no_memory(r);
}

static int read_port(struct doc *r, const yaml_node_t *n, void *into)
{
	struct service_spec *s = into;
	const char *text = doc_text(r, n, "'port'");
	uint64_t port;

	if (!text)
		return r->e->code;
	if (!str_to_u64(text, &port) || port < 1 || port > 65535)
		return doc_complain(r, n, "'%.40s' is not a port; a port is a number from 1 to 65535", text);
	s->ready = READY_PORT;
	s->port = (uint16_t)port;
	return set_ready_text(r, s, "port %u is open", s->port);
}

static int read_file(struct doc *r, const yaml_node_t *n, void *into)
{
	struct service_spec *s = into;
	const char *text = doc_text(r, n, "'file'");

	if (!text)
		return r->e->code;
	if (!*text)
		return doc_complain(r, n, "'file' is empty");
	s->ready = READY_FILE;
	strlist_add(&s->ready_argv,
		    "sh"); /* who looks is in the box: it must not see more than the service */
	strlist_add(&s->ready_argv, "-c");
	strlist_add(&s->ready_argv, "test -e \"$1\"");
	strlist_add(&s->ready_argv, "sh");
	strlist_add(&s->ready_argv, text);
	return s->ready_argv.failed ? doc_no_memory(r) : set_ready_text(r, s, "'%s' exists", text);
}

static int read_ready_command(struct doc *r, const yaml_node_t *n, void *into)
{
	struct service_spec *s = into;
	int err = doc_command(r, n, "a command", &s->ready_argv);

	if (err < 0)
		return err;
	s->ready = READY_COMMAND;
	return set_ready_text(r, s, "'%s' exits with 0",
			      s->ready_argv.items[n->type == YAML_SCALAR_NODE ? 2 : 0]);
}

static int read_ready_time(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_time(r, n, "'timeout'", READY_MAX_MS, &((struct service_spec *)into)->ready_ms);
}

static const struct doc_shape port_shape = { .kind = DOC_NUMBER, .least = 1, .most = 65535 };
static const struct doc_shape file_shape = { .kind = DOC_TEXT, .pattern = "." };
static const struct doc_shape command_shape = { .kind = DOC_COMMAND };
static const struct doc_shape time_shape = { .kind = DOC_TIME };
static const struct doc_shape env_shape = { .kind = DOC_VARIABLES };
static const struct doc_shape name_shape = { .kind = DOC_TEXT, .pattern = DOC_NAME };
static const struct doc_shape after_shape = { .kind = DOC_LIST, .of = &name_shape };
static const struct doc_shape restart_shape = { .kind = DOC_CHOICE, .choices = restarts };
static const char *const ready_ways[] = { "port", "file", "command", NULL };
static const struct doc_key ready_keys[] = {
	{ "port", read_port, &port_shape, "a process in the box listens on it" },
	{ "file", read_file, &file_shape, "it exists" },
	{ "command", read_ready_command, &command_shape, "it exits with 0" },
	{ "timeout", read_ready_time, &time_shape, "time limit for that; default: 10s" },
	{ .name = NULL },
};
static const struct doc_shape ready_shape = { .kind = DOC_KEYS, .keys = ready_keys, .one_of = ready_ways };

static int read_ready(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_keys(r, n, "'ready'", &ready_shape, into);
}

static const struct doc_key service_keys[] = {
	{ "command", read_argv, &command_shape, "its program", true },
	{ "after", check_after, &after_shape, "services that must be ready before it starts" },
	{ "ready", read_ready, &ready_shape, "when it is ready; default: when its program runs" },
	{ "restart", read_restart, &restart_shape, "when to restart it; default: no" },
	{ "env", read_env, &env_shape, "variables for it" },
	{ .name = NULL },
};
static const struct doc_shape service_shape = { .kind = DOC_KEYS, .keys = service_keys };
const struct doc_shape service_specs_shape = {
	.kind = DOC_NAMED, .pattern = DOC_NAME, .of = &service_shape, .most = SERVICE_MAX
};

static int read_service(struct doc *r, const yaml_node_pair_t *pair, const char *name, size_t i, void *into)
{
	struct service_specs *p = into;
	struct service_spec *s = &p->items[i];
	char what[DOC_MAX_NAME + 16];

	s->ready_ms = READY_DEFAULT_MS;
	s->name = strdup(name); /* before it is judged: whoever else is read may look at it */
	p->n = i + 1;
	if (!s->name)
		return doc_no_memory(r);
	if (!doc_is_name(name))
		return doc_refuse_name(r, doc_node(r, pair->key), name, "a service");
	snprintf(what, sizeof(what), "service '%s'", name);
	return doc_mapping(r, doc_node(r, pair->value),
			   doc_node(r, pair->value)->type == YAML_MAPPING_NODE ? what : "a service",
			   service_keys, s);
}

static int find_service(const struct service_specs *p, const char *name, size_t *ret)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->items[i].name, name)) {
			*ret = i;
			return 0;
		}
	return -ENOENT;
}

static int add_after(struct doc *r, const yaml_node_t *n, const struct service_specs *p,
		     struct service_spec *s)
{
	const char *name = doc_text(r, n, "a name in 'after'"), *names[SERVICE_MAX];
	size_t other;

	if (!name)
		return r->e->code;
	if (find_service(p, name, &other) < 0) {
		for (size_t i = 0; i < p->n; i++)
			names[i] = p->items[i].name;
		aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			     "there is no service '%.40s'; services:", name);
		doc_suggest(r, name, names, p->n);
		return doc_locate(r, &n->start_mark);
	}
	for (size_t i = 0; i < s->n_after; i++)
		if (s->after[i] == other)
			return doc_complain(r, n, "'%s' is repeated", name);
	s->after[s->n_after++] = other;
	return 0;
}

/* Now that all names are known. */
static int read_after(struct doc *r, const yaml_node_t *map, const struct service_specs *project,
		      struct service_spec *s)
{
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *list = doc_node(r, p->value);

		if (strcmp((const char *)doc_node(r, p->key)->data.scalar.value, "after") != 0)
			continue;
		s->after = calloc(project->n, sizeof(*s->after));
		if (!s->after)
			return doc_no_memory(r);
		for (yaml_node_item_t *i = list->data.sequence.items.start; i < list->data.sequence.items.top;
		     i++) {
			int err = add_after(r, doc_node(r, *i), project, s);

			if (err < 0)
				return err;
		}
	}
	return 0;
}

/* Names the circle: "a after b after a". */
static int tell_cycle(struct doc *r, const yaml_node_t *map, const struct service_specs *p, const bool *done)
{
	size_t seen[SERVICE_MAX], n = 0, at = 0, first;

	while (done[at])
		at++;
	for (;;) { /* every one that is not done waits for another that is not: so this comes round */
		const struct service_spec *s = &p->items[at];

		for (first = 0; first < n && seen[first] != at; first++)
			;
		if (first < n)
			break;
		seen[n++] = at;
		for (size_t i = 0; i < s->n_after; i++)
			if (!done[s->after[i]])
				at = s->after[i];
	}
	aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
		     "services wait for each other in a circle: %s", p->items[at].name);
	for (size_t i = first + 1; i <= n; i++) {
		doc_add_words(r->e, " after ");
		doc_add_words(r->e, p->items[i < n ? seen[i] : at].name);
	}
	return doc_locate(r, &doc_node(r, map->data.mapping.pairs.start[at].key)->start_mark);
}

/* Starts them in thought: whoever is left over waits for somebody who waits for it. */
static int check_order(struct doc *r, const yaml_node_t *map, const struct service_specs *p)
{
	bool done[SERVICE_MAX] = { 0 }, moved = true;
	size_t left = p->n;

	while (moved) {
		moved = false;
		for (size_t i = 0; i < p->n; i++) {
			bool waits = done[i];

			for (size_t k = 0; k < p->items[i].n_after; k++)
				waits = waits || !done[p->items[i].after[k]];
			if (waits)
				continue;
			done[i] = moved = true;
			left--;
		}
	}
	return left ? tell_cycle(r, map, p, done) : 0;
}

int service_specs_read(struct doc *r, const yaml_node_t *map, struct service_specs *p)
{
	int err = doc_need_mapping(r, map, "'services'");

	if (err < 0)
		return err;
	p->items = calloc(doc_count(map) + 1, sizeof(*p->items));
	if (!p->items)
		return doc_no_memory(r);
	err = doc_named(r, map, "services", &service_specs_shape, read_service, p);
	for (size_t i = 0; err == 0 && i < p->n; i++)
		err = read_after(r, doc_node(r, map->data.mapping.pairs.start[i].value), p, &p->items[i]);
	return err == 0 ? check_order(r, map, p) : err;
}
