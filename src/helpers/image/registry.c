/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches an image from a registry: its manifest for a platform, its signature if asked, its config, its
 * layers; in this order, so that little is loaded of what will be refused. */
#include "helpers/image/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/remote.h"
#include "helpers/image/signature.h"
#include "helpers/image/transfer.h"
#include "image/wire.h"
#include "sys/confine.h"

struct pull {
	const json_t *request; /* borrowed */
	struct remote remote;
	struct blobs blobs;
	struct oci_descriptor top; /* what the reference stands for */
	struct buf top_text;
	struct oci_descriptor found; /* the manifest for the platform */
	struct buf text;
	struct oci_manifest manifest;
};

static void pull_finish(struct pull *p)
{
	remote_close(&p->remote);
	blobs_close(&p->blobs);
	oci_descriptor_finish(&p->top);
	buf_finish(&p->top_text);
	oci_descriptor_finish(&p->found);
	buf_finish(&p->text);
	oci_manifest_finish(&p->manifest);
}

static int copy_text(const struct buf *from, struct buf *ret, struct aisbx_error *e)
{
	buf_add(ret, from->data ? from->data : "", from->len);
	return buf_str(ret) ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read a manifest");
}

/* What D names: in memory, among the blobs, or from the registry. */
static int load_manifest(void *ctx, const struct oci_descriptor *d, struct buf *ret, struct aisbx_error *e)
{
	scoped(oci_descriptor_finish) struct oci_descriptor got = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct pull *p = ctx;
	uint64_t size;
	int r;

	if (p->top_text.len && !strcmp(d->digest, p->top.digest))
		return copy_text(&p->top_text, ret, e);
	if (blobs_has(&p->blobs, d->digest, &size) && size == d->size &&
	    blobs_read(&p->blobs, d->digest, ret, &ignored) == 0)
		return 0;
	r = remote_manifest(&p->remote, d->digest, &got, ret, e);
	if (r == 0 && got.size != d->size)
		r = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EBADMSG,
				 "'%s' has %llu bytes instead of the %llu that its index says", d->digest,
				 (unsigned long long)got.size, (unsigned long long)d->size);
	return r;
}

/* A document that is here already: the registry is only asked what the tag stands for. */
static bool have_top(struct pull *p, const char *version)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	char digest[DIGEST_CAP];

	if (digest_is_sha256(version))
		memcpy(digest, version, DIGEST_CAP);
	else if (remote_digest(&p->remote, version, digest, &ignored) < 0 || !digest[0])
		return false;
	if (!blobs_has(&p->blobs, digest, NULL) ||
	    blobs_read(&p->blobs, digest, &p->top_text, &ignored) < 0) {
		buf_finish(&p->top_text);
		p->top_text = (struct buf){ 0 };
		return false;
	}
	memcpy(p->top.digest, digest, DIGEST_CAP);
	p->top.size = p->top_text.len;
	p->top.media_type = strdup("");
	return p->top.media_type != NULL;
}

static int find_manifest(struct pull *p, struct aisbx_error *e)
{
	const char *version = reference_version(&p->remote.ref);
	const char *platform = json_string_value(json_object_get(p->request, "platform"));
	char digest[DIGEST_CAP];
	int r = 0;

	if (!have_top(p, version))
		r = remote_manifest(&p->remote, version, &p->top, &p->top_text, e);
	if (r == 0)
		r = oci_resolve(&p->top, platform, load_manifest, p, &p->found, &p->text, e);
	if (r == 0)
		r = oci_manifest_read(p->text.data, p->text.len,
				      p->found.media_type[0] ? p->found.media_type : NULL, &p->manifest, e);
	if (r == 0 && strcmp(p->top.digest, p->found.digest)) /* so that the next HEAD is enough */
		r = blobs_add(&p->blobs, p->top_text.data, p->top_text.len, digest, e);
	return r;
}

static int load_payload(void *ctx, const struct oci_descriptor *d, struct buf *ret, struct aisbx_error *e)
{
	struct pull *p = ctx;

	return remote_small_blob(&p->remote, d, SIGNATURE_MAX_PAYLOAD, ret, e);
}

/* 1: there is none for DIGEST. */
static int check_signature_of(struct pull *p, const char *digest, const char *repository,
			      struct aisbx_error *e)
{
	scoped(oci_descriptor_finish) struct oci_descriptor d = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	struct signature_want want = { .keys = json_object_get(p->request, "keys"),
				       .digest = digest,
				       .repository = repository };
	char tag[SIGNATURE_TAG_CAP];
	int r;

