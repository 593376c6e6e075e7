/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of configs: what is taken can be run by and written as it was. */
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

static void must_hold(const struct oci_config *c)
{
	must(c->user && c->working_dir && c->stop_signal && c->diff_ids.n <= IMAGE_MAX_LAYERS);
	must(!strpbrk(c->user, "\n\r\033") && !strpbrk(c->working_dir, "\n\r\033"));
	for (size_t i = 0; i < c->diff_ids.n; i++)
		must(digest_is_sha256(c->diff_ids.items[i]));
	for (size_t i = 0; i < c->env.n; i++)
		must(strchr(c->env.items[i], '=') > c->env.items[i]);
	must(c->entrypoint.n <= OCI_MAX_STRINGS && c->cmd.n <= OCI_MAX_STRINGS &&
	     c->env.n <= OCI_MAX_STRINGS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct oci_config c = { 0 }, again = { 0 };
	char *text, *twice;

	if (oci_config_read((const char *)data, len, &c, &e) < 0) {
		must(!c.user && !c.env.items && !c.labels && e.code < 0 && *e.text);
		return 0;
	}
	must_hold(&c);
	text = oci_config_write(&c);
	must(text && oci_config_read(text, strlen(text), &again, &e) == 0);
	must_hold(&again);
	twice = oci_config_write(&again);
	must(twice && !strcmp(text, twice) && again.env.n == c.env.n && again.diff_ids.n == c.diff_ids.n);
	free(text);
	free(twice);
	oci_config_finish(&c);
	oci_config_finish(&again);
	return 0;
}
