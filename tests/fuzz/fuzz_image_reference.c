/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes names of images: what is taken is within the grammar, and both ways to write it mean the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/digest.h"
#include "image/reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void must_mean(char *text, const struct reference *r, bool with_tag)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct reference again = { 0 };

	must(text && reference_parse(text, &again, &e) == 0);
	must(same(again.host, r->host) && same(again.repository, r->repository) &&
	     same(again.digest, r->digest));
	must(!with_tag || same(again.tag      ? again.tag
			       : again.digest ? NULL
					      : "latest",
			       r->tag      ? r->tag
			       : r->digest ? NULL
					   : "latest"));
	must(!strcmp(reference_version(&again), reference_version(r)));
	reference_finish(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct reference r = { 0 };
	char *text = malloc(len + 1);

	memcpy(text, data, len);
	text[len] = '\0';
	if (reference_parse(text, &r, &e) < 0) {
		must(!r.host && !r.repository && !r.tag && !r.digest && e.code < 0 && *e.text);
	} else {
		must(*r.host && strlen(r.host) <= 255 && !strpbrk(r.host, "/@ ") && *r.repository);
		must(strlen(r.repository) <= 255 && !strstr(r.repository, "..") &&
		     !strstr(r.repository, "//"));
		must(*r.repository != '/' && r.repository[strlen(r.repository) - 1] != '/');
		must(!r.tag || (*r.tag && strlen(r.tag) <= 128 && !strchr(r.tag, '/')));
		must(!r.digest || digest_is_valid(r.digest));
		must(strcmp(r.host, "docker.io") != 0 || strchr(r.repository, '/'));
		must_mean(reference_full(&r), &r, true);
		must_mean(reference_familiar(&r), &r, true);
	}
	reference_finish(&r);
	free(text);
	return 0;
}
