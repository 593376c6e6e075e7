/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what a registry and a file of passwords say about logging in. First byte even: a header
 * WWW-Authenticate, the same at once or as two headers; odd: config.json and an answer of a helper. What is
 * taken can go into a header, and a helper's name into a path.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/image/auth_file.h"
#include "helpers/image/challenge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int truth)
{
	if (!truth)
		__builtin_trap();
}

static void must_be_clean(const char *s)
{
	for (; s && *s; s++)
		must((unsigned char)*s >= 0x20 && *s != 0x7f);
}

static void try_header(const char *text, size_t len)
{
	struct challenge c = { 0 }, twice;
	bool taken = challenge_read(text, len, &c);

	must(taken || c.scheme == CHALLENGE_NONE);
	must(c.scheme != CHALLENGE_BEARER || c.realm[0]);
	must_be_clean(c.realm);
	must_be_clean(c.service);
	twice = c;
	must(challenge_read(text, len, &twice) == taken);
	must(!memcmp(&twice, &c, sizeof(c))); /* the first of a scheme counts */
}

static void must_be_sound(struct credentials *c)
{
	must_be_clean(c->user);
	must_be_clean(c->password);
	must_be_clean(c->identity_token);
	must_be_clean(c->registry_token);
	credentials_finish(c);
}

static void try_file(const char *text, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *file = json_loadb(text, len, 0, NULL);
	struct credentials c = { 0 };
	char name[64] = "";

	if (json_is_object(file)) {
		if (auth_file_helper(file, "r", name, sizeof(name), &e) == 0)
			must(!strpbrk(name, "/. \n"));
		auth_file_find(file, "r", "a/b", &c, &e);
		must_be_sound(&c);
		auth_file_find(file, "docker.io", "library/x", &c, &e);
		must_be_sound(&c);
	}
	json_decref(file);
	auth_file_answer(text, len, &c, &e);
	must_be_sound(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text;

	if (!len)
		return 0;
	text = malloc(len); /* of the very size: one byte too far is seen */
	must(text != NULL);
	memcpy(text, data + 1, len - 1);
	if (data[0] & 1)
		try_file(text, len - 1);
	else
		try_header(text, len - 1);
	free(text);
	return 0;
}
