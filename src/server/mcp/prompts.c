/* SPDX-License-Identifier: Apache-2.0 */
/* The prompts, and completion of their arguments and those of resources. */
#include "server/mcp/prompts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "server/mcp/offer.h"
#include "server/mcp/tools.h"

/* So many a client is given at once. */
#define VALUES_MAX 100

struct argument {
	const char *name, *description;
	const char *preset; /* what stands in its place; NULL: it must be given */
};

struct prompt {
	const char *name, *title, *description;
	struct argument arguments[4]; /* ends with name NULL */
	const char *text;             /* {name}: an argument */
};

static const struct prompt prompts[] = {
	{ .name = "safe-change",
	  .title = "Change the project safely",
	  .description = "Make a change in a sandbox, test it there, show the difference, and promote it "
			 "when asked to",
	  .arguments = { { "task", "the change to make", NULL },
			 { "box", "name for the box", "a short name that fits the task" } },
	  .text = "Make this change to the project, without touching the real files until it works: "
		  "{task}\n\n"
		  "1. Make a box with sandbox_create (name: {box}) and do everything in it.\n"
		  "2. Look before you change: sandbox_list_files, sandbox_read_file, and sandbox_run for "
		  "grep and the like.\n"
		  "3. Run the tests first with sandbox_intent (test), so that you know which tests failed "
		  "before your change. Take a sandbox_snapshot called \"start\".\n"
		  "4. Make the change with sandbox_write_file, in small steps, and run the tests after each. "
		  "If a step does not work out, use sandbox_rollback to return to the last good snapshot.\n"
		  "5. Show sandbox_diff and say what you changed and which tests ran.\n"
		  "6. Only when I agree: sandbox_promote with dry_run, then without. If it reports conflicts "
		  "or files that would run code later, stop and ask. sandbox_undo reverts it." },
	{ .name = "try-ideas",
	  .title = "Try several ideas side by side",
	  .description = "Fork a box for each idea, compare them by the same measure, keep the best",
	  .arguments = { { "goal", "what should be better afterwards", NULL },
			 { "count", "how many ideas", "3" },
			 { "measure", "a command whose output shows which is better",
			   "the project's tests and their time" } },
	  .text = "Find the best way to reach this goal: {goal}\n\n"
		  "1. Make a box with sandbox_create and prepare it until the tests run. Measure it: "
		  "{measure}.\n"
		  "2. Think of {count} ways that really differ. Make a box for each with sandbox_fork "
		  "(count: {count}).\n"
		  "3. Implement each in its own box; several calls may run at the same time. Do not mix the "
		  "boxes up.\n"
		  "4. Measure all of them in the same way: {measure}. Discard a box in which tests fail.\n"
		  "5. Compare: for each the measure, the size of sandbox_diff, and its drawbacks. Say which "
		  "you would choose and why.\n"
		  "6. When I agree, sandbox_promote that one, and sandbox_remove the others." },
	{ .name = "investigate",
	  .title = "Find the cause of a problem",
	  .description = "Reproduce a problem in a sandbox and find its cause, without changing real files",
	  .arguments = { { "problem", "the problem and its symptoms", NULL },
			 { "box", "a box to start from", "a new one" } },
	  .text = "Find the cause of this problem: {problem}\n\n"
		  "Work in a box ({box}); nothing you do there changes the real files, so try whatever "
		  "helps.\n"
		  "1. Reproduce it with sandbox_run, with the smallest command that shows it. If you cannot, "
		  "say so and stop.\n"
		  "2. Take a sandbox_snapshot. Form one hypothesis at a time, and test it by an experiment "
		  "that could disprove it; sandbox_rollback between experiments, or sandbox_fork to run "
		  "several at once.\n"
		  "3. Read what results say about limits and refused actions: the sandbox has no network, "
		  "and may be the cause itself.\n"
		  "4. Report the cause, the evidence for it, and the smallest change that would fix it. Do "
		  "not promote anything." },
};

#define N_PROMPTS (sizeof(prompts) / sizeof(prompts[0]))

/* All tools that it names are there. */
static bool can_be_done(const struct prompt *p)
{
	for (const char *at = p->text; (at = strstr(at, "sandbox_"));) {
		size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
		scoped(drop_mem) char *name = strndup(at, n);

		if (!name || !tool_find(name, false))
			return false;
		at += n;
	}
	return true;
}

static const struct prompt *find(const char *name)
{
	for (size_t i = 0; name && i < N_PROMPTS; i++)
		if (!strcmp(prompts[i].name, name) && can_be_done(&prompts[i]))
			return &prompts[i];
	return NULL;
}

json_t *prompts_list(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < N_PROMPTS; i++) {
		json_t *arguments;

		if (!can_be_done(&prompts[i]))
			continue;
		arguments = json_array();
		for (const struct argument *a = prompts[i].arguments; a->name; a++)
			json_array_append_new(arguments,
					      json_pack("{s:s, s:s, s:b}", "name", a->name, "description",
							a->description, "required", !a->preset));
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "name", prompts[i].name,
						      "title", prompts[i].title, "description",
						      prompts[i].description, "arguments", arguments));
	}
	return list;
}

