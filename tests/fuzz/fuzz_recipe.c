/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes recipe_parse and recipe_lock_check: the first byte says which, and of which form the lock is. What
 * is taken keeps the promises of project/recipe.h.
 */
#include <stdlib.h>
#include <string.h>

#include "project/recipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* A name that leads nowhere but into the directory of the steps. */
static void must_be_a_name(const char *name)
{
	must(*name && *name != '.' && *name != '-' && !strchr(name, '/') && strlen(name) <= 32);
}

static void try_recipe(const char *text, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct recipe r = { 0 };

	if (recipe_parse(text, len, "f", &r, &e) < 0) {
		must(e.code < 0 && *e.text);
		return;
	}
	must_be_a_name(r.name);
	must(r.steps.n && r.files.n == r.texts.n && (!r.net.n || r.lock_file));
	must(!r.lock_file == (r.kind == RECIPE_LOCK_NONE) && !r.lock_file == !r.lock_command);
	if (r.lock_file)
		must_be_a_name(r.lock_file);
	for (size_t i = 0; i < r.files.n; i++)
		must_be_a_name(r.files.items[i]);
	for (size_t i = 0; i < r.net.n; i++)
		must(strncmp(r.net.items[i], "net:host", 8) && strncmp(r.net.items[i], "net:unix", 8) &&
		     strncmp(r.net.items[i], "net:agent", 9));
	recipe_finish(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *text;

	if (!len)
		return 0;
	text = malloc(len); /* the last byte is followed by nothing */
	memcpy(text, data + 1, len - 1);
	if (data[0] % 8 <= RECIPE_LOCK_SHA256 && data[0] % 8 != RECIPE_LOCK_NONE)
		must(recipe_lock_check((enum recipe_lock_kind)(data[0] % 8), text, len - 1, "f", &e) == 0 ||
		     *e.text);
	else
		try_recipe(text, len - 1);
	free(text);
	return 0;
}
