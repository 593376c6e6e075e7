/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of manifests: what is taken keeps the promises of image/oci.h, and is written as it was.
 */
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

static void must_be_layers(const struct oci_manifest *m)
{
	uint64_t size = m->config.size;

	must(m->n_layers <= IMAGE_MAX_LAYERS && digest_is_sha256(m->config.digest));
	must(oci_kind_of(m->config.media_type) == OCI_KIND_CONFIG && m->config.size <= IMAGE_MAX_JSON);
	for (size_t i = 0; i < m->n_layers; i++) {
		must(digest_is_sha256(m->layers[i].digest) &&
		     strcmp(m->layers[i].digest, m->config.digest) != 0);
		must(oci_kind_is_layer(oci_kind_of(m->layers[i].media_type)));
		size += m->layers[i].size;
		for (size_t k = 0; k < i; k++)
			must(strcmp(m->layers[i].digest, m->layers[k].digest) != 0 ||
			     m->layers[i].size <= OCI_MAX_TWICE);
	}
	must(size == m->size && size <= INT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct oci_manifest m = { 0 }, again = { 0 };
	char *text, *twice;

	if (oci_manifest_read((const char *)data, len, NULL, &m, &e) < 0) {
		must(!m.layers && !m.media_type && e.code < 0 && *e.text);
		return 0;
	}
	must_be_layers(&m);
	text = oci_manifest_write(&m);
	must(text && oci_manifest_read(text, strlen(text), m.media_type, &again, &e) == 0);
	must_be_layers(&again);
	twice = oci_manifest_write(&again);
	must(twice && !strcmp(text, twice) && again.n_layers == m.n_layers && again.size == m.size);
	free(text);
	free(twice);
	oci_manifest_finish(&m);
	oci_manifest_finish(&again);
	return 0;
}
