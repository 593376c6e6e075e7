/* SPDX-License-Identifier: Apache-2.0 */
/* Walks through JSON and replaces texts in place. */
#include "secret/scrub.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "secret/fingerprints.h"

/* What TEXT becomes; NULL when it can stay. */
static json_t *scrubbed(const json_t *text, scrub_fn *fn, const void *ctx)
{
	scoped(buf_finish) struct buf out = { 0 };
	size_t len = json_string_length(text);

	if (!fn(ctx, json_string_value(text), len, &out))
		return json_string("");
	if (out.len == len && (!len || !memcmp(out.data, json_string_value(text), len)))
		return NULL;
	return json_stringn_nocheck(out.len ? out.data : "", out.len);
}

void scrub_json(json_t *value, scrub_fn *fn, const void *ctx)
{
	const char *key;
	json_t *item, *other;
	size_t i;

	json_object_foreach(value, key, item)
	{
		scrub_json(item, fn, ctx);
		other = json_is_string(item) ? scrubbed(item, fn, ctx) : NULL;
		if (other)
			json_object_set_new_nocheck(value, key, other);
	}
	json_array_foreach(value, i, item)
	{
		scrub_json(item, fn, ctx);
		other = json_is_string(item) ? scrubbed(item, fn, ctx) : NULL;
		if (other)
			json_array_set_new(value, i, other);
	}
}

int scrub_answer(const char *dir, int r, json_t **result, struct aisbx_error *e)
{
	struct aisbx_error failed = AISBX_ERROR_INIT;
	scoped(drop_fingerprints) struct fingerprints *fingerprints = NULL;
	scoped(drop_fingerprint_scan) struct fingerprint_scan *scan = NULL;

	if (fingerprints_load(dir, &fingerprints, &failed) == 0 && !fingerprints)
		return r;
	scan = fingerprints ? fingerprint_scan_create(fingerprints) : NULL;
	if (scan && r < 0)
		scrub_error(e, fingerprints_scrub, scan);
	else if (scan)
		scrub_json(*result, fingerprints_scrub, scan);
	if (scan || r < 0)
		return r;
	json_decref(*result);
	*result = NULL;
	*e = failed.code ? failed : *e;
	return failed.code ? failed.code
			   : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for secrets in the answer");
}

void scrub_error(struct aisbx_error *e, scrub_fn *fn, const void *ctx)
{
	scoped(buf_finish) struct buf out = { 0 };

	snprintf(e->text, sizeof(e->text), "%s",
		 fn(ctx, e->text, strlen(e->text), &out) && buf_str(&out)
			 ? out.data
			 : "an error whose text contains a secret");
}
