/* SPDX-License-Identifier: Apache-2.0 */
/* From settings to a config, from layers to a manifest. */
#include "helpers/image/compose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"
#include "image/oci.h"
#include "image/wire.h"

struct draft {
	struct oci_manifest manifest;
	struct oci_config config;
};

static void draft_finish(struct draft *d)
{
	oci_manifest_finish(&d->manifest);
	oci_config_finish(&d->config);
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make an image");
}

static int invalid(struct aisbx_error *e, const char *key)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "the settings of the image have an invalid '%s'", key);
}

/* Docker's names of the same things become OCI's. */
static int own_media_types(struct draft *d, struct aisbx_error *e)
{
	static const char *const names[] = { [OCI_KIND_LAYER] = OCI_LAYER,
					     [OCI_KIND_LAYER_GZIP] = OCI_LAYER_GZIP,
					     [OCI_KIND_LAYER_ZSTD] = OCI_LAYER_ZSTD };

	free(d->manifest.media_type);
	d->manifest.media_type = strdup(OCI_MANIFEST);
	for (size_t i = 0; i < d->manifest.n_layers; i++) {
		enum oci_kind kind = oci_kind_of(d->manifest.layers[i].media_type);
		char *name = oci_kind_is_layer(kind) ? strdup(names[kind]) : NULL;

		if (!name)
			return no_memory(e);
		free(d->manifest.layers[i].media_type);
		d->manifest.layers[i].media_type = name;
	}
	return d->manifest.media_type ? 0 : no_memory(e);
}

static int read_parent(const struct blobs *b, const char *parent, struct draft *d, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf manifest = { 0 };
	scoped(buf_finish) struct buf config = { 0 };
	int r = blobs_read(b, parent, &manifest, e);

	if (r == 0)
		r = oci_manifest_read(manifest.data, manifest.len, NULL, &d->manifest, e);
	if (r == 0)
		r = blobs_read(b, d->manifest.config.digest, &config, e);
	if (r == 0)
		r = oci_config_read(config.data, config.len, &d->config, e);
	if (r == 0)
		r = oci_agree(&d->manifest, &d->config, e);
	return r < 0 ? aisbx_context(e, "the image below") : 0;
}

static int set_text(const json_t *settings, const char *key, char **at, struct aisbx_error *e)
{
	const json_t *value = json_object_get(settings, key);
	char *copy;

	if (!value || json_is_null(value))
		return 0;
	if (!json_is_string(value))
		return invalid(e, key);
	copy = strdup(json_string_value(value));
	if (!copy)
		return no_memory(e);
	free(*at);
	*at = copy;
	return 0;
}

static int set_list(const json_t *settings, const char *key, struct strlist *at, struct aisbx_error *e)
{
	const json_t *value = json_object_get(settings, key);

	if (!value || json_is_null(value))
		return 0;
	if (!json_is_array(value) || json_array_size(value) > OCI_MAX_STRINGS)
		return invalid(e, key);
	strlist_finish(at);
	*at = (struct strlist){ 0 };
	for (size_t i = 0; i < json_array_size(value); i++) {
		const char *text = json_string_value(json_array_get(value, i));

		if (!text)
			return invalid(e, key);
		strlist_add(at, text);
	}
	return at->failed ? no_memory(e) : 0;
}

static int add_labels(const json_t *settings, struct oci_config *c, struct aisbx_error *e)
{
	json_t *labels = json_object_get(settings, "labels"), *all, *value;
	const char *name;

	if (!labels || json_is_null(labels))
		return 0;
	if (!json_is_object(labels) || json_object_size(labels) > OCI_MAX_STRINGS)
		return invalid(e, "labels");
	json_object_foreach(labels, name, value)
	{
		if (!json_is_string(value))
			return invalid(e, "labels");
	}
	all = c->labels ? json_copy(c->labels) : json_object();
	if (!all || json_object_update(all, labels) < 0) {
		json_decref(all);
		return no_memory(e);
	}
	json_decref(c->labels);
	c->labels = all;
	return 0;
}

