/* SPDX-License-Identifier: Apache-2.0 */
/* Index and manifest: which documents and layers an image is made of. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "image/oci.h"
#include "image/oci_inside.h"
#include "image/wire.h"

static void drop_json(json_t **it)
{
	json_decref(*it);
}

int oci_descriptors(const json_t *list, size_t most, const char *what, struct oci_descriptor **ret,
		    size_t *ret_n, struct aisbx_error *e)
{
	size_t n = json_array_size(list);
	struct oci_descriptor *items;
	int r = 0;

	if (!json_is_array(list))
		return oci_refuse(e, what, "is in no list");
	if (n > most)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
				    "the image names %zu times %s; at most %zu are taken", n, what, most);
	items = calloc(n ? n : 1, sizeof(*items));
	if (!items)
		return oci_no_memory(e);
	*ret = items; /* the caller finishes what is there, also after a failure */
	for (size_t i = 0; r == 0 && i < n; i++) {
		r = oci_descriptor_read(json_array_get(list, i), what, &items[i], e);
		*ret_n = i + (r == 0);
	}
	return r;
}

static void finish_all(struct oci_descriptor *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		oci_descriptor_finish(&items[i]);
	free(items);
}

int oci_same_type(const json_t *document, const char *media_type, const char *what, struct aisbx_error *e)
{
	const json_t *own = json_object_get(document, "mediaType");

	if (own && !json_is_string(own))
		return oci_refuse(e, what, "has no valid media type");
	if (own && media_type && *media_type && strcmp(json_string_value(own), media_type) != 0)
		return oci_refuse(e, what, "says it is something else than what names it says");
	return 0;
}

/* The number of the schema; 1 has no digests that could be verified. */
static int check_schema(const json_t *document, const char *what, struct aisbx_error *e)
{
	const json_t *schema = json_object_get(document, "schemaVersion");

	if (json_is_integer(schema) && json_integer_value(schema) == 1)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
			"the image has a manifest of schema 1, which is obsolete and cannot be verified; "
			"push it again with a current tool");
	if (!json_is_integer(schema) || json_integer_value(schema) != 2)
		return oci_refuse(e, what, "has no schema version 2");
	return 0;
}

void oci_index_finish(struct oci_index *x)
{
	finish_all(x->items, x->n);
	*x = (struct oci_index){ 0 };
}

int oci_index_read(const char *text, size_t len, const char *media_type, struct oci_index *ret,
		   struct aisbx_error *e)
{
	static const char what[] = "an index";
	scoped(drop_json) json_t *document = NULL;
	scoped(oci_index_finish) struct oci_index x = { 0 };
	const char *own;
	int r = oci_json(text, len, what, &document, e);

	if (r == 0)
		r = check_schema(document, what, e);
	if (r == 0)
		r = oci_same_type(document, media_type, what, e);
	if (r < 0)
		return r;
	own = json_string_value(json_object_get(document, "mediaType"));
	if ((own && oci_kind_of(own) != OCI_KIND_INDEX) || json_object_get(document, "layers") ||
	    json_object_get(document, "config"))
		return oci_refuse(e, what, "is a manifest as well: nobody can tell what is meant");
	r = oci_descriptors(json_object_get(document, "manifests"), OCI_MAX_INDEX, "an entry of an index",
			    &x.items, &x.n, e);
	if (r < 0)
		return r;
	*ret = x;
	x = (struct oci_index){ 0 };
	return 0;
}

/* Entries that only describe others: their platform is "unknown". */
static bool is_image(const struct oci_descriptor *d)
{
	enum oci_kind kind = oci_kind_of(d->media_type);

	return (kind == OCI_KIND_MANIFEST || kind == OCI_KIND_INDEX || !*d->media_type) &&
	       !(d->platform.os && !strcmp(d->platform.os, "unknown")) &&
	       !oci_annotation(d, "vnd.docker.reference.type");
}

static int refuse_choice(const struct oci_index *x, const char *platform, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf there = { 0 };

	for (size_t i = 0; i < x->n && there.len < 200; i++) {
		const struct oci_platform *p = &x->items[i].platform;

		if (is_image(&x->items[i]) && p->os && p->architecture)
			buf_addf(&there, "%s%.20s/%.20s%s%.20s", there.len ? ", " : "", p->os,
				 p->architecture, p->variant ? "/" : "", p->variant ? p->variant : "");
	}
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
			    "the image is not there for %.64s; it is there for: %s", platform,
			    there.len ? buf_str(&there) : "nothing");
}

int oci_index_choose(const struct oci_index *x, const char *platform, const struct oci_descriptor **ret,
		     struct aisbx_error *e)
{
	struct oci_platform want;
	const struct oci_descriptor *best = NULL, *silent = NULL;
	unsigned int best_fit = 0;
	size_t n_images = 0;
	int r;

