/* SPDX-License-Identifier: Apache-2.0 */
/* From what a name stands for to the manifest for a platform: at most one index lies between. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "image/oci.h"
#include "image/oci_inside.h"
#include "image/wire.h"

/* Documents without a media type of their own tell by what they hold. */
static enum oci_kind kind_of_text(const struct oci_descriptor *d, const struct buf *text)
{
	enum oci_kind kind = oci_kind_of(d->media_type);
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *document = NULL;

	if (kind != OCI_KIND_OTHER || *d->media_type)
		return kind;
	if (oci_json(text->data ? text->data : "", text->len, "a manifest", &document, &e) < 0)
		return OCI_KIND_MANIFEST; /* whose reader says what is wrong */
	kind = json_object_get(document, "manifests") ? OCI_KIND_INDEX : OCI_KIND_MANIFEST;
	json_decref(document);
	return kind;
}

/* Loads what D names and tells its kind. */
static int load_checked(const struct oci_descriptor *d, oci_load_fn *load, void *ctx, struct buf *ret,
			enum oci_kind *ret_kind, struct aisbx_error *e)
{
	int r;

	if (d->size > IMAGE_MAX_JSON)
		return oci_refuse(e, "a manifest or an index", "is larger than 4 MiB");
	r = load(ctx, d, ret, e);
	if (r < 0)
		return r;
	*ret_kind = kind_of_text(d, ret);
	if (*ret_kind != OCI_KIND_INDEX && *ret_kind != OCI_KIND_MANIFEST)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "this is no image: it has the type '%.100s'", d->media_type);
	return 0;
}

int oci_resolve(const struct oci_descriptor *from, const char *platform, oci_load_fn *load, void *ctx,
		struct oci_descriptor *ret, struct buf *ret_text, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	scoped(buf_finish) struct buf inner = { 0 };
	scoped(oci_index_finish) struct oci_index x = { 0 };
	const struct oci_descriptor *found = from;
	struct buf *last = &text;
	enum oci_kind kind;
	int r = load_checked(from, load, ctx, &text, &kind, e);

	if (r == 0 && kind == OCI_KIND_INDEX) {
		r = oci_index_read(text.data ? text.data : "", text.len, from->media_type, &x, e);
		if (r == 0)
			r = oci_index_choose(&x, platform, &found, e);
		if (r == 0 && !strcmp(found->digest, from->digest))
			r = oci_refuse(e, "an index", "leads to itself");
		if (r == 0)
			r = load_checked(found, load, ctx, &inner, &kind, e);
		last = &inner;
		if (r == 0 && kind == OCI_KIND_INDEX)
			r = oci_refuse(e, "an index", "names an index again: one is followed, no more");
	}
	if (r < 0)
		return r;
	if (oci_descriptor_copy(found, ret) < 0)
		return oci_no_memory(e);
	buf_finish(ret_text);
	*ret_text = *last;
	*last = (struct buf){ 0 };
	return 0;
}
