/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes pseudo_parse, which reads a stranger's image.yaml. What is accepted keeps the promises of
 * helpers/image/pseudo_doc.h, and is the same after it was written and read again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "helpers/image/pseudo_doc.h"
#include "image/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void must_keep(const struct pseudo *p)
{
	must(p->name && *p->name && p->version && *p->version && p->n_layers <= IMAGE_MAX_LAYERS);
	must(p->base_digest ? digest_is_sha256(p->base_digest)
			    : !strcmp(p->base, "none") || !strcmp(p->base, "host"));
	for (size_t i = 0; i < p->n_layers; i++) {
		const struct pseudo_layer *l = &p->layers[i];

		must(!strncmp(l->file, PSEUDO_LAYERS, strlen(PSEUDO_LAYERS)) && !strstr(l->file, "/.") &&
		     !strchr(l->file + strlen(PSEUDO_LAYERS), '/') && strlen(l->file) <= PSEUDO_FILE_MAX);
		must(digest_is_sha256(l->digest) && (!l->diff_id[0] || digest_is_sha256(l->diff_id)));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct pseudo p = { 0 }, again = { 0 };
	struct buf text = { 0 };

	pseudo_policy_check((const char *)data, len, &e);
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	if (pseudo_parse((const char *)data, len, &p, &e) < 0) {
		must(!p.name && !p.layers && !p.settings && e.code < 0 && *e.text);
		return 0;
	}
	must_keep(&p);
	must(pseudo_print(&p, &text, &e) == 0);
	if (pseudo_parse(text.data, text.len, &again, &e) == 0) {
		must(!strcmp(p.name, again.name) && !strcmp(p.version, again.version) &&
		     !strcmp(p.base, again.base) && p.n_layers == again.n_layers &&
		     json_equal(p.settings, again.settings));
	} else {
		must(text.len > (256u << 10) - 1); /* escaped, it is longer */
	}
	buf_finish(&text);
	pseudo_finish(&again);
	pseudo_finish(&p);
	return 0;
}