/* Seconds since 1970 as the text that a config has. Without it there is none. */
static int set_created(const json_t *settings, struct oci_config *c, struct aisbx_error *e)
{
	const json_t *value = json_object_get(settings, "created");
	time_t seconds;
	struct tm tm;
	char text[64];

	free(c->created);
	c->created = NULL;
	if (!value || json_is_null(value))
		return 0;
	seconds = (time_t)json_integer_value(value);
	if (!json_is_integer(value) || seconds < 0 || seconds > 253402300799 || !gmtime_r(&seconds, &tm))
		return invalid(e, "created");
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	c->created = strdup(text);
	return c->created ? 0 : no_memory(e);
}

static int set_platform(const json_t *settings, struct oci_config *c, struct aisbx_error *e)
{
	const char *text = json_string_value(json_object_get(settings, "platform"));

	if (!text && c->platform.os)
		return 0;
	oci_platform_finish(&c->platform);
	c->platform = (struct oci_platform){ 0 };
	return oci_platform_parse(text ? text : oci_platform_here(), &c->platform, e);
}

static int apply(const json_t *settings, struct oci_config *c, struct aisbx_error *e)
{
	int r = set_list(settings, "entrypoint", &c->entrypoint, e);

	r = r < 0 ? r : set_list(settings, "cmd", &c->cmd, e);
	r = r < 0 ? r : set_list(settings, "env", &c->env, e);
	r = r < 0 ? r : set_text(settings, "user", &c->user, e);
	r = r < 0 ? r : set_text(settings, "workdir", &c->working_dir, e);
	r = r < 0 ? r : add_labels(settings, c, e);
	r = r < 0 ? r : set_created(settings, c, e);
	return r < 0 ? r : set_platform(settings, c, e);
}

static int add_layers(const struct fetched_layer *layers, size_t n, struct draft *d, struct aisbx_error *e)
{
	struct oci_manifest *m = &d->manifest;
	struct oci_descriptor *grown;

	if (m->n_layers + n > IMAGE_MAX_LAYERS)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
				    "the image would have %zu layers; at most %u are possible",
				    m->n_layers + n, IMAGE_MAX_LAYERS);
	grown = realloc(m->layers, (m->n_layers + n + 1) * sizeof(*grown));
	if (!grown)
		return no_memory(e);
	m->layers = grown;
	for (size_t i = 0; i < n; i++) {
		struct oci_descriptor *to = &m->layers[m->n_layers];

		*to = (struct oci_descriptor){ .media_type = strdup(layers[i].media_type),
					       .size = layers[i].size };
		if (!to->media_type)
			return no_memory(e);
		memcpy(to->digest, layers[i].digest, sizeof(to->digest));
		strlist_add(&d->config.diff_ids, layers[i].diff_id);
		m->n_layers++;
	}
	return d->config.diff_ids.failed ? no_memory(e) : 0;
}

/* TEXT is freed. */
static int add_text(struct blobs *b, char *text, char ret_digest[DIGEST_CAP], uint64_t *ret_size,
		    struct aisbx_error *e)
{
	int r;

	if (!text)
		return no_memory(e);
	*ret_size = strlen(text);
	r = *ret_size > IMAGE_MAX_JSON ? aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
						      "the settings of the image are too long")
				       : blobs_add(b, text, strlen(text), ret_digest, e);
	free(text);
	return r;
}

int compose_image(struct blobs *b, const char *parent, const struct fetched_layer *layers, size_t n,
		  const json_t *settings, char ret_manifest[DIGEST_CAP], struct aisbx_error *e)
{
	scoped(draft_finish) struct draft d = { 0 };
	struct oci_descriptor *config = &d.manifest.config;
	uint64_t size;
	int r = parent ? read_parent(b, parent, &d, e) : 0;

	if (r == 0)
		r = own_media_types(&d, e);
	if (r == 0)
		r = apply(settings, &d.config, e);
	if (r == 0)
		r = add_layers(layers, n, &d, e);
	if (r < 0)
		return r;
	oci_descriptor_finish(config);
	*config = (struct oci_descriptor){ .media_type = strdup(OCI_CONFIG) };
	if (!config->media_type)
		return no_memory(e);
	r = add_text(b, oci_config_write(&d.config), config->digest, &config->size, e);
	return r < 0 ? r : add_text(b, oci_manifest_write(&d.manifest), ret_manifest, &size, e);
}