	signature_tag(digest, tag);
	r = remote_manifest(&p->remote, tag, &d, &text, e);
	if (r == -ENOENT) {
		signature_missing(digest, e);
		return 1;
	}
	return r < 0 ? r : signature_check_manifest(text.data, text.len, load_payload, p, &want, e);
}

/* A signature of the index counts for all its images; one of the image itself is as good. It has to speak of
 * the repository that was asked for, whichever mirror has the bytes. */
static int check_signature(struct pull *p, struct aisbx_error *e)
{
	scoped(drop_mem) char *repository = NULL;
	struct aisbx_error other = AISBX_ERROR_INIT;
	int r;

	if (!signature_wanted(json_object_get(p->request, "keys")))
		return 0;
	if (asprintf(&repository, "%s/%s", p->remote.ref.host, p->remote.ref.repository) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "check a signature");
	r = check_signature_of(p, p->top.digest, repository, e);
	if (r != 0 && strcmp(p->top.digest, p->found.digest) != 0) {
		int second = check_signature_of(p, p->found.digest, repository, &other);

		if (second == 0 || (r == 1 && second < 0)) {
			*e = second == 0 ? (struct aisbx_error)AISBX_ERROR_INIT : other;
			r = second;
		}
	}
	return r == 1 ? signature_missing(p->top.digest, e) : r;
}

static int load_config(struct pull *p, struct aisbx_error *e)
{
	scoped(oci_config_finish) struct oci_config config = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	int r;

	if (p->manifest.config.size > IMAGE_MAX_JSON)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "the config has more than %u bytes", IMAGE_MAX_JSON);
	r = transfer_blobs(&p->remote, &p->blobs, &p->manifest.config, 1, e);
	if (r == 0)
		r = blobs_read(&p->blobs, p->manifest.config.digest, &text, e);
	if (r == 0)
		r = oci_config_read(text.data, text.len, &config, e);
	return r < 0 ? r : oci_agree(&p->manifest, &config, e);
}

/* From here on: no other files, no programs; servers only. */
static int confine(const char *dir, struct aisbx_error *e)
{
	const char *without = getenv("AISBX_WITHOUT");
	const char *writable[] = { dir, NULL, NULL };
	scoped(drop_mem) char *tmp = NULL;
	int r;

	if (asprintf(&tmp, "%s/../tmp", dir) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "confine %s", IMAGE_HELPER);
	writable[1] = tmp;
	r = confine_client(writable, e);
	if (r < 0 && without && !strcmp(without, "landlock")) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = 0;
	}
	return r;
}

static int open_all(struct pull *p, struct aisbx_error *e)
{
	const char *dir = json_string_value(json_object_get(p->request, "blobs"));
	const char *source = json_string_value(json_object_get(p->request, "source"));
	json_int_t most = json_integer_value(json_object_get(p->request, "max_bytes"));
	int r;

	if (!dir || !source || most < 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a fetch from a registry needs 'source' and 'blobs'");
	r = remote_open(p->request, source, REMOTE_PULL, NULL, &p->remote, e);
	if (r == 0)
		r = blobs_open(dir, (uint64_t)most, &p->blobs, e);
	if (r == 0)
		r = confine(dir, e);
	return r < 0 ? r : remote_greet(&p->remote, e);
}

int registry_fetch(const json_t *request, struct fetched *ret, struct aisbx_error *e)
{
	scoped(pull_finish) struct pull p = { .request = request, .blobs = BLOBS_INIT };
	const char *platform = json_string_value(json_object_get(request, "platform"));
	char digest[DIGEST_CAP];
	int r = open_all(&p, e);

	if (r == 0)
		r = find_manifest(&p, e);
	if (r == 0 && p.blobs.max_bytes && p.manifest.size > p.blobs.max_bytes)
		r = aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				 "the image has %llu bytes, more than the %llu that are allowed",
				 (unsigned long long)p.manifest.size, (unsigned long long)p.blobs.max_bytes);
	if (r == 0)
		r = check_signature(&p, e);
	if (r == 0)
		r = load_config(&p, e);
	if (r == 0)
		r = transfer_blobs(&p.remote, &p.blobs, p.manifest.layers, p.manifest.n_layers, e);
	if (r == 0) /* last: a manifest that is there has all that it names */
		r = blobs_add(&p.blobs, p.text.data, p.text.len, digest, e);
	return r < 0 ? r : fetched_from_blobs(&p.blobs, digest, platform, ret, e);
}