	platform = platform && *platform ? platform : oci_platform_here();
	r = oci_platform_parse(platform, &want, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < x->n; i++) {
		const struct oci_descriptor *d = &x->items[i];
		unsigned int fit = is_image(d) ? oci_platform_fits(&d->platform, &want) : 0;

		n_images += is_image(d);
		if (is_image(d) && !d->platform.os && !d->platform.architecture)
			silent = d;
		if (fit > best_fit) {
			best_fit = fit;
			best = d;
		}
	}
	oci_platform_finish(&want);
	if (!best && n_images == 1) /* its config says what it is for */
		best = silent;
	if (!best)
		return refuse_choice(x, platform, e);
	*ret = best;
	return 0;
}

void oci_manifest_finish(struct oci_manifest *m)
{
	free(m->media_type);
	oci_descriptor_finish(&m->config);
	finish_all(m->layers, m->n_layers);
	*m = (struct oci_manifest){ 0 };
}

/* A layer that comes twice must be the same in all that is said of it, and small: builders repeat empty
 * layers, and a large one that is repeated is there to fill a disk. */
static int check_repeats(const struct oci_manifest *m, struct aisbx_error *e)
{
	for (size_t i = 0; i < m->n_layers; i++) {
		const struct oci_descriptor *a = &m->layers[i];

		if (!strcmp(a->digest, m->config.digest))
			return oci_refuse(e, "a layer", "is its config as well");
		for (size_t k = 0; k < i; k++) {
			const struct oci_descriptor *b = &m->layers[k];

			if (strcmp(a->digest, b->digest) != 0)
				continue;
			if (a->size != b->size || strcmp(a->media_type, b->media_type) != 0)
				return oci_refuse(e, "a layer", "is named twice and differently");
			if (a->size > OCI_MAX_TWICE)
				return oci_refuse(e, "a layer", "is named twice");
		}
	}
	return 0;
}

static int check_types(const struct oci_manifest *m, struct aisbx_error *e)
{
	if (oci_kind_of(m->config.media_type) != OCI_KIND_CONFIG)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "this is no image of a file system: its config is '%.100s'",
				    m->config.media_type);
	if (m->config.size > IMAGE_MAX_JSON)
		return oci_refuse(e, "a config", "is larger than 4 MiB");
	for (size_t i = 0; i < m->n_layers; i++)
		if (!oci_kind_is_layer(oci_kind_of(m->layers[i].media_type)))
			return aisbx_refuse(
				e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				"the image has a layer of the type '%.100s', which aisbx cannot unpack",
				m->layers[i].media_type);
	return check_repeats(m, e);
}

static int add_sizes(struct oci_manifest *m, struct aisbx_error *e)
{
	m->size = m->config.size;
	for (size_t i = 0; i < m->n_layers; i++)
		if (__builtin_add_overflow(m->size, m->layers[i].size, &m->size) || m->size > INT64_MAX)
			return oci_refuse(e, "layers", "are too large");
	return 0;
}

static int read_manifest(const json_t *document, struct oci_manifest *ret, struct aisbx_error *e)
{
	static const char what[] = "a manifest";
	const char *own = json_string_value(json_object_get(document, "mediaType"));
	int r = check_schema(document, what, e);

	if (r < 0)
		return r;
	if ((own && oci_kind_of(own) != OCI_KIND_MANIFEST) || json_object_get(document, "manifests") ||
	    json_object_get(document, "fsLayers"))
		return oci_refuse(e, what, "is an index as well: nobody can tell what is meant");
	ret->media_type = strdup(own ? own : OCI_MANIFEST);
	if (!ret->media_type)
		return oci_no_memory(e);
	r = oci_descriptor_read(json_object_get(document, "config"), "a config", &ret->config, e);
	if (r == 0)
		r = oci_descriptors(json_object_get(document, "layers"), IMAGE_MAX_LAYERS, "a layer",
				    &ret->layers, &ret->n_layers, e);
	return r == 0 ? add_sizes(ret, e) : r;
}

int oci_artifact_read(const char *text, size_t len, struct oci_manifest *ret, struct aisbx_error *e)
{
	scoped(drop_json) json_t *document = NULL;
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	int r = oci_json(text, len, "a manifest", &document, e);

	if (r == 0)
		r = read_manifest(document, &m, e);
	if (r < 0)
		return r;
	*ret = m;
	m = (struct oci_manifest){ 0 };
	return 0;
}

int oci_manifest_read(const char *text, size_t len, const char *media_type, struct oci_manifest *ret,
		      struct aisbx_error *e)
{
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	int r = oci_artifact_read(text, len, &m, e);

	if (r == 0 && media_type && *media_type && strcmp(m.media_type, media_type) != 0)
		r = oci_refuse(e, "a manifest", "says it is something else than what names it says");
	if (r == 0)
		r = check_types(&m, e);
	if (r < 0)
		return r;
	*ret = m;
	m = (struct oci_manifest){ 0 };
	return 0;
}
