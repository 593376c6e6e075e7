/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `profile ls|show|check|explain|diff`: what profiles there are, what each says, and where it
 * says so. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "op/args.h"
#include "op/profile.h"
#include "policy/seccomp.h"

static const char *text_arg(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

/* The files a profile is made of, itself first. */
static json_t *chain_json(const struct box_profile *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->n_chain; i++)
		json_array_append_new(list, json_string(p->chain[i]->file));
	return list;
}

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	json_t *list = json_array();

	(void)args;
	(void)e;
	box_profile_names(&names);
	for (size_t i = 0; i < names.n; i++) {
		scoped(box_profile_finish) struct box_profile p = { 0 };
		struct aisbx_error wrong = AISBX_ERROR_INIT;

		if (box_profile_load(names.items[i], ctx->by.cwd, &p, &wrong) < 0)
			json_array_append_new(list,
					      json_pack("{s:s, s:n, s:n, s:n, s:s}", "name", names.items[i],
							"about", "file", "extends", "error", wrong.text));
		else
			json_array_append_new(list,
					      json_pack("{s:s, s:s?, s:s, s:s?, s:n}", "name", names.items[i],
							"about", p.chain[0]->about, "file", p.chain[0]->file,
							"extends", profile_base_of(p.chain[0]), "error"));
	}
	*ret_result = json_pack("{s:o}", "profiles", list);
	return 0;
}

static int load(const struct op_context *ctx, const char *ref, struct box_profile *ret, struct aisbx_error *e)
{
	return box_profile_load(ref, ctx->by.cwd, ret, e);
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile p = { 0 };
	const char *from;
	int r = load(ctx, op_profile_ref(ctx, args, NULL, &from), &p, e);

	if (r < 0)
		return r;
	*ret_result = json_pack("{s:s, s:o, s:o}", "name", p.ref, "files", chain_json(&p), "profile",
				op_profile_json(&p));
	return 0;
}

static int run_check(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile p = { 0 };
	scoped(drop_mem) char *path = path_resolve(ctx->by.cwd, text_arg(args, "file"));
	int r = path ? load(ctx, path, &p, e) : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "check a profile");

	if (r < 0)
		return r;
	*ret_result = json_pack("{s:b, s:o, s:o}", "ok", 1, "files", chain_json(&p), "profile",
				op_profile_json(&p));
	return 0;
}

