/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a fetch, read from the blobs themselves. */
#include "helpers/image/fetched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

void fetched_finish(struct fetched *f)
{
	free(f->layers);
	*f = (struct fetched){ 0 };
}

/* The word that unpacking goes by, whoever's word the manifest uses. */
static const char *layer_type(const char *media_type)
{
	switch (oci_kind_of(media_type)) {
	case OCI_KIND_LAYER:
		return OCI_LAYER;
	case OCI_KIND_LAYER_ZSTD:
		return OCI_LAYER_ZSTD;
	case OCI_KIND_LAYER_GZIP:
	case OCI_KIND_CONFIG:
	case OCI_KIND_INDEX:
	case OCI_KIND_MANIFEST:
	case OCI_KIND_OTHER:
		break;
	}
	return OCI_LAYER_GZIP;
}

/* What an image is for is said by its config; one that says nothing is for anybody. */
static int check_platform(const struct oci_config *c, const char *platform, struct aisbx_error *e)
{
	scoped(oci_platform_finish) struct oci_platform want = { 0 };
	const char *os = c->platform.os ? c->platform.os : "";
	const char *architecture = c->platform.architecture ? c->platform.architecture : "";
	int r;

	if (*os && strcmp(os, "linux") != 0)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "the image is for %.40s; aisbx runs images for linux", os);
	if (!platform || !*platform || !*os || !*architecture)
		return 0;
	r = oci_platform_parse(platform, &want, e);
	if (r < 0)
		return r;
	if (strcmp(os, want.os) != 0 || strcmp(architecture, want.architecture) != 0)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "the image is for %.40s/%.40s, not for %.64s", os, architecture,
				    platform);
	return 0;
}

static int take_layers(const struct blobs *b, const struct oci_manifest *m, const struct oci_config *c,
		       struct fetched *f, struct aisbx_error *e)
{
	f->layers = calloc(m->n_layers ? m->n_layers : 1, sizeof(*f->layers));
	if (!f->layers)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read an image");
	for (size_t i = 0; i < m->n_layers; i++) {
		struct fetched_layer *l = &f->layers[i];
		uint64_t size = 0;

		l->there = blobs_has(b, m->layers[i].digest, &size);
		if (!l->there && b->may_lack)
			size = m->layers[i].size;
		else if (!l->there)
			return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
					    "the layer %s of the image is missing", m->layers[i].digest);
		if (size != m->layers[i].size)
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				"the layer %s has %llu bytes, not those %llu that the manifest says",
				m->layers[i].digest, (unsigned long long)size,
				(unsigned long long)m->layers[i].size);
		memcpy(l->digest, m->layers[i].digest, DIGEST_CAP);
		memcpy(l->diff_id, c->diff_ids.items[i], DIGEST_CAP);
		l->media_type = layer_type(m->layers[i].media_type);
		l->size = size;
	}
	f->n_layers = m->n_layers;
	return 0;
}

int fetched_from_blobs(const struct blobs *b, const char *manifest, const char *platform, struct fetched *ret,
		       struct aisbx_error *e)
{
	scoped(buf_finish) struct buf manifest_text = { 0 };
	scoped(buf_finish) struct buf config_text = { 0 };
	scoped(oci_manifest_finish) struct oci_manifest m = { 0 };
	scoped(oci_config_finish) struct oci_config c = { 0 };
	scoped(fetched_finish) struct fetched f = { 0 };
	int r = blobs_read(b, manifest, &manifest_text, e);

	if (r == 0)
		r = oci_manifest_read(buf_str(&manifest_text), manifest_text.len, NULL, &m, e);
	if (r == 0)
		r = blobs_read(b, m.config.digest, &config_text, e);
	if (r == 0 && config_text.len != m.config.size)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EBADMSG,
				 "the config of the image has another size than the manifest says");
	if (r == 0)
		r = oci_config_read(buf_str(&config_text), config_text.len, &c, e);
	if (r == 0)
		r = oci_agree(&m, &c, e);
	if (r == 0)
		r = check_platform(&c, platform, e);
	if (r == 0)
		r = take_layers(b, &m, &c, &f, e);
	if (r < 0)
		return r;
	memcpy(f.manifest, manifest, DIGEST_CAP);
	memcpy(f.config, m.config.digest, DIGEST_CAP);
	f.size = m.size + manifest_text.len;
	if (b->max_bytes && f.size > b->max_bytes)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the image has %llu bytes; %llu are allowed", (unsigned long long)f.size,
				    (unsigned long long)b->max_bytes);
	*ret = f;
	f = (struct fetched){ 0 };
	return 0;
}

json_t *fetched_json(const struct fetched *f)
{
	json_t *layers = json_array();

	for (size_t i = 0; i < f->n_layers; i++)
		json_array_append_new(layers,
				      json_pack("{s:s,s:s,s:s,s:I}", "digest", f->layers[i].digest, "diff_id",
						f->layers[i].diff_id, "media_type", f->layers[i].media_type,
						"size", (json_int_t)f->layers[i].size));
	return json_pack("{s:s,s:s,s:o,s:I}", "manifest", f->manifest, "config", f->config, "layers", layers,
			 "size", (json_int_t)f->size);
}