static int no_such(const char *name, struct aisbx_error *e)
{
	const char *names[N_PROMPTS], *near;
	size_t n = 0;

	for (size_t i = 0; i < N_PROMPTS; i++)
		if (can_be_done(&prompts[i]))
			names[n++] = prompts[i].name;
	aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT, "there is no prompt '%.100s'", name);
	near = str_nearest(name, names, n);
	return near ? aisbx_hint(e, "did you mean '%s'?", near) : e->code;
}

static int check(const struct prompt *p, const json_t *arguments, struct aisbx_error *e)
{
	for (const struct argument *a = p->arguments; a->name; a++) {
		const json_t *v = json_object_get(arguments, a->name);

		if (v ? !json_is_string(v) : !a->preset)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "prompt '%s' needs '%s' as text: %s", p->name, a->name,
					    a->description);
	}
	return 0;
}

/* Braces in what was given are only text: it is put in once. */
static void fill(const struct prompt *p, const json_t *arguments, struct buf *out)
{
	const char *at = p->text;

	while (*at) {
		size_t n = strcspn(at, "{"), len = 0;

		buf_add(out, at, n);
		at += n;
		for (const struct argument *a = p->arguments; *at && a->name && !len; a++)
			if (!strncmp(at + 1, a->name, strlen(a->name)) && at[1 + strlen(a->name)] == '}') {
				const char *given = json_string_value(json_object_get(arguments, a->name));

				buf_addf(out, "%s", given && *given ? given : a->preset ? a->preset : "");
				len = strlen(a->name) + 2;
			}
		if (*at && !len) {
			buf_add(out, at, 1);
			len = 1;
		}
		at += len;
	}
}

int prompt_get(const char *name, const json_t *arguments, json_t **ret, struct aisbx_error *e)
{
	const struct prompt *p = find(name);
	scoped(buf_finish) struct buf text = { 0 };
	int r = p ? check(p, arguments, e) : no_such(name, e);

	if (r < 0)
		return r;
	fill(p, arguments, &text);
	if (!buf_str(&text))
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "write the prompt '%s'", name);
	*ret = json_pack("{s:s, s:[{s:s, s:{s:s, s:s%}}]}", "description", p->description, "messages", "role",
			 "user", "content", "type", "text", "text", text.data, text.len);
	return 0;
}

/* Where names come from: an argument, the operation that lists them, and where in its result they are. */
static const struct source {
	const char *argument, *method, *list, *member;
	const char *needs; /* another argument, which the operation takes; NULL: none */
} name_sources[] = {
	{ "box", "box.ls", "boxes", "name", NULL },
	{ "run", "run.history", "runs", "run", NULL },
	{ "snapshot", "box.show", "snapshot_list", "name", "box" },
	{ "artifact", "artifact.ls", "artifacts", "id", NULL },
	{ "path", "file.ls", "entries", "path", "box" },
};

static const struct source *source_of(const json_t *params)
{
	const char *argument =
		json_string_value(json_object_get(json_object_get(params, "argument"), "name"));

	for (size_t i = 0; argument && i < sizeof(name_sources) / sizeof(name_sources[0]); i++)
		if (!strcmp(name_sources[i].argument, argument))
			return &name_sources[i];
	return NULL;
}

/* Whether the ref is of something there is, and has an argument of that name. */
static int check_ref(const json_t *params, struct aisbx_error *e)
{
	const json_t *ref = json_object_get(params, "ref");
	const char *type = json_string_value(json_object_get(ref, "type")),
		   *name = json_string_value(json_object_get(ref, "name"));

	if (!type || !json_is_string(json_object_get(json_object_get(params, "argument"), "name")))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "completion needs 'ref' and 'argument'");
	if (!strcmp(type, "ref/prompt") && !find(name))
		return no_such(name ? name : "", e);
	if (!str_is_one_of(type, "ref/prompt|ref/resource"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'ref' must be a ref/prompt or a ref/resource, not '%.60s'", type);
	return 0;
}

int complete_op(const json_t *params, const struct op **ret_op, json_t **ret_args, struct aisbx_error *e)
{
	const struct source *s = source_of(params);
	const json_t *known = json_object_get(json_object_get(params, "context"), "arguments");
	int r = check_ref(params, e);

	if (r < 0)
		return r;
	*ret_op = s ? op_by_method(s->method) : NULL;
	if (*ret_op && !offer_op(*ret_op))
		*ret_op = NULL;
	if (*ret_op && s->needs && !json_is_string(json_object_get(known, s->needs)))
		*ret_op = NULL; /* of which box? */
	if (!*ret_op)
		return 0;
	*ret_args = json_object();
	if (s->needs)
		json_object_set(*ret_args, s->needs, json_object_get(known, s->needs));
	return 0;
}

json_t *complete_values(const json_t *params, const json_t *result)
{
	const struct source *s = source_of(params);
	const char *begun = json_string_value(json_object_get(json_object_get(params, "argument"), "value"));
	const char *member = s ? s->member : "";
	const json_t *item, *list = s ? json_object_get(result, s->list) : NULL;
	json_t *values = json_array();
	size_t i, n = 0;

	json_array_foreach(list, i, item)
	{
		const char *name = json_string_value(json_object_get(item, member));

		if (!name || (begun && strncmp(name, begun, strlen(begun)) != 0))
			continue;
		if (n++ < VALUES_MAX)
			json_array_append_new(values, json_string(name));
	}
	return json_pack("{s:o, s:I, s:b}", "values", values, "total", (json_int_t)n, "hasMore",
			 n > VALUES_MAX);
}
