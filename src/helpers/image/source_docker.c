/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `docker save` writes: manifest.json names a config and layers, by their names in the archive. The
 * layers have no digests there, so a manifest is made for them: the same one for the same archive.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/signature.h"
#include "helpers/image/source.h"
#include "helpers/image/take_layer.h"
#include "image/reference.h"
#include "image/wire.h"

static void drop_json(json_t **it)
{
	json_decref(*it);
}

struct docker_image {
	struct blobs *blobs; /* borrowed */
	const json_t *entry; /* borrowed: of manifest.json */
	struct oci_config config;
	struct strlist names;      /* of layers in the archive, each once */
	struct taken_layer *taken; /* owned: for each name; no digest: not taken yet */
};

static void image_finish(struct docker_image *d)
{
	oci_config_finish(&d->config);
	strlist_finish(&d->names);
	free(d->taken);
}

static int refuse(const char *why, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG, "the archive %s", why);
}

/* manifest.json is a list. */
static int read_list(struct source *s, json_t **ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(buf_finish) struct buf wrapped = { 0 };
	int r = s->document(s, "manifest.json", &text, e);

	if (r < 0)
		return r == -ENOENT ? aisbx_hint(e, "is this what `docker save` writes?") : r;
	buf_addf(&wrapped, "{\"list\":%s}", buf_str(&text));
	if (!buf_str(&wrapped))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive");
	return oci_json(wrapped.data, wrapped.len, "a manifest.json", ret, e);
}

static bool is_named(const json_t *entry, const char *name)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(reference_finish) struct reference want = { 0 };
	scoped(drop_mem) char *full = NULL;
	const json_t *tags = json_object_get(entry, "RepoTags");

	if (reference_parse(name, &want, &ignored) < 0 || !(full = reference_full(&want)))
		return false;
	for (size_t i = 0; i < json_array_size(tags); i++) {
		const char *tag = json_string_value(json_array_get(tags, i));
		scoped(reference_finish) struct reference has = { 0 };
		scoped(drop_mem) char *other = NULL;

		if (tag && reference_parse(tag, &has, &ignored) == 0 && (other = reference_full(&has)) &&
		    !strcmp(other, full))
			return true;
	}
	return false;
}

static int choose(const json_t *list, const char *name, const json_t **ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf there = { 0 };
	size_t n = 0;

	if (!json_is_array(list) || json_array_size(list) > OCI_MAX_INDEX)
		return refuse("has a manifest.json that is no list, or too long", e);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *entry = json_array_get(list, i);
		const char *tag = json_string_value(json_array_get(json_object_get(entry, "RepoTags"), 0));

		if (there.len < 250)
			buf_addf(&there, "%s%.80s", there.len ? ", " : "",
				 tag && oci_is_plain(tag) ? tag : "one without a name");
		if (name && !is_named(entry, name))
			continue;
		*ret = entry;
		n++;
	}
	if (n == 1)
		return 0;
	if (!n)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "there is no image '%.100s' in it; there are: %s", name ? name : "",
				    there.len ? buf_str(&there) : "none");
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
			    "there is not just one image in it; write :NAME after its path, one of: %s",
			    buf_str(&there));
}

/* The config, as it is: its digest is the image's id. */
static int read_config(struct source *s, struct docker_image *d, struct oci_descriptor *ret,
		       struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	const char *name = json_string_value(json_object_get(d->entry, "Config"));
	char digest[DIGEST_CAP];
	int r;

	if (!name)
		return refuse("has a manifest.json without a config", e);
	r = s->document(s, source_archive_target(s, name), &text, e);
	if (r == 0)
		r = oci_config_read(buf_str(&text), text.len, &d->config, e);
	if (r < 0)
		return r;
	digest_of(text.data, text.len, digest);
	/* Its name is its digest, in all versions of docker; other tools may name it otherwise. */
	if (!strncmp(name, "blobs/sha256/", 13) && strcmp(name + 13, digest_hex(digest)) != 0)
		return refuse("has a config with other content than its digest says", e);
	memcpy(ret->digest, digest, DIGEST_CAP);
	ret->size = text.len;
	ret->media_type = strdup(OCI_CONFIG);
	if (!ret->media_type)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive");
	return blobs_add(d->blobs, text.data, text.len, digest, e);
}

