/* SPDX-License-Identifier: Apache-2.0 */
/* Small things of a registry, into memory: manifests, what a tag stands for, payloads of signatures. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/remote.h"
#include "image/wire.h"

#define ACCEPT OCI_INDEX ", " OCI_MANIFEST ", " DOCKER_INDEX ", " DOCKER_MANIFEST

static int ask_for(struct remote *r, size_t s, const char *method, const char *kind, const char *version,
		   uint64_t most, struct http_call *ret, struct aisbx_error *e)
{
	char path[256];
	int n;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", kind, version) >= sizeof(path))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%.80s' is too long",
				    version);
	n = remote_call(r, s, method, path, ret, e);
	if (n < 0)
		return n;
	ret->accept = ACCEPT;
	ret->most = most;
	ret->timeout_s = (int)r->client.patience_s * 4;
	return http_ask(&r->client, ret, e);
}

static int refuse_schema_1(const char *type, struct aisbx_error *e)
{
	if (strncmp(type, "application/vnd.docker.distribution.manifest.v1", 47))
		return 0;
	return aisbx_refuse(
		e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
		"the registry has this image only in Docker's old format (schema 1), which has no "
		"verifiable layers; push it again with a tool of today");
}

static int refuse_digest(const struct http_call *call, const char *wanted, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EBADMSG,
			    "'%s' sent something else than '%s': its digest is wrong",
			    call->origin->place.host, wanted);
}

/* Type, digest and size of what came; the digest is VERSION if that is one. */
static int describe(const struct http_call *call, const char *version, struct oci_descriptor *ret,
		    struct aisbx_error *e)
{
	char digest[DIGEST_CAP], type[sizeof(call->type_is)];
	int n;

	snprintf(type, sizeof(type), "%.*s", (int)strcspn(call->type_is, "; \t"), call->type_is);
	n = refuse_schema_1(type, e);
	if (n < 0)
		return n;
	digest_of(call->text.data ? call->text.data : "", call->text.len, digest);
	if (digest_is_valid(version) && strcmp(version, digest))
		return refuse_digest(call, version, e);
	if (digest_is_sha256(call->digest) && strcmp(call->digest, digest))
		return refuse_digest(call, call->digest, e);
	if (oci_kind_of(type) == OCI_KIND_OTHER)
		type[0] = '\0'; /* "application/json": the document says what it is */
	ret->media_type = strdup(type);
	memcpy(ret->digest, digest, sizeof(digest));
	ret->size = call->text.len;
	return ret->media_type ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read a manifest");
}

int remote_manifest(struct remote *r, const char *version, struct oci_descriptor *ret, struct buf *ret_text,
		    struct aisbx_error *e)
{
	char what[REFERENCE_MAX + 16];
	int n = -EIO;

	snprintf(what, sizeof(what), "image '%s%c%s'", r->ref.repository, strchr(version, ':') ? '@' : ':',
		 version);
	if (strchr(version, ':') && !digest_is_sha256(version))
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "'%.100s' is no sha256 digest, the only kind that is supported", version);
	for (size_t s = 0; s < r->n_sources; s++) {
		scoped(http_call_finish) struct http_call call = { 0 };

		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		n = ask_for(r, s, "GET", "manifests", version, IMAGE_MAX_JSON, &call, e);
		if (n == 0 && call.status != 200)
			n = http_refuse_status(&call, what, e);
		if (n == 0)
			n = describe(&call, version, ret, e);
		if (n == 0) {
			*ret_text = call.text;
			call.text = (struct buf){ 0 };
			return 0;
		}
	}
	return n;
}

int remote_digest(struct remote *r, const char *tag, char ret[DIGEST_CAP], struct aisbx_error *e)
{
	ret[0] = '\0';
	for (size_t s = 0; s < r->n_sources; s++) {
		scoped(http_call_finish) struct http_call call = { 0 };
		int n = ask_for(r, s, "HEAD", "manifests", tag, IMAGE_MAX_JSON, &call, e);

		if (n == 0 && call.status == 200) {
			if (digest_is_sha256(call.digest))
				memcpy(ret, call.digest, DIGEST_CAP);
			return 0;
		}
		if (s + 1 == r->n_sources && n < 0)
			return n;
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
	}
	return 0;
}

int remote_small_blob(struct remote *r, const struct oci_descriptor *d, size_t most, struct buf *ret,
		      struct aisbx_error *e)
{
	char digest[DIGEST_CAP];
	int n = -EIO;

	if (d->size > most)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, EFBIG,
				    "'%s' has %llu bytes, more than %zu", d->digest,
				    (unsigned long long)d->size, most);
	for (size_t s = 0; s < r->n_sources; s++) {
		scoped(http_call_finish) struct http_call call = { 0 };

		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		n = ask_for(r, s, "GET", "blobs", d->digest, d->size, &call, e);
		if (n == 0 && call.status != 200)
			n = http_refuse_status(&call, "such blob", e);
		if (n < 0)
			continue;
		digest_of(call.text.data ? call.text.data : "", call.text.len, digest);
		if (strcmp(digest, d->digest)) {
			n = refuse_digest(&call, d->digest, e);
			continue;
		}
		*ret = call.text;
		call.text = (struct buf){ 0 };
		return 0;
	}
	return n;
}
