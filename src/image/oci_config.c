/* SPDX-License-Identifier: Apache-2.0 */
/* The config of an image: how it wants to be run, and what its layers are unpacked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "image/oci.h"
#include "image/oci_inside.h"
#include "image/wire.h"

static const char a_config[] = "a config";

static void drop_json(json_t **it)
{
	json_decref(*it);
}

void oci_config_finish(struct oci_config *c)
{
	oci_platform_finish(&c->platform);
	strlist_finish(&c->entrypoint);
	strlist_finish(&c->cmd);
	strlist_finish(&c->env);
	strlist_finish(&c->ports);
	strlist_finish(&c->volumes);
	strlist_finish(&c->diff_ids);
	json_decref(c->labels);
	free(c->created);
	free(c->user);
	free(c->working_dir);
	free(c->stop_signal);
	*c = (struct oci_config){ 0 };
}

/* A list of texts; a text alone, as very old tools wrote it, is none. */
static int read_list(const json_t *object, const char *key, struct strlist *ret, struct aisbx_error *e)
{
	const json_t *list = json_object_get(object, key);

	if (!list || json_is_null(list))
		return 0;
	if (!json_is_array(list) || json_array_size(list) > OCI_MAX_STRINGS)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "the image has a config whose '%s' is no list, or a list of more than %u",
				    key, OCI_MAX_STRINGS);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *it = json_array_get(list, i);

		if (!json_is_string(it) || json_string_length(it) > 2 * OCI_MAX_TEXT)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
					    "the image has a config whose '%s' has something else than texts",
					    key);
		strlist_add(ret, json_string_value(it));
	}
	return ret->failed ? oci_no_memory(e) : 0;
}

/* A set, written as an object: {"80/tcp": {}}. */
static int read_keys(const json_t *object, const char *key, struct strlist *ret, struct aisbx_error *e)
{
	json_t *set = json_object_get(object, key), *it;
	const char *name;

	if (!set || json_is_null(set))
		return 0;
	if (!json_is_object(set) || json_object_size(set) > OCI_MAX_STRINGS)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "the image has a config whose '%s' is no object, or too large", key);
	json_object_foreach(set, name, it)
	{
		if (!oci_is_plain(name) || strlen(name) > OCI_MAX_TEXT)
			return oci_refuse(e, a_config, "has names with control characters");
		strlist_add(ret, name);
	}
	return ret->failed ? oci_no_memory(e) : 0;
}

static int read_labels(const json_t *object, struct oci_config *ret, struct aisbx_error *e)
{
	json_t *labels = json_object_get(object, "Labels"), *it;
	const char *name;

	if (!labels || json_is_null(labels))
		return 0;
	if (!json_is_object(labels) || json_object_size(labels) > OCI_MAX_STRINGS)
		return oci_refuse(e, a_config, "has labels that are no object");
	json_object_foreach(labels, name,
			    it) if (!json_is_string(it)) return oci_refuse(e, a_config,
									   "has labels that are no texts");
	ret->labels = json_incref(labels);
	return 0;
}

static int read_variables(const json_t *object, struct oci_config *ret, struct aisbx_error *e)
{
	int r = read_list(object, "Env", &ret->env, e);

	for (size_t i = 0; r == 0 && i < ret->env.n; i++)
		if (*ret->env.items[i] == '=' || !strchr(ret->env.items[i], '='))
			r = oci_refuse(e, a_config, "has a variable without '=' or without a name");
	return r;
}

static int read_run(const json_t *object, struct oci_config *ret, struct aisbx_error *e)
{
	int r;

	if (object && !json_is_null(object) && !json_is_object(object))
		return oci_refuse(e, a_config, "has settings that are no object");
	r = read_list(object, "Entrypoint", &ret->entrypoint, e);
	r = r < 0 ? r : read_list(object, "Cmd", &ret->cmd, e);
	r = r < 0 ? r : read_variables(object, ret, e);
	r = r < 0 ? r : read_keys(object, "ExposedPorts", &ret->ports, e);
	r = r < 0 ? r : read_keys(object, "Volumes", &ret->volumes, e);
	r = r < 0 ? r : read_labels(object, ret, e);
	r = r < 0 ? r : oci_text(object, "User", a_config, &ret->user, e);
	r = r < 0 ? r : oci_text(object, "WorkingDir", a_config, &ret->working_dir, e);
	r = r < 0 ? r : oci_text(object, "StopSignal", a_config, &ret->stop_signal, e);
	if (r == 0 && !ret->user)
		ret->user = strdup("");
	if (r == 0 && !ret->working_dir)
		ret->working_dir = strdup("");
	if (r == 0 && !ret->stop_signal)
		ret->stop_signal = strdup("");
	if (r == 0 && (!ret->user || !ret->working_dir || !ret->stop_signal))
		r = oci_no_memory(e);
	return r;
}

