/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of what an image says about running it, with the policy in its labels. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "image/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void must_hold(const struct image_settings *s)
{
	must(s->user && s->cwd && path_is_clean(s->cwd));
	must(s->entrypoint.n <= IMAGE_MAX_WORDS && s->command.n <= IMAGE_MAX_WORDS);
	for (size_t i = 0; i < s->env.n; i++)
		must(strchr(s->env.items[i], '=') > s->env.items[i]);
	for (size_t i = 0; i < s->policy.caps.n; i++)
		must(s->policy.has_caps && s->policy.caps.items[i][0]);
	must(!s->policy.net || str_is_one_of(s->policy.net, "none|loopback|any"));
	must(!s->policy.seccomp || s->policy.seccomp[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct image_settings s = { 0 };
	char *text = strndup((const char *)data, len);

	if (!text)
		return 0;
	if (image_settings_read(text, &s, &e) == 0)
		must_hold(&s);
	else
		must(e.code < 0 && e.text[0]);
	image_settings_finish(&s);
	free(text);
	return 0;
}
