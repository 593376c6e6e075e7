/* SPDX-License-Identifier: Apache-2.0 */
/* The language of questions about the history. */
#include "fleet/collect/where.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

enum type { TEXT, NUMBER, SINCE, UNTIL };

/* What it is called, and where it is. A body is a node's word, and may hold anything. */
static const struct key {
	const char *name;
	enum type type;
	const char *sql;
} keys[] = {
	{ "node", TEXT, "node" },
	{ "kind", TEXT, "kind" },
	{ "tenant", TEXT, "tenant" },
	{ "box", TEXT, "box" },
	{ "run", TEXT, "run" },
	{ "incarnation", TEXT, "incarnation" },
	{ "status", TEXT, "body->>'status'" },
	{ "command", TEXT, "body->>'command'" },
	{ "promotion", TEXT, "body->>'promotion'" },
	{ "target", TEXT, "body->>'target'" },
	{ "limit", TEXT, "body->'result'->'limit'->>'kind'" },
	{ "sequence", NUMBER, "sequence" },
	{ "exit", NUMBER,
	  "(CASE WHEN jsonb_typeof(body->'exit_code') = 'number' THEN (body->'exit_code')::numeric END)" },
	{ "wall_ms", NUMBER,
	  "(CASE WHEN jsonb_typeof(body->'wall_ms') = 'number' THEN (body->'wall_ms')::numeric END)" },
	{ "since", SINCE, "at >=" },
	{ "until", UNTIL, "at <" },
};

#define N_KEYS (sizeof(keys) / sizeof(*keys))

/* Longer ones first. */
static const struct operator
{
	const char *text, *sql;
	bool order; /* for numbers only */
}
operators[] = {
	{ "!=", "IS DISTINCT FROM", false },
	{ "<=", "<=", true },
	{ ">=", ">=", true },
	{ "=", "=", false },
	{ "<", "<", true },
	{ ">", ">", true },
	{ "~", NULL, false },
};

#define N_OPERATORS (sizeof(operators) / sizeof(*operators))

void where_finish(struct where *w)
{
	buf_finish(&w->sql);
	strlist_finish(&w->params);
}

void where_keys(struct buf *ret)
{
	for (size_t i = 0; i < N_KEYS; i++)
		buf_addf(ret, "%s%s", i ? ", " : "", keys[i].name);
}

static const struct key *find_key(const char *text, size_t len, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf known = { 0 };

	for (size_t i = 0; i < N_KEYS; i++)
		if (strlen(keys[i].name) == len && !strncmp(keys[i].name, text, len))
			return &keys[i];
	where_keys(&known);
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
		     "'%.*s' is nothing to ask for; there are %s", (int)(len < 40 ? len : 40), text,
		     buf_str(&known) ? known.data : "others");
	return NULL;
}

static const struct operator* find_operator(const char *text)
{
	for (size_t i = 0; i < N_OPERATORS; i++)
		if (!strncmp(text, operators[i].text, strlen(operators[i].text)))
			return &operators[i];
	return NULL;
}

/* From *AT, which is moved behind it. False: it has no end. */
static bool read_value(const char **at, struct buf *ret)
{
	const char *c = *at;
	const bool quoted = *c == '"';

	for (c += quoted; *c && (quoted ? *c != '"' : !isspace((unsigned char)*c)); c++) {
		if (quoted && *c == '\\' && c[1])
			c++;
		buf_add(ret, c, 1);
	}
	if (quoted && *c != '"')
		return false;
	*at = c + quoted;
	return !quoted || !**at || isspace((unsigned char)**at);
}

static bool is_number(const char *text)
{
	char *end;

	errno = 0;
	strtoll(text, &end, 10);
	return *text && !isspace((unsigned char)*text) && !*end && errno == 0;
}

/* "1d" is so long ago; anything else is a time as PostgreSQL reads it. */
static void add_time(struct where *w, const struct key *key, const char *value)
{
	const int n = (int)w->params.n + 1;
	uint64_t ms;

	if (!str_to_ms(value, &ms)) {
		buf_addf(&w->sql, " AND %s $%d::timestamptz", key->sql, n);
		strlist_add(&w->params, value);
		return;
	}
	buf_addf(&w->sql, " AND %s now() - $%d::bigint * interval '1 millisecond'", key->sql, n);
	strlist_addf(&w->params, "%llu", (unsigned long long)(ms < INT64_MAX / 1000 ? ms : INT64_MAX / 1000));
}

static int add_term(struct where *w, const struct key *key, const struct operator* op, const char *value,
		    struct aisbx_error *e)
{
	const int n = (int)w->params.n + 1;
	const bool time = key->type == SINCE || key->type == UNTIL;

	if ((op->order && key->type != NUMBER) || (!op->sql && key->type != TEXT) ||
	    (time && strcmp(op->text, "=") != 0))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' cannot be asked for with '%s'", key->name, op->text);
	if (key->type == NUMBER && !is_number(value))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' is a number, and '%.40s' is none", key->name, value);
	if (!buf_is_utf8(value))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the value of '%s' is no UTF-8", key->name);
	if (time) {
		add_time(w, key, value);
		return 0;
	}
	if (!op->sql)
		buf_addf(&w->sql, " AND position($%d in %s) > 0", n, key->sql);
	else
		buf_addf(&w->sql, " AND %s %s $%d%s", key->sql, op->sql, n,
			 key->type == NUMBER ? "::bigint" : "::text");
	strlist_add(&w->params, value);
	return 0;
}

/* The term that begins at *AT, which is moved behind it. */
static int read_term(const char **at, struct where *w, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf value = { 0 };
	const size_t len = strspn(*at, "abcdefghijklmnopqrstuvwxyz_");
	const struct operator* op = find_operator(*at + len);
	const struct key *key;

	if (!len || !op)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.40s' is no term; write KEY=VALUE, as in \"node=a kind=run since=1d\"",
				    *at);
	key = find_key(*at, len, e);
	if (!key)
		return e->code;
	*at += len + strlen(op->text);
	if (!read_value(at, &value))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the value of '%s' begins with a quote and does not end with one",
				    key->name);
	if (!buf_str(&value))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read '%s'", key->name);
	return add_term(w, key, op, value.data, e);
}

int where_parse(const char *text, struct where *ret, struct aisbx_error *e)
{
	scoped(where_finish) struct where w = { 0 };
	int r = 0;

	buf_addf(&w.sql, "true");
	for (const char *at = text; r == 0;) {
		at += strspn(at, " \t\n");
		if (!*at)
			break;
		if (w.params.n == WHERE_TERMS_MAX)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, E2BIG,
					    "more than %d terms", WHERE_TERMS_MAX);
		r = read_term(&at, &w, e);
	}
	if (r == 0 && (!buf_str(&w.sql) || w.params.failed))
		r = aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read what is asked for");
	if (r < 0)
		return r;
	*ret = w;
	w = (struct where){ 0 };
	return 0;
}
