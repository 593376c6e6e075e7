/* SPDX-License-Identifier: Apache-2.0 */
/* Makes placeholders for secrets that are injected, and keeps their values out of what the box gets. */
#include "box/injected.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/box.h"
#include "net/never_ended.h"
#include "net/placeholder.h"
#include "policy/egress.h"
#include "policy/profile.h"
#include "secret/fingerprints.h"

/* KEY-ID, SECRET, SESSION-TOKEN */
#define MAX_PARTS 3
static const char *const aws_variables[MAX_PARTS] = { "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
						      "AWS_SESSION_TOKEN" };

static void finish_one(struct run_injected *i)
{
	if (i->value)
		explicit_bzero(i->value, strlen(i->value));
	free(i->value);
	free(i->name);
	free(i->host);
	free(i->how);
	free(i->header);
	free(i->placeholder);
}

void box_injected_finish(struct run_net *net)
{
	for (size_t i = 0; i < net->n_injected; i++)
		finish_one(&net->injected[i]);
	free(net->injected);
	net->injected = NULL;
	net->n_injected = 0;
}

static int rule_of(const struct secret_spec *s, struct egress_rule *ret, struct aisbx_error *e)
{
	int r = profile_secret_rule(s, ret, e);
	const char *why = r == 0 ? net_never_ended(ret->name, NULL) : NULL;

	return why ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				  "secret '%s' cannot be injected for '%s': %s", s->name, ret->name, why)
		   : r;
}

int box_injected_check(const struct secret_spec *s, struct aisbx_error *e)
{
	struct egress_rule rule;

	return s->inject.host ? rule_of(s, &rule, e) : 0;
}

int box_injected_rules(const struct strlist *specs, struct strlist *ret, struct aisbx_error *e)
{
	for (size_t i = 0; i < specs->n; i++) {
		scoped(secret_spec_finish) struct secret_spec s = { 0 };
		struct egress_rule rule;
		int r = secret_is_overridden(specs, i) ? 0 : secret_spec_parse(specs->items[i], &s, e);

		if (r == 0 && s.inject.host)
			r = rule_of(&s, &rule, e);
		if (r < 0)
			return r;
		if (s.inject.host)
			strlist_add(ret, rule.text);
	}
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the secrets") : 0;
}

/* What is a secret of its own in VALUE; returns how many there are, 0 for too many. */
static size_t parts_of(enum secret_way way, const char *value, size_t lens[MAX_PARTS])
{
	size_t n = 0;

	lens[0] = strlen(value);
	if (way != SECRET_BY_AWS)
		return 1;
	for (; n < MAX_PARTS; n++) {
		lens[n] = strcspn(value, ":");
		value += lens[n];
		if (!*value++)
			return n ? n + 1 : 0;
	}
	return 0;
}

/* Whether a part of VALUE is in TEXT. */
static bool has_part(const char *text, enum secret_way way, const char *value)
{
	size_t lens[MAX_PARTS], n = parts_of(way, value, lens);

	for (size_t i = 0; i < n; value += lens[i++] + 1)
		if (lens[i] >= SECRET_MIN && memmem(text, strlen(text), value, lens[i]))
			return true;
	return false;
}

/* Its value would enter by another way. */
static int check_outside(const struct run_spec *spec, const struct secret_spec *s,
			 const struct run_secret *item, struct aisbx_error *e)
{
	const struct strlist *argv = &spec->command.argv, *env = &spec->command.set_env;
	const enum secret_way way = s->inject.way;

	for (size_t i = 0; i < argv->n; i++)
		if (has_part(argv->items[i], way, item->value))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "secret '%s' is not to enter the box, but the command line has "
					    "its value; let the command use the variable '%s'",
					    s->name, s->name);
	for (size_t i = 0; i < env->n; i++)
		if (has_part(env->items[i], way, item->value))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "secret '%s' is not to enter the box, but the variable '%.*s' "
					    "that the box is given has its value",
					    s->name, (int)strcspn(env->items[i], "="), env->items[i]);
	for (size_t i = 0; i < spec->secrets.n; i++) {
		const struct run_secret *other = &spec->secrets.items[i];

		if ((other->as_file || other->as_env) && has_part(other->value, way, item->value))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "secret '%s' is not to enter the box, but secret '%s', which the "
					    "box is given, has its value",
					    s->name, other->name);
	}
	return 0;
}

static void keep_out(const struct caller *by, const struct secret_spec *s, const struct run_secret *item,
		     struct run_secrets *secrets)
{
	for (const char *const *v = by->env; v && *v; v++)
		if (has_part(*v, s->inject.way, item->value))
			strlist_addf(&secrets->sources, "%.*s", (int)strcspn(*v, "="), *v);
}

