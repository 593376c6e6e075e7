/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `profile explain` and `profile diff`: where each value comes from, and what is not the
 * same. */
#include <string.h>

#include "base/scope.h"
#include "op/args.h"
#include "op/profile.h"
#include "policy/seccomp.h"

/* The value an option gives to KEY, as a text; NULL: there is none. NET: the mode with all options. */
static json_t *option_value(const json_t *args, const char *key, enum net_mode net)
{
	const json_t *v = json_object_get(args, key);

	if (!strcmp(key, "net") && (json_array_size(v) || op_flag(args, "no-net")))
		return json_string(net_mode_name(net));
	return json_is_string(v)    ? json_string(json_string_value(v))
	       : json_is_integer(v) ? json_sprintf("%lld", (long long)json_integer_value(v))
	       : json_is_real(v)    ? json_sprintf("%g", json_real_value(v))
				    : NULL;
}

/* Of a value by an option or by nobody NAME is NULL and LINE 0. */
static void add_explained(json_t *list, const char *key, const char *name, json_t *value, json_t *from,
			  unsigned int line)
{
	json_array_append_new(list, json_pack("{s:s, s:s?, s:o, s:o, s:o}", "key", key, "name", name, "value",
					      value, "from", from, "line",
					      line ? json_integer(line) : json_null()));
}

/* Rules and presets of --net are added to those of the profile. */
static bool add_option_rules(json_t *list, const json_t *args)
{
	enum net_mode mode;
	const json_t *v;
	bool any = false;
	size_t i;

	json_array_foreach(json_object_get(args, "net"), i, v)
	{
		if (net_mode_by_name(json_string_value(v), &mode))
			continue;
		add_explained(list, "egress", NULL, json_string(json_string_value(v)),
			      json_string("option --net"), 0);
		any = true;
	}
	return any;
}

static json_t *explain(const struct box_profile *p, const struct profile *with, const json_t *args)
{
	json_t *list = json_array();

	for (const struct profile_key *k = profile_keys; k->name; k++) {
		json_t *chosen = option_value(args, k->name, with->net);
		bool said = false;

		if (chosen) {
			add_explained(list, k->name, NULL, chosen, json_sprintf("option --%s", k->name), 0);
			if (strcmp(k->name, "seccomp") != 0 || !with->seccomp_file)
				continue; /* else what the profile has is added to that */
		}
		for (size_t i = 0; i < p->rules.n_values; i++) {
			const struct profile_value *v = &p->rules.values[i];

			if (v->setting->key != k)
				continue;
			add_explained(list, k->name, v->setting->name,
				      json_string(v->setting->value ? v->setting->value : "none"),
				      json_string(v->layer->file), v->setting->line);
			said = true;
		}
		if (!strcmp(k->name, "egress"))
			said = add_option_rules(list, args) || said;
		if (!said)
			add_explained(list, k->name, NULL, json_string(k->fallback), json_string("default"),
				      0);
	}
	return list;
}

static int run_explain(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile p = { 0 };
	const char *from, *ref = op_profile_ref(ctx, args, NULL, &from);
	struct profile tried = { 0 };
	int r = box_profile_load(ref, ctx->by.cwd, NULL, &p, e);

	if (r == 0) {
		tried = p.rules.profile;
		r = op_profile_options(args, &tried, e);
	}
	if (r < 0)
		return r;
	*ret_result =
		json_pack("{s:s, s:s, s:o, s:o}", "profile", p.ref, "chosen_by",
			  strcmp(from, "option") ? strcmp(from, "variable") ? from : "variable AISBX_PROFILE"
						 : "you",
			  "files", op_profile_files_json(&p), "values", explain(&p, &tried, args));
	return 0;
}

static bool same(const char *key, const json_t *a, const json_t *b)
{
	return json_equal(a, b) || (json_is_string(a) && json_is_string(b) &&
				    profile_same_limit(key, json_string_value(a), json_string_value(b)));
}