static int take(void *ctx, size_t index, struct stream *from, struct aisbx_error *e)
{
	struct docker_image *d = ctx;

	return take_layer(d->blobs, from, d->names.items[index], false, &d->taken[index], e);
}

static int read_layers(struct source *s, struct docker_image *d, struct aisbx_error *e)
{
	const json_t *layers = json_object_get(d->entry, "Layers");

	if (!json_is_array(layers) || json_array_size(layers) != d->config.diff_ids.n)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				    "the archive has a manifest.json of %zu layers and a config of %zu",
				    json_array_size(layers), d->config.diff_ids.n);
	d->taken = calloc(d->config.diff_ids.n + 1, sizeof(*d->taken));
	for (size_t i = 0; d->taken && i < d->config.diff_ids.n; i++) {
		const char *name = json_string_value(json_array_get(layers, i));

		if (!name)
			return refuse("has a manifest.json whose layers are no names", e);
		name = source_archive_target(s, name);
		if (!strlist_has(&d->names, name))
			strlist_add(&d->names, name);
	}
	if (!d->taken || d->names.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive");
	return d->names.n ? s->each(s, &d->names, take, d, e) : 0;
}

static const struct taken_layer *taken(struct source *s, const struct docker_image *d, size_t i)
{
	const char *name = json_string_value(json_array_get(json_object_get(d->entry, "Layers"), i));

	name = source_archive_target(s, name);
	for (size_t k = 0; k < d->names.n; k++)
		if (!strcmp(d->names.items[k], name) && *d->taken[k].digest)
			return &d->taken[k];
	return NULL;
}

static int make_manifest(struct source *s, const struct docker_image *d, struct oci_manifest *m,
			 struct aisbx_error *e)
{
	m->layers = calloc(d->config.diff_ids.n + 1, sizeof(*m->layers));
	if (!m->layers)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive");
	for (size_t i = 0; i < d->config.diff_ids.n; i++) {
		const struct taken_layer *t = taken(s, d, i);

		if (!t)
			return refuse("lacks one of the layers that it names", e);
		if (*t->diff_id && strcmp(t->diff_id, d->config.diff_ids.items[i]) != 0)
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				"layer %zu of the archive is %s, not %s as the config says: the image is "
				"not taken",
				i + 1, t->diff_id, d->config.diff_ids.items[i]);
		memcpy(m->layers[i].digest, t->digest, DIGEST_CAP);
		m->layers[i].size = t->size;
		m->layers[i].media_type = strdup(t->media_type);
		m->n_layers = i + 1;
		if (!m->layers[i].media_type)
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive");
	}
	return 0;
}

int source_docker_archive(const struct fetch *f, char ret_manifest[DIGEST_CAP], struct aisbx_error *e)
{
	scoped(source_close) struct source *s = NULL;
	scoped(drop_json) json_t *document = NULL;
	scoped(image_finish) struct docker_image d = { .blobs = f->blobs };
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	scoped(drop_mem) char *text = NULL;
	int r;

	if (signature_wanted(f->keys)) /* the manifest that somebody signed is not in it */
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EKEYREJECTED,
			"the policy asks for a signature, and an archive of `docker save` has none; pull "
			"the image from its registry, or use an OCI layout");
	r = source_open_archive(f->path, &s, e);
	if (r == 0)
		r = read_list(s, &document, e);
	if (r == 0)
		r = choose(json_object_get(document, "list"), f->name, &d.entry, e);
	if (r == 0)
		r = read_config(s, &d, &m.config, e);
	if (r == 0)
		r = read_layers(s, &d, e);
	if (r == 0)
		r = make_manifest(s, &d, &m, e);
	if (r < 0)
		return r;
	text = oci_manifest_write(&m);
	if (!text)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an archive");
	return blobs_add(f->blobs, text, strlen(text), ret_manifest, e);
}