static int random_bytes(uint8_t *ret, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t got = getrandom(ret + at, n - at, 0);

		if (got < 0 && errno != EINTR)
			return -errno;
		at += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* In a box that stays they are the same each time: a program may store a placeholder, and others may join. */
static int choose(const struct run_spec *spec, const struct secret_spec *s, uint8_t *ret, size_t n,
		  struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = NULL, *label = NULL;
	int r;

	if (!spec->box.id[0]) {
		r = random_bytes(ret, n);
		return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "make a placeholder for secret '%s'",
					  s->name)
			     : 0;
	}
	dir = box_state_dir(e);
	if (!dir)
		return e->code;
	if (asprintf(&label, "placeholder %s %s", s->name, s->inject.host) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a placeholder for secret '%s'", s->name);
	return fingerprints_derive(dir, label, ret, n, e);
}

static int make_placeholder(const struct run_spec *spec, const struct secret_spec *s,
			    const struct run_secret *item, char **ret, struct aisbx_error *e)
{
	scoped(drop_mem) uint8_t *random = malloc(item->len + 1);
	scoped(drop_mem) char *made = calloc(1, item->len + 1);
	size_t lens[MAX_PARTS], n = parts_of(s->inject.way, item->value, lens), at = 0;
	int r = random && made ? choose(spec, s, random, item->len, e)
			       : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a placeholder");

	if (r < 0)
		return r;
	if (!n || strlen(item->value) != item->len)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    n ? "secret '%s' contains a NUL byte, which no request can"
				      : "secret '%s' is not KEY-ID:SECRET or KEY-ID:SECRET:SESSION-TOKEN, "
					"with which requests can be signed",
				    s->name);
	for (size_t i = 0; i < n; at += lens[i++] + 1) {
		if (!placeholder_make(item->value + at, lens[i], random + at, made + at))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "secret '%s' cannot be injected: a placeholder of the same shape "
					    "needs at least %u letters and digits, and neither newlines nor "
					    "bytes beyond ASCII",
					    s->name, PLACEHOLDER_MIN_RANDOM);
		if (i + 1 < n)
			made[at + lens[i]] = ':';
	}
	*ret = take_mem(&made);
	return 0;
}

/* The box gets it where it expects the secret. */
static void give(struct run_spec *spec, const struct secret_spec *s, struct run_injected *i)
{
	struct strlist *env = &spec->command.set_env;
	size_t lens[MAX_PARTS], n = parts_of(s->inject.way, i->placeholder, lens);
	const char *at = i->placeholder;

	i->as_file = s->as_file;
	if (!s->as_env)
		return;
	strlist_addf(env, "%s=%s", s->name, i->placeholder);
	if (s->inject.way == SECRET_BY_AWS)
		for (size_t k = 0; k < n; at += lens[k++] + 1)
			strlist_addf(env, "%s=%.*s", aws_variables[k], (int)lens[k], at);
}

/*
 * A value and its placeholder may begin with the same text (of a JSON web token all but its signature), which
 * is no secret. What is looked for in output must not be found in the placeholder: only the rest is.
 */
static void look_for_rest(struct run_secret *item, const char *placeholder)
{
	size_t same = 0;

	while (item->value[same] && item->value[same] == placeholder[same])
		same++;
	if (same < item->len / 2)
		return;
	memmove(item->value, item->value + same, item->len - same + 1);
	explicit_bzero(item->value + item->len - same + 1, same);
	item->len -= same;
}

static struct run_secret *item_of(struct run_secrets *secrets, const char *name)
{
	for (size_t i = 0; i < secrets->n; i++)
		if (!strcmp(secrets->items[i].name, name))
			return &secrets->items[i];
	return NULL;
}

static int add(struct run_spec *spec, const struct secret_spec *s, struct run_secret *item,
	       struct aisbx_error *e)
{
	struct run_injected *i = &spec->net.injected[spec->net.n_injected];
	struct egress_rule rule;
	int r = rule_of(s, &rule, e);

	if (r < 0)
		return r;
	spec->net.n_injected++; /* what it has is freed, whatever happens */
	r = make_placeholder(spec, s, item, &i->placeholder, e);
	if (r < 0)
		return r;
	i->name = strdup(s->name);
	i->port = rule.port;
	i->how = strdup(secret_way_name(s->inject.way));
	i->header = strdup(s->inject.header ? s->inject.header : "");
	i->value = strdup(item->value);
	if (asprintf(&i->host, "%s%s", rule.below ? "*." : "", rule.name) < 0)
		i->host = NULL;
	if (!i->name || !i->how || !i->header || !i->value || !i->host)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare secret '%s'", s->name);
	give(spec, s, i);
	look_for_rest(item, i->placeholder);
	return 0;
}

/* CHECK: only whether its value is in what the box gets, as long as no value was shortened. */
static int each(const struct caller *by, struct run_spec *spec, bool check, struct aisbx_error *e)
{
	const struct strlist *specs = &spec->secrets.specs;
	int r = 0;

	for (size_t i = 0; r == 0 && i < specs->n; i++) {
		scoped(secret_spec_finish) struct secret_spec s = { 0 };
		struct run_secret *item;

		if (secret_is_overridden(specs, i))
			continue;
		r = secret_spec_parse(specs->items[i], &s, e);
		item = r == 0 && s.inject.host ? item_of(&spec->secrets, s.name) : NULL;
		if (!item)
			continue;
		if (!check) {
			r = add(spec, &s, item, e);
			continue;
		}
		r = check_outside(spec, &s, item, e);
		keep_out(by, &s, item, &spec->secrets);
	}
	return r;
}

int box_injected_fill(const struct caller *by, struct run_spec *spec, struct aisbx_error *e)
{
	int r;

	if (!spec->secrets.n)
		return 0;
	spec->net.injected = calloc(spec->secrets.n, sizeof(*spec->net.injected));
	if (!spec->net.injected)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare the secrets");
	r = each(by, spec, true, e);
	if (r == 0)
		r = each(by, spec, false, e);
	if (r == 0 && (spec->secrets.sources.failed || spec->command.set_env.failed))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "prepare the secrets");
	return r;
}