/* The value an option gives to KEY, as a text; NULL: there is none. */
static json_t *option_value(const json_t *args, const char *key)
{
	const json_t *v = json_object_get(args, key);

	if (!strcmp(key, "net") && json_is_true(json_object_get(args, "no-net")))
		return json_string("none");
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

static json_t *explain(const struct box_profile *p, const json_t *args)
{
	json_t *list = json_array();

	for (const struct profile_key *k = profile_keys; k->name; k++) {
		json_t *chosen = option_value(args, k->name);
		bool said = false;

		if (chosen) {
			add_explained(list, k->name, NULL, chosen, json_sprintf("option --%s", k->name), 0);
			continue;
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
	struct profile tried;
	int r = load(ctx, ref, &p, e);

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
			  "files", chain_json(&p), "values", explain(&p, args));
	return 0;
}

/* 1g is 1024m. */
static bool same(const char *key, const json_t *a, const json_t *b)
{
	const struct profile_limit *l = profile_limit_by_name(key);
	uint64_t left, right;

	if (json_equal(a, b))
		return true;
	return l && json_is_string(a) && json_is_string(b) &&
	       profile_unit_read(l->unit, json_string_value(a), &left) &&
	       profile_unit_read(l->unit, json_string_value(b), &right) && left == right;
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
	int r = load(ctx, text_arg(args, "a"), &a, e);

	if (r == 0)
		r = load(ctx, text_arg(args, "b"), &b, e);
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

#define PROFILE_HELP \
	"a name that 'aisbx profile ls' shows, or a file (with a '/'); default: $AISBX_PROFILE, or dev"

static const char *const net_names[] = { "none", "loopback", NULL };
static const struct op_param ls_params[] = { { .name = NULL } };
static const struct op_param show_params[] = {
	{ "profile", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "PROFILE", PROFILE_HELP },
	{ .name = NULL },
};
static const struct op_param check_params[] = {
	{ "file", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "FILE", "the file to read" },
	{ .name = NULL },
};
static const struct op_param explain_params[] = {
	{ "profile", 0, OP_STRING, OP_POSITIONAL, "PROFILE", PROFILE_HELP },
	{ "net", 0, OP_CHOICE, 0, "MODE", "as for run", net_names },
	{ "no-net", 0, OP_FLAG, 0, NULL, "as for run" },
	{ "seccomp", 0, OP_CHOICE, 0, "PRESET", "as for run", seccomp_preset_names },
	OP_LIMIT_PARAMS{ .name = NULL },
};
static const struct op_param diff_params[] = {
	{ "a", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "A", "a name, or a file (with a '/')" },
	{ "b", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "B", "the other" },
	{ .name = NULL },
};

#define FILES_FIELD                                                                                         \
	{                                                                                                   \
		"files", "array",                                                                           \
			"what was read: its own file, then what each extends; shipped:NAME for those that " \
			"come along"                                                                        \
	}

static const struct op_field ls_result[] = {
	{ "profiles", "array",
	  "by name; a person's comes before the system's, and that before the shipped one" },
	{ "profiles[].name", "string", "what --profile takes" },
	{ "profiles[].about", "string|null", "what it is for" },
	{ "profiles[].file", "string|null", "where it is: a path, or shipped:NAME" },
	{ "profiles[].extends", "string|null", "what it stands on" },
	{ "profiles[].error", "string|null", "why it cannot be used" },
	{ NULL, NULL, NULL },
};
static const struct op_field show_result[] = {
	{ "name", "string", "its name, or the path of its file" },
	FILES_FIELD,
	{ "profile", "object", "all that holds, as a file that stands alone would say it" },
	{ NULL, NULL, NULL },
};
static const struct op_field check_result[] = {
	{ "ok", "boolean", "true; what is wrong is told as an error" },
	FILES_FIELD,
	{ "profile", "object", "all that holds, as a file that stands alone would say it" },
	{ NULL, NULL, NULL },
};
static const struct op_field explain_result[] = {
	{ "profile", "string", "its name, or the path of its file" },
	{ "chosen_by", "string", "you, variable AISBX_PROFILE or default" },
	FILES_FIELD,
	{ "values", "array", "every key, with each of its values" },
	{ "values[].key", "string", "as in a file; env.set is the key set below env" },
	{ "values[].name", "string|null", "of a variable or secret; the mode of a mount" },
	{ "values[].value", "string", "what holds" },
	{ "values[].from", "string", "the file that says so, option --NAME, or default" },
	{ "values[].line", "integer|null", "of that file" },
	{ NULL, NULL, NULL },
};
static const struct op_field diff_result[] = {
	{ "a", "string", "the first" },
	{ "b", "string", "the second" },
	{ "differences", "array", "keys whose values are not the same" },
	{ "differences[].key", "string", "as in a file" },
	{ NULL, NULL, NULL },
};

const struct op op_profile_ls = {
	.name = "profile ls",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROFILES,
	.method = "profile.ls",
	.summary = "List the profiles there are",
	.about = "Lists profiles by name: those in ~/.config/aisbx/profiles, in /etc/aisbx/profiles and the "
		 "shipped ones. Of two\n"
		 "with one name the first of these places has the one that is used.",
	.example = "aisbx profile ls",
	.grant = GRANT_READ,
	.params = ls_params,
	.result = ls_result,
	.run = run_ls,
};
const struct op op_profile_show = {
	.name = "profile show",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROFILE,
	.method = "profile.show",
	.summary = "Show all that a profile says, as one file",
	.about = "Prints what holds when the profile is used, with everything it extends, as a file that "
		 "stands alone.",
	.example =
		"aisbx profile show python\naisbx profile show strict > ~/.config/aisbx/profiles/mine.yaml",
	.grant = GRANT_READ,
	.params = show_params,
	.result = show_result,
	.run = run_show,
};
const struct op op_profile_check = {
	.name = "profile check",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROFILE_CHECK,
	.method = "profile.check",
	.summary = "Tell whether a file is a profile that can be used",
	.about = "Reads the file and whatever it extends. What is wrong is told with its line and column and "
		 "what would be right;\n"
		 "the exit status is then 125.",
	.example = "aisbx profile check mine.yaml",
	.grant = GRANT_READ,
	.params = check_params,
	.result = check_result,
	.run = run_check,
};
const struct op op_profile_explain = {
	.name = "profile explain",
	.group = GROUP_SYSTEM,
	.view = VIEW_PROFILE_EXPLAIN,
	.method = "profile.explain",
	.summary = "Tell for each value of a profile where it comes from",
	.about = "Shows every key with what holds, and who says so: a file with its line, an option, or "
		 "nobody (default). Options are\n"
		 "those of run: what would hold for a run with them.",
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
	.summary = "Show in what two profiles differ",
	.about = "Compares what holds with each, wherever it is said.",
	.example = "aisbx profile diff strict python\naisbx profile diff dev ./mine.yaml",
	.grant = GRANT_READ,
	.params = diff_params,
	.result = diff_result,
	.run = run_diff,
};