/* {"mem": "1g", "env.set": {...}}: every key there is, with what holds where nobody says. */
static json_t *flat(const struct box_profile *p)
{
	json_t *all = json_object();

	for (const struct profile_key *k = profile_keys; k->name; k++) {
		json_t *value = op_profile_value(p, k);

		if (!value ||
		    (!json_is_string(value) && !json_array_size(value) && !json_object_size(value))) {
			json_decref(value);
			value = json_string(k->fallback);
		}
		json_object_set_new(all, k->name, value);
	}
	return all;
}

static int run_diff(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile a = { 0 }, b = { 0 };
	json_t *left, *right, *value, *list;
	const char *key;
	int r = box_profile_load(op_text(args, "a"), ctx->by.cwd, NULL, &a, e);

	if (r == 0)
		r = box_profile_load(op_text(args, "b"), ctx->by.cwd, NULL, &b, e);
	if (r < 0)
		return r;
	left = flat(&a);
	right = flat(&b);
	list = json_array();
	json_object_foreach(left, key, value) if (!same(key, value, json_object_get(right, key)))
		json_array_append_new(list, json_pack("{s:s, s:O, s:O}", "key", key, "a", value, "b",
						      json_object_get(right, key)));
	*ret_result = json_pack("{s:s, s:s, s:o}", "a", a.ref, "b", b.ref, "differences", list);
	json_decref(left);
	json_decref(right);
	return 0;
}

static const struct op_param explain_params[] = {
	{ "profile", 0, OP_STRING, OP_POSITIONAL, "PROFILE", PROFILE_HELP },
	{ "net", 0, OP_LIST, 0, "NET", "as for run" },
	{ "no-net", 0, OP_FLAG, 0, NULL, "as for run" },
	{ "seccomp", 0, OP_CHOICE, 0, "PRESET", "as for run", seccomp_preset_names },
	OP_LIMIT_PARAMS{ .name = NULL },
};
static const struct op_param diff_params[] = {
	{ "a", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "A", "a name, or a file (with a '/')" },
	{ "b", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "B", "the other" },
	{ .name = NULL },
};

static const struct op_field explain_result[] = {
	{ "profile", "string", "its name, or the path of its file" },
	{ "chosen_by", "string", "who chose the profile: you, variable AISBX_PROFILE or default" },
	FILES_FIELD,
	{ "values", "array", "every key, with each of its values" },
	{ "values[].key", "string", "as in a file; env.set is the key set in env" },
	{ "values[].name", "string|null", "name of a variable or secret; mode of a mount" },
	{ "values[].value", "string", "value in effect" },
	{ "values[].from", "string", "the file that sets it, option --NAME, or default" },
	{ "values[].line", "integer|null", "line of that file" },
	{ NULL, NULL, NULL },
};
static const struct op_field diff_result[] = {
	{ "a", "string", "value in the first" },
	{ "b", "string", "value in the second" },
	{ "differences", "array", "keys with different values" },
	{ "differences[].key", "string", "as in a file" },
	{ NULL, NULL, NULL },
};

const struct op op_profile_explain = {
	.name = "profile explain",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROFILE_EXPLAIN,
	.method = "profile.explain",
	.summary = "Show for each value of a profile where it comes from",
	.about = "Shows every key with its value and where it was set: a file with its line, an option, or\n"
		 "nowhere (default). The options are those of run: they show what would be in effect for a\n"
		 "run with them.",
	.example = "aisbx profile explain python\naisbx profile explain go --mem 4g",
	.grant = GRANT_READ,
	.params = explain_params,
	.result = explain_result,
	.run = run_explain,
};
const struct op op_profile_diff = {
	.name = "profile diff",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROFILE_DIFF,
	.no_tool = "a name may be a file of the host",
	.method = "profile.diff",
	.summary = "Show the differences between two profiles",
	.about = "Compares the values in effect, wherever they are set.",
	.example = "aisbx profile diff strict python\naisbx profile diff dev ./mine.yaml",
	.grant = GRANT_READ,
	.params = diff_params,
	.result = diff_result,
	.run = run_diff,
};
