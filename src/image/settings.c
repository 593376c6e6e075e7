/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings of an image: https://github.com/opencontainers/image-spec, config.md. */
#include "image/settings.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "image/template_label.h"
#include "image/wire.h"

void image_settings_finish(struct image_settings *s)
{
	strlist_finish(&s->entrypoint);
	strlist_finish(&s->command);
	strlist_finish(&s->env);
	free(s->user);
	free(s->cwd);
	s->user = s->cwd = NULL;
	pseudo_policy_finish(&s->policy);
}

static int refuse(const char *what, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBADMSG,
			    "the config of the image is not valid: '%s' %s", what,
			    "is not what the OCI specification allows");
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read the settings of an image");
}

static int read_words(const json_t *from, const char *name, struct strlist *ret, struct aisbx_error *e)
{
	const json_t *list = json_object_get(from, name), *item;
	size_t i;

	if (!list || json_is_null(list))
		return 0;
	if (!json_is_array(list) || json_array_size(list) > IMAGE_MAX_WORDS)
		return refuse(name, e);
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item) || json_string_length(item) > IMAGE_MAX_WORD)
			return refuse(name, e);
		strlist_add(ret, json_string_value(item));
	}
	return ret->failed ? no_memory(e) : 0;
}

/* "NAME=VALUE"; what has no name is nothing a program could read. */
static int check_env(const struct strlist *env, struct aisbx_error *e)
{
	for (size_t i = 0; i < env->n; i++)
		if (!strchr(env->items[i], '=') || env->items[i][0] == '=')
			return refuse("Env", e);
	return 0;
}

static int read_text(const json_t *from, const char *name, char **ret, struct aisbx_error *e)
{
	const json_t *v = json_object_get(from, name);

	if (v && !json_is_null(v) && (!json_is_string(v) || json_string_length(v) > IMAGE_MAX_WORD))
		return refuse(name, e);
	*ret = strdup(json_is_string(v) ? json_string_value(v) : "");
	return *ret ? 0 : no_memory(e);
}

static int read_cwd(const json_t *from, char **ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = NULL;
	int r = read_text(from, "WorkingDir", &text, e);

	if (r < 0)
		return r;
	*ret = path_resolve("/", *text ? text : ".");
	if (!*ret)
		return no_memory(e);
	return path_is_clean(*ret) ? 0 : refuse("WorkingDir", e);
}

/* What it takes away must not be lost: one that cannot be read is an error. */
static int read_policy(const json_t *from, struct pseudo_policy *ret, struct aisbx_error *e)
{
	const json_t *labels = json_object_get(from, "Labels"),
		     *text = json_object_get(labels, PSEUDO_LABEL_POLICY);

	if (labels && !json_is_object(labels) && !json_is_null(labels))
		return refuse("Labels", e);
	if (!text)
		return 0;
	if (!json_is_string(text))
		return refuse(PSEUDO_LABEL_POLICY, e);
	return pseudo_policy_read(json_string_value(text), json_string_length(text), ret, e);
}

static int read_template(const json_t *from, bool *ret_for_machine, struct aisbx_error *e)
{
	scoped(template_label_finish) struct template_label label = { 0 };
	const json_t *text = json_object_get(json_object_get(from, "Labels"), TEMPLATE_LABEL);
	int r;

	if (!text)
		return 0;
	if (!json_is_string(text))
		return refuse(TEMPLATE_LABEL, e);
	r = template_label_read(json_string_value(text), json_string_length(text), &label, e);
	*ret_for_machine = r == 0 && label.os;
	return r;
}

int image_settings_read(const char *json, struct image_settings *ret, struct aisbx_error *e)
{
	json_error_t why;
	json_t *root = strnlen(json, IMAGE_MAX_JSON + 1) > IMAGE_MAX_JSON
			       ? NULL
			       : json_loads(json, JSON_REJECT_DUPLICATES, &why);
	const json_t *config = json_object_get(root, "config");
	int r = 0;

	if (!json_is_object(root) || (config && !json_is_object(config) && !json_is_null(config)))
		r = refuse("config", e);
	if (r == 0)
		r = read_words(config, "Entrypoint", &ret->entrypoint, e);
	if (r == 0)
		r = read_words(config, "Cmd", &ret->command, e);
	if (r == 0)
		r = read_words(config, "Env", &ret->env, e);
	if (r == 0)
		r = check_env(&ret->env, e);
	if (r == 0)
		r = read_text(config, "User", &ret->user, e);
	if (r == 0)
		r = read_cwd(config, &ret->cwd, e);
	if (r == 0)
		r = read_policy(config, &ret->policy, e);
	if (r == 0)
		r = read_template(config, &ret->for_machine, e);
	json_decref(root);
	return r;
}