static int read_layers(const json_t *document, struct oci_config *ret, struct aisbx_error *e)
{
	const json_t *rootfs = json_object_get(document, "rootfs");
	const char *type = json_string_value(json_object_get(rootfs, "type"));
	int r;

	if (!json_is_object(rootfs) || (type && strcmp(type, "layers") != 0))
		return oci_refuse(e, a_config, "names no layers (rootfs)");
	r = read_list(rootfs, "diff_ids", &ret->diff_ids, e);
	if (r == 0 && ret->diff_ids.n > IMAGE_MAX_LAYERS)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
				    "the image has %zu layers; at most %u are taken", ret->diff_ids.n,
				    IMAGE_MAX_LAYERS);
	for (size_t i = 0; r == 0 && i < ret->diff_ids.n; i++)
		if (!digest_is_sha256(ret->diff_ids.items[i]))
			r = oci_refuse(e, a_config, "has a diff_id that is no sha256 digest");
	return r;
}

/* History is optional; where it is written, each step that is not marked as empty made one layer. */
static int read_history(const json_t *document, struct oci_config *ret, struct aisbx_error *e)
{
	const json_t *history = json_object_get(document, "history");
	size_t made = 0;

	if (!history || json_is_null(history))
		return 0;
	if (!json_is_array(history) || json_array_size(history) > OCI_MAX_STRINGS)
		return oci_refuse(e, a_config, "has a history that is no list, or too long");
	ret->n_history = json_array_size(history);
	for (size_t i = 0; i < ret->n_history; i++) {
		const json_t *step = json_array_get(history, i);

		if (!json_is_object(step))
			return oci_refuse(e, a_config, "has a history with something else than objects");
		made += !json_is_true(json_object_get(step, "empty_layer"));
	}
	if (ret->n_history && made != ret->diff_ids.n)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
			"the image has a config whose history makes %zu layers while it names %zu", made,
			ret->diff_ids.n);
	return 0;
}

int oci_config_read(const char *text, size_t len, struct oci_config *ret, struct aisbx_error *e)
{
	scoped(drop_json) json_t *document = NULL;
	scoped(oci_config_finish) struct oci_config c = { 0 };
	int r = oci_json(text, len, a_config, &document, e);

	r = r < 0 ? r : oci_text(document, "os", a_config, &c.platform.os, e);
	r = r < 0 ? r : oci_text(document, "architecture", a_config, &c.platform.architecture, e);
	r = r < 0 ? r : oci_text(document, "variant", a_config, &c.platform.variant, e);
	r = r < 0 ? r : oci_text(document, "created", a_config, &c.created, e);
	r = r < 0 ? r : read_run(json_object_get(document, "config"), &c, e);
	r = r < 0 ? r : read_layers(document, &c, e);
	r = r < 0 ? r : read_history(document, &c, e);
	if (r < 0)
		return r;
	*ret = c;
	c = (struct oci_config){ 0 };
	return 0;
}

int oci_agree(const struct oci_manifest *m, const struct oci_config *c, struct aisbx_error *e)
{
	if (m->n_layers != c->diff_ids.n)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "the image has a manifest of %zu layers and a config of %zu", m->n_layers,
				    c->diff_ids.n);
	for (size_t i = 0; i < m->n_layers; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(m->layers[i].digest, m->layers[k].digest) &&
			    strcmp(c->diff_ids.items[i], c->diff_ids.items[k]) != 0)
				return oci_refuse(e, "a layer", "is named twice and differently");
	return 0;
}
