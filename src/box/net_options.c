/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what --net says, and makes the rules of a run from its profile, its box and its options. */
#include "box/net_options.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/net_presets.h"
#include "box/net_settings.h"
#include "box/profiles.h"
#include "policy/egress.h"
#include "policy/egress_presets.h"

/* A word that is nothing: of modes and presets, the one that it may have been. */
static int unknown_word(const char *value, struct aisbx_error *e)
{
	const char *names[32], *near;
	size_t n = 0;

	for (int m = NET_NONE; m <= NET_ALLOW_ASK; m++)
		names[n++] = net_mode_name((enum net_mode)m);
	for (const struct egress_preset *p = egress_presets; p->name && n < 32; p++)
		names[n++] = p->name;
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
		     "--net has no value '%.60s'; allowed:", value);
	for (size_t i = 0; i < n; i++) {
		strncat(e->text, i ? ", " : " ", sizeof(e->text) - strlen(e->text) - 1);
		strncat(e->text, names[i], sizeof(e->text) - strlen(e->text) - 1);
	}
	aisbx_hint(e, "or a rule such as github.com:443");
	near = str_nearest(value, names, n);
	return near ? aisbx_hint(e, "did you mean '%s'?", near) : e->code;
}

static bool is_word(const char *value)
{
	return !value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")];
}

static int check_together(const char *one, const char *other, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "--net %.60s and --net %.60s contradict each other", one, other);
}

int net_options_read(const struct strlist *values, enum net_mode *mode, struct strlist *ret,
		     struct aisbx_error *e)
{
	const char *named = NULL, *rule = NULL; /* the last of each */
	enum net_mode m = *mode, found;
	int r = 0;

	for (size_t i = 0; r == 0 && i < values->n; i++) {
		const char *value = values->items[i];

		if (net_mode_by_name(value, &found)) {
			if (named && found != m)
				return check_together(named, value, e);
			named = value;
			m = found;
			continue;
		}
		if (is_word(value) && !egress_preset_by_name(value))
			return unknown_word(value, e);
		r = egress_value_check(value, e);
		rule = value;
		if (r == 0 && ret)
			strlist_add(ret, value);
	}
	if (r < 0)
		return r;
	if (named && rule && !net_mode_has_rules(m))
		return check_together(named, rule, e);
	if (rule && !net_mode_has_rules(m))
		m = NET_ALLOW;
	if (ret && ret->failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the network rules");
	*mode = m;
	return 0;
}

static int add_value(const struct caller *by, const char *value, struct run_spec *spec, struct aisbx_error *e)
{
	int r = egress_expand(value, &spec->net.rules, e);

	if (r == 0 && egress_preset_by_name(value))
		r = net_preset_hosts(value, by, spec->walls.project, &spec->net.rules, e);
	return r;
}

static int check_bytes(const struct strlist *rules, struct aisbx_error *e)
{
	size_t bytes = 0;

	for (size_t i = 0; i < rules->n; i++)
		bytes += strlen(rules->items[i]) + 1;
	return bytes <= NET_RULES_BYTES
		       ? 0
		       : aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, E2BIG,
				      "the network rules of this run have %zu bytes, more than %u; use "
				      "fewer, such as *.example.org:443",
				      bytes, NET_RULES_BYTES);
}

int net_options_fill(const struct caller *by, const struct strlist *values, struct run_spec *spec,
		     struct aisbx_error *e)
{
	const struct profile_rules *rules = &spec->origin->rules;
	int r = 0;

	spec->net.ask = spec->profile.net == NET_ALLOW_ASK;
	if (!net_mode_has_rules(spec->profile.net))
		return 0;
	for (size_t i = 0; r == 0 && i < rules->n_values; i++)
		if (profile_value_is(rules, i, "egress"))
			r = add_value(by, rules->values[i].setting->value, spec, e);
	for (size_t i = 0; r == 0 && i < values->n; i++)
		r = add_value(by, values->items[i], spec, e);
	for (size_t i = 0; r == 0 && i < spec->net.rules.n; i++)
		if (!strcmp(spec->net.rules.items[i], "net:agent:gpg"))
			r = aisbx_refuse(
				e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EOPNOTSUPP,
				"net:agent:gpg: this aisbx cannot ask about each signature of gpg yet; "
				"net:unix:PATH passes the agent's socket on without asking; "
				"net:agent:ssh asks, and git signs with ssh keys, too");
	return r == 0 ? check_bytes(&spec->net.rules, e) : r;
}

/* Whether OF is about every name and port of RULE; with a method or a path, too. */
static bool covers(const struct egress_rule *of, const struct egress_rule *rule)
{
	if (of->kind != EGRESS_NAMES || of->udp || (of->port && of->port != rule->port))
		return false;
	if (of->any || (of->below == rule->below && !strcmp(of->name, rule->name)))
		return true;
	return of->below && egress_match_lookup(of, 1, rule->name);
}

int net_options_need(struct run_spec *spec, const char *rule, struct aisbx_error *e)
{
	struct strlist *rules = &spec->net.rules;
	struct egress_rule wanted, other;
	int r = egress_rule_parse(rule, &wanted, e);

	for (size_t i = 0; r == 0 && i < rules->n; i++) {
		r = egress_rule_parse(rules->items[i], &other, e);
		if (r == 0 && covers(&other, &wanted))
			return 0;
	}
	if (r == 0)
		strlist_add(rules, wanted.text);
	if (r == 0 && rules->failed)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the network rules");
	return r == 0 ? check_bytes(rules, e) : r;
}

static int list_presets(const struct strlist *values, struct run_spec *spec, struct strlist *ret,
			struct aisbx_error *e)
{
	const struct profile_rules *rules = &spec->origin->rules;
	scoped(strlist_finish) struct strlist of_box = { 0 };
	scoped(drop_mem) char *dir = spec->box.id[0] ? box_state_dir(e) : NULL;
	int r = 0;

	if (spec->box.id[0])
		r = dir ? box_net_read(dir, spec->box.id, &of_box, e) : e->code;
	for (size_t i = 0; i < rules->n_values; i++)
		if (profile_value_is(rules, i, "egress"))
			strlist_add(ret, rules->values[i].setting->value);
	for (size_t i = 0; i < of_box.n; i++)
		strlist_add(ret, of_box.items[i]);
	for (size_t i = 0; i < values->n; i++)
		strlist_add(ret, values->items[i]);
	return r == 0 && ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the network rules") : r;
}

int net_options_tell(const struct caller *by, const struct strlist *values, struct run_spec *spec,
		     struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist presets = { 0 }, settings = { 0 };
	int r;

	/* Who joins a box has the network that it has. */
	if (!spec->box.exec && !net_mode_has_rules(spec->profile.net))
		return 0;
	r = list_presets(values, spec, &presets, e);
	for (size_t i = 0; r == 0 && i < presets.n; i++)
		if (egress_preset_by_name(presets.items[i]))
			r = net_preset_settings(presets.items[i], by, spec->walls.project, &settings, e);
	if (r == 0)
		net_settings_tell(&settings, by, spec);
	return r;
}
