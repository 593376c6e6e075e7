/* SPDX-License-Identifier: Apache-2.0 */
/* The request "push": the layers and the config of an image, then its manifest, which gives it its name. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/blobs.h"
#include "helpers/image/upload.h"
#include "helpers/image/verbs.h"
#include "image/wire.h"
#include "sys/confine.h"

struct push {
	struct remote remote;
	struct blobs blobs;
	struct buf text; /* of the manifest */
	struct oci_manifest manifest;
};

static void push_finish(struct push *p)
{
	remote_close(&p->remote);
	blobs_close(&p->blobs);
	buf_finish(&p->text);
	oci_manifest_finish(&p->manifest);
}

/* From here on: no programs, files only where blobs are put together; servers only. */
static int confine(const char *dir, struct aisbx_error *e)
{
	const char *without = getenv("AISBX_WITHOUT");
	scoped(drop_mem) char *tmp = blobs_tmp_path(dir, e);
	int r = tmp ? confine_client((const char *const[]){ tmp, NULL }, e) : e->code;

	if (r < 0 && without && !strcmp(without, "landlock")) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = 0;
	}
	return r;
}

static int check_mount(const char *from, struct aisbx_error *e)
{
	if (!from || (*from && strspn(from, "abcdefghijklmnopqrstuvwxyz0123456789._-/") == strlen(from)))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%s' is no repository", from);
}

static int open_all(struct push *p, const json_t *request, const char *digest, const char *mount_from,
		    struct aisbx_error *e)
{
	const char *dir = json_string_value(json_object_get(request, "blobs"));
	const char *to = json_string_value(json_object_get(request, "to"));
	int r;

	if (!dir || !to || !digest || !digest_is_sha256(digest))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a push needs 'blobs', 'manifest' and 'to'");
	r = check_mount(mount_from, e);
	if (r == 0)
		r = blobs_open(dir, 0, &p->blobs, e);
	if (r == 0)
		r = blobs_read(&p->blobs, digest, &p->text, e);
	if (r == 0)
		r = oci_manifest_read(p->text.data, p->text.len, NULL, &p->manifest, e);
	if (r == 0)
		r = remote_open(request, to, REMOTE_PUSH, mount_from, &p->remote, e);
	if (r == 0 && p->remote.ref.digest && strcmp(p->remote.ref.digest, digest))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'%s' names another image than the one that is pushed", to);
	if (r == 0)
		r = confine(dir, e);
	return r < 0 ? r : remote_greet(&p->remote, e);
}

static int push_blobs(struct push *p, const char *mount_from, struct upload_count *ret, struct aisbx_error *e)
{
	size_t n = p->manifest.n_layers + 1;
	struct oci_descriptor *items = calloc(n, sizeof(*items)); /* borrows what they hold */
	int r;

	if (!items)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "upload %zu blobs", n);
	for (size_t i = 0; i + 1 < n; i++)
		items[i] = p->manifest.layers[i];
	items[n - 1] = p->manifest.config;
	r = upload_blobs(&p->remote, &p->blobs, items, n, mount_from, ret, e);
	free(items);
	return r;
}

static int push_manifest(struct push *p, const char *digest, struct aisbx_error *e)
{
	const struct reference *ref = &p->remote.ref;
	scoped(http_call_finish) struct http_call call = { 0 };
	scoped(drop_mem) char *path = NULL;
	int r;

	if (asprintf(&path, "manifests/%s", ref->tag ? ref->tag : reference_version(ref)) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "upload '%s'", digest);
	r = remote_call(&p->remote, p->remote.n_sources - 1, "PUT", path, &call, e);
	if (r < 0)
		return r;
	call.type = p->manifest.media_type;
	call.body = p->text.data;
	call.body_len = p->text.len;
	r = http_ask(&p->remote.client, &call, e);
	if (r == 0 && call.status != 201 && call.status != 200)
		r = http_refuse_status(&call, "an upload of a manifest", e);
	if (r == 0 && digest_is_sha256(call.digest) && strcmp(call.digest, digest))
		r = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EBADMSG,
				 "'%s' keeps another manifest ('%s') than the one that was sent", ref->host,
				 call.digest);
	return r;
}

int verb_push(const json_t *request, json_t **ret_ok, struct aisbx_error *e)
{
	scoped(push_finish) struct push p = { .blobs = BLOBS_INIT };
	const char *digest = json_string_value(json_object_get(request, "manifest"));
	const char *mount_from = json_string_value(json_object_get(request, "mount_from"));
	struct upload_count count = { 0 };
	int r = open_all(&p, request, digest, mount_from, e);

	if (r == 0)
		r = push_blobs(&p, mount_from, &count, e);
	if (r == 0)
		r = push_manifest(&p, digest, e);
	if (r < 0)
		return r;
	*ret_ok = json_pack("{s:s,s:I,s:I}", "digest", digest, "sent", (json_int_t)count.sent, "there",
			    (json_int_t)count.there);
	return *ret_ok ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "answer");
}
