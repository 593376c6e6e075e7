/* SPDX-License-Identifier: Apache-2.0 */
/* The operations `template save`, `template ls` and `template rm`. */
#include "op/template.h"

#include "base/scope.h"
#include "base/value.h"

static json_t *text_or_null(const char *text)
{
	return text && *text ? json_string(text) : json_null();
}

static json_t *pulled_json(const struct template_pulled *p)
{
	if (!p->reference)
		return json_null();
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "reference", p->reference, "digest", p->digest,
			 "profile", text_or_null(p->profile), "net", value_list_json(&p->net), "recipe",
			 text_or_null(p->recipe), "lock", text_or_null(p->lock));
}

json_t *op_template_json(const struct box_template *t)
{
	char name[BOX_KEY_MAX + 1];
	json_t *j;

	box_template_told_as(t, name);
	j = json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:I}", "name", name, "owner",
		      text_or_null(t->row.owner), "profile", t->row.profile, "image",
		      text_or_null(t->row.image), "project", text_or_null(t->row.project), "net",
		      value_list_json(&t->net), "created_ms", (json_int_t)t->row.created_ms);
	json_object_set_new(j, "expires_ms",
			    t->expires_ms ? json_integer((json_int_t)t->expires_ms) : json_null());
	json_object_set_new(j, "shared", json_boolean(t->shared));
	json_object_set_new(j, "recipe", text_or_null(t->row.recipe));
	json_object_set_new(j, "pulled", pulled_json(&t->pulled));
	return j;
}

static int save_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_template_finish) struct box_template made = { 0 };
	struct box_template_request req = { .from = op_text(args, "box"),
					    .name = op_text(args, "name"),
					    .with_project = op_flag(args, "with-project"),
					    .shared = op_flag(args, "shared"),
					    .replace = op_flag(args, "replace") };
	int r;

	(void)ctx;
	value_ms(json_object_get(args, "ttl"), &req.ttl_ms);
	r = box_template_save(&req, &made, e);
	if (r == 0)
		*ret_result = op_template_json(&made);
	return r;
}

static int ls_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	struct box_template *list = NULL;
	json_t *templates;
	size_t n = 0;
	int r = box_state_open(&state, e);

	(void)ctx, (void)args;
	if (r == 0)
		r = box_template_list(&state, &list, &n, e);
	if (r < 0)
		return r;
	templates = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(templates, op_template_json(&list[i]));
	box_template_list_finish(list, n);
	*ret_result = json_pack("{s:o}", "templates", templates);
	return 0;
}

static int rm_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	const char *name = op_text(args, "template");
	int r = box_state_open(&state, e);

	(void)ctx;
	if (r == 0)
		r = box_template_remove(&state, name, e);
	if (r == 0)
		*ret_result = json_pack("{s:s}", "name", name);
	return r;
}

static const struct op_param save_params[] = {
	{ "with-project", 0, OP_FLAG, 0, NULL,
	  "also keep the box's changes of its project; the template is for that project only, then" },
	{ "shared", 0, OP_FLAG, 0, NULL, "sessions of agents may use it, too; a person can use all" },
	{ "ttl", 0, OP_DURATION, 0, "TIME",
	  "lifetime: after it the template cannot be used, and gc removes it" },
	{ "replace", 0, OP_FLAG, 0, NULL, "instead of a template of that name; its boxes stay as they are" },
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX[@SNAPSHOT]",
	  "box that is ready to be used" },
	{ "name", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "NAME", "name of the template" },
	{ .name = NULL },
};

static const struct op_field save_result[] = {
	TEMPLATE_FIELDS(""),
	{ NULL, NULL, NULL },
};

const struct op op_template_save = {
	.name = "template save",
	.group = GROUP_BOXES,
	.view = VIEW_NAMES,
	.method = "template.save",
	.summary = "Keep a prepared box under a name, to make others from",
	.about = "A template has what the box changed of the system and of its home: installed packages,\n"
		 "data, warm caches. It also has its profile, network rules and image, but no secrets.\n"
		 "'aisbx create --from NAME' makes a box from it in milliseconds, for any project. The\n"
		 "template stays when the box is changed or removed.\n\n"
		 "What the box changed in its project is not part of the template: those changes are for\n"
		 "'aisbx promote'. With --with-project they are, and the template can be used for that\n"
		 "project only. Whoever uses a template sees everything in it: do not leave passwords\n"
		 "in the home of the box.",
	.example = "aisbx create prepare --net python-packages\n"
		   "aisbx run --box prepare -- pip install --user requests\n"
		   "aisbx template save prepare with-requests\n"
		   "aisbx create --from with-requests",
	.grant = GRANT_RUN,
	.params = save_params,
	.result = save_result,
	.run = save_run,
};

static const struct op_param ls_params[] = {
	{ .name = NULL },
};

static const struct op_field ls_result[] = {
	{ "templates", "array", "by name" },
	TEMPLATE_FIELDS("templates[]."),
	{ NULL, NULL, NULL },
};

const struct op op_template_ls = {
	.name = "template ls",
	.group = GROUP_BOXES,
	.view = VIEW_TEMPLATES,
	.method = "template.ls",
	.summary = "List templates",
	.about = "Lists the templates that 'aisbx create --from' can make boxes from.",
	.example = "aisbx template ls",
	.grant = GRANT_READ,
	.params = ls_params,
	.result = ls_result,
	.run = ls_run,
};

static const struct op_param rm_params[] = {
	{ "template", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "TEMPLATE", "name of the template" },
	{ .name = NULL },
};

static const struct op_field rm_result[] = {
	{ "name", "string", "of the removed template" },
	{ NULL, NULL, NULL },
};

const struct op op_template_rm = {
	.name = "template rm",
	.group = GROUP_BOXES,
	.view = VIEW_NOTHING,
	.method = "template.rm",
	.summary = "Remove a template",
	.about = "Removes a template. Boxes that were made from it stay as they are, and so does what they\n"
		 "need of it.",
	.example = "aisbx template rm with-requests",
	.grant = GRANT_RUN,
	.destroys = true,
	.params = rm_params,
	.result = rm_result,
	.run = rm_run,
};
