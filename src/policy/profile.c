/* SPDX-License-Identifier: Apache-2.0 */
/* Combines a chain of files: the nearest wins, lists that add up are joined. */
#include "policy/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

void profile_rules_finish(struct profile_rules *r)
{
	free(r->values);
	*r = (struct profile_rules){ 0 };
}

bool profile_value_is(const struct profile_rules *r, size_t i, const char *key)
{
	return r->values[i].setting->value && !strcmp(r->values[i].setting->key->name, key);
}

/* Whether S holds for a program of LANG. */
static bool is_for(const struct profile_setting *s, const char *lang)
{
	return !s->lang || (lang && !strcmp(s->lang, lang));
}

/* OWN: only settings for a language count. */
static bool has_key(const struct profile_layer *l, const struct profile_key *key, const char *lang, bool own)
{
	for (size_t i = 0; i < l->n_settings; i++)
		if (l->settings[i].key == key && is_for(&l->settings[i], lang) &&
		    (!own || l->settings[i].lang))
			return true;
	return false;
}

/* Of a mapping that adds up: a nearer file has the same name. */
static bool is_covered(const struct profile_key *k, const struct profile_setting *s,
		       const struct profile_layer *const *layers, size_t n_nearer)
{
	if (k->shape != SHAPE_MAP && k->shape != SHAPE_SECRETS)
		return false;
	for (size_t n = 0; n < n_nearer; n++)
		for (size_t i = 0; i < layers[n]->n_settings; i++) {
			const struct profile_setting *other = &layers[n]->settings[i];

			if (other->key == k && other->name && s->name && !strcmp(other->name, s->name))
				return true;
		}
	return false;
}

static void add_values(const struct profile_key *k, const struct profile_layer *const *layers, size_t n,
		       const char *lang, struct profile_rules *r)
{
	size_t from = n;

	if (!k->adds) /* the nearest that has it */
		for (from = 1; from <= n && !has_key(layers[from - 1], k, lang, false); from++)
			;
	for (size_t at = from; at-- > 0;) {
		bool own = at < n && has_key(layers[at], k, lang, true);

		for (size_t i = 0; at < n && i < layers[at]->n_settings; i++) {
			const struct profile_setting *s = &layers[at]->settings[i];

			if (s->key == k && is_for(s, lang) && (!own || s->lang) &&
			    !is_covered(k, s, layers, at))
				r->values[r->n_values++] = (struct profile_value){ s, layers[at] };
		}
		if (!k->adds)
			return;
	}
}

static int apply(struct profile_rules *r, struct aisbx_error *e)
{
	for (size_t i = 0; i < r->n_values; i++) {
		const struct profile_setting *s = r->values[i].setting;
		int err = s->value && s->key->apply ? s->key->apply(s, &r->profile, e) : 0;

		if (err < 0)
			return aisbx_context(e, "%s:%u:%u", path_tail(r->values[i].layer->file, PATH_TOLD),
					     s->line, s->column);
	}
	return 0;
}

static const struct profile_setting *find(const struct profile_layer *l, const char *key)
{
	for (size_t i = 0; i < l->n_settings; i++)
		if (!strcmp(l->settings[i].key->name, key))
			return &l->settings[i];
	return NULL;
}

/* Rules are for a mode that has them. Who says 'net' beside or above them knows that it has none. */
static void find_idle_rule(const struct profile_layer *const *layers, size_t n, struct profile_rules *r)
{
	for (size_t i = 0; i < n && !net_mode_has_rules(r->profile.net) && !find(layers[i], "net"); i++) {
		const struct profile_setting *s = find(layers[i], "egress");

		if (!s || !s->value)
			continue;
		r->idle_rule = (struct profile_value){ s, layers[i] };
		return;
	}
}

int profile_egress_check(const struct profile_rules *r, struct aisbx_error *e)
{
	const struct profile_value *v = &r->idle_rule;

	if (!v->setting)
		return 0;
	return aisbx_refuse(
		e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
		"%s:%u:%u: 'egress' has no effect while 'net' is %s; add 'net: allow', or 'net: %s' if "
		"the rules are only for --net allow",
		path_tail(v->layer->file, PATH_TOLD), v->setting->line, v->setting->column,
		net_mode_name(r->profile.net), net_mode_name(r->profile.net));
}

int profile_fold(const struct profile_layer *const *layers, size_t n, const char *lang,
		 struct profile_rules *ret_rules, struct aisbx_error *e)
{
	scoped(profile_rules_finish) struct profile_rules r = { .profile.name = layers[0]->name };
	size_t all = 0;
	int err;

	for (size_t i = 0; i < n; i++)
		all += layers[i]->n_settings;
	r.values = calloc(all + 1, sizeof(*r.values));
	if (!r.values)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "profile '%s'", layers[0]->file);
	for (const struct profile_key *k = profile_keys; k->name; k++)
		add_values(k, layers, n, lang, &r);
	for (size_t i = 0; i < r.n_values; i++)
		if (r.values[i].setting->key->shape == SHAPE_SERVICES)
			r.services = &r.values[i].layer->services;
	err = apply(&r, e);
	if (err < 0)
		return err;
	find_idle_rule(layers, n, &r);
	*ret_rules = r;
	r.values = NULL;
	return 0;
}

const char *profile_base_of(const struct profile_layer *l)
{
	return l->extends ? l->extends : !strcmp(l->file, "shipped:" PROFILE_ROOT) ? NULL : PROFILE_ROOT;
}
