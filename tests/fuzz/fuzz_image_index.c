/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of indexes, the choice by platform, and the way from one document to the next: the input
 * is every document, so that each names itself again and again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/oci.h"
#include "image/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

struct input {
	const uint8_t *data;
	size_t len;
	int asked;
};

static int load(void *ctx, const struct oci_descriptor *d, struct buf *ret, struct aisbx_error *e)
{
	struct input *in = ctx;

	(void)e;
	must(d->size <= IMAGE_MAX_JSON && ++in->asked <= 2);
	buf_add(ret, in->data, in->len);
	return 0;
}

static void must_choose(const struct oci_index *x, const char *platform)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct oci_descriptor *d = NULL;

	if (oci_index_choose(x, platform, &d, &e) < 0)
		must(!d && *e.text);
	else
		must(d >= x->items && d < x->items + x->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct oci_descriptor from = { .media_type = "", .size = len }, found = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct input in = { data, len, 0 };
	struct oci_index x = { 0 }, again = { 0 };
	struct buf manifest = { 0 };
	char *text;

	digest_of(data, len, from.digest);
	if (oci_resolve(&from, "linux/amd64", load, &in, &found, &manifest, &e) < 0)
		must(!found.media_type && !manifest.data);
	oci_descriptor_finish(&found);
	buf_finish(&manifest);
	if (oci_index_read((const char *)data, len, NULL, &x, &e) < 0) {
		must(!x.items && !x.n);
		return 0;
	}
	must(x.n <= OCI_MAX_INDEX);
	for (size_t i = 0; i < x.n; i++)
		must(digest_is_sha256(x.items[i].digest) && x.items[i].media_type &&
		     x.items[i].size <= INT64_MAX);
	must_choose(&x, "linux/amd64");
	must_choose(&x, "linux/arm/v7");
	text = oci_index_write(&x);
	must(text && oci_index_read(text, strlen(text), OCI_INDEX, &again, &e) == 0 && again.n == x.n);
	free(text);
	oci_index_finish(&x);
	oci_index_finish(&again);
	return 0;
}
