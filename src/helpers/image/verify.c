/* SPDX-License-Identifier: Apache-2.0 */
/* The request "verify": every blob of an image read and hashed again, and unpacked files beside them. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/compare.h"
#include "helpers/image/fetched.h"
#include "helpers/image/verbs.h"
#include "image/wire.h"
#include "sys/sys.h"

struct verifying {
	struct blobs blobs;
	struct fetched image;
	int ups[IMAGE_MAX_LAYERS]; /* owned; directories of its layers, oldest first */
	size_t n_ups;              /* 0: files are not looked at */
	uint32_t id_shift;
	bool one_id;
	uint64_t n_blobs, bytes;
	struct compare_counts counts;
};

static void verifying_finish(struct verifying *v)
{
	for (size_t i = 0; i < v->n_ups; i++)
		close_fd(&v->ups[i]);
	fetched_finish(&v->image);
	blobs_close(&v->blobs);
}

static int open_layers(struct verifying *v, const json_t *layers, struct aisbx_error *e)
{
	const json_t *item;
	size_t i;

	if (json_array_size(layers) > IMAGE_MAX_LAYERS)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
				    "an image has at most %u layers", IMAGE_MAX_LAYERS);
	json_array_foreach(layers, i, item)
	{
		const char *path = json_string_value(item);

		v->ups[i] = path ? open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
		if (v->ups[i] < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, path ? errno : EINVAL, "open '%s'",
					  path ? path : "");
		v->n_ups++;
	}
	return 0;
}

static int check_layer(struct verifying *v, size_t i, struct aisbx_error *e)
{
	const struct fetched_layer *l = &v->image.layers[i];
	struct compare_order o = { .digest = l->digest,
				   .most = UINT64_MAX,
				   .below = v->ups,
				   .n_below = i,
				   .id_shift = v->id_shift,
				   .one_id = v->one_id };
	struct compare_counts counts = { 0 };
	scoped(drop_fd) int fd = -1;
	int r = blobs_open_blob(&v->blobs, l->digest, l->size, !v->n_ups, &fd, NULL, e);

	if (r < 0)
		return r;
	v->n_blobs++;
	v->bytes += l->size;
	if (v->n_ups) {
		o.blob = fd;
		o.up = v->ups[i];
		r = compare_layer(&o, &counts, e);
	}
	v->counts.files += counts.files;
	v->counts.skipped += counts.skipped;
	tell_progress("verify", l->digest, l->size, l->size);
	return r;
}

static int check_all(struct verifying *v, struct aisbx_error *e)
{
	uint64_t layers = 0;
	int r = v->n_ups && v->n_ups != v->image.n_layers
			? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				       "the image has %zu layers, not %zu", v->image.n_layers, v->n_ups)
			: 0;

	for (size_t i = 0; i < v->image.n_layers; i++)
		layers += v->image.layers[i].size;
	v->n_blobs = 2; /* manifest and config */
	v->bytes = v->image.size - layers;
	for (size_t i = 0; r == 0 && i < v->image.n_layers; i++)
		if (v->image.layers[i].there)
			r = check_layer(v, i, e);
	return r;
}

int verb_verify(const json_t *request, json_t **ret_ok, struct aisbx_error *e)
{
	scoped(verifying_finish) struct verifying v = { .blobs = BLOBS_INIT };
	const char *dir = json_string_value(json_object_get(request, "blobs"));
	const char *manifest = json_string_value(json_object_get(request, "manifest"));
	int r;

	if (!dir || !manifest)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a request to verify needs blobs and manifest");
	v.id_shift = (uint32_t)json_integer_value(json_object_get(request, "id_shift"));
	v.one_id = json_is_true(json_object_get(request, "one_id"));
	if (v.one_id) /* files of an image need not be readable for their owner */
		(void)sys_own_files();
	r = blobs_open(dir, 0, &v.blobs, e);
	v.blobs.may_lack = json_is_true(json_object_get(request, "may_lack"));
	if (r == 0)
		r = open_layers(&v, json_object_get(request, "layers"), e);
	if (r == 0)
		r = blobs_confine(dir, e);
	if (r == 0)
		r = fetched_from_blobs(&v.blobs, manifest, NULL, &v.image,
				       e); /* this checks the two documents */
	if (r == 0)
		r = check_all(&v, e);
	if (r < 0)
		return r;
	*ret_ok = json_pack("{s:I,s:I,s:I,s:I}", "blobs", (json_int_t)v.n_blobs, "bytes", (json_int_t)v.bytes,
			    "files", (json_int_t)v.counts.files, "skipped", (json_int_t)v.counts.skipped);
	return *ret_ok ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "verify an image");
}
