/* SPDX-License-Identifier: Apache-2.0 */
/* The request "verify": every blob of an image read and hashed again. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "helpers/image/fetched.h"
#include "helpers/image/verbs.h"

static int check_layers(const struct blobs *b, const struct fetched *f, struct aisbx_error *e)
{
	for (size_t i = 0; i < f->n_layers; i++) {
		scoped(drop_fd) int fd = -1;
		int r = blobs_open_blob(b, f->layers[i].digest, f->layers[i].size, true, &fd, NULL, e);

		if (r < 0)
			return r;
		tell_progress("verify", f->layers[i].digest, f->layers[i].size, f->layers[i].size);
	}
	return 0;
}

int verb_verify(const json_t *request, json_t **ret_ok, struct aisbx_error *e)
{
	scoped(blobs_close) struct blobs b = BLOBS_INIT;
	scoped(fetched_finish) struct fetched f = { 0 };
	const char *dir = json_string_value(json_object_get(request, "blobs"));
	const char *manifest = json_string_value(json_object_get(request, "manifest"));
	int r;

	if (!dir || !manifest)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a request to verify needs blobs and manifest");
	r = blobs_open(dir, 0, &b, e);
	if (r == 0)
		r = blobs_confine(dir, e);
	if (r == 0)
		r = fetched_from_blobs(&b, manifest, NULL, &f, e); /* this checks the two documents */
	if (r == 0)
		r = check_layers(&b, &f, e);
	if (r < 0)
		return r;
	*ret_ok = json_pack("{s:I,s:I}", "blobs", (json_int_t)f.n_layers + 2, "bytes", (json_int_t)f.size);
	return *ret_ok ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "verify an image");
}
