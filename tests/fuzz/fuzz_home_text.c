/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the two files of a person or a project that decide about the home of a box: a configuration of git,
 * of which name and address are written anew, and pyvenv.cfg.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/git_identity.h"
#include "policy/tool_env.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* What is written has one section and two lines at most, and reads as what it was made of. */
static void check_identity(const char *text)
{
	struct git_identity who = { 0 }, again = { 0 };
	struct buf out = { 0 }, second = { 0 };
	size_t lines = 0;

	if (git_identity_read(text, &who)) {
		git_identity_write(&who, &out);
		for (size_t i = 0; i < out.len; i++)
			lines += out.data[i] == '\n';
		must(lines <= 3);
		must(!out.len || !strncmp(out.data, "[user]\n\t", 8));
		if (out.len && buf_str(&out) && git_identity_read(out.data, &again)) {
			git_identity_write(&again, &second);
			must(second.len == out.len && !memcmp(second.data, out.data, out.len));
		}
	}
	git_identity_finish(&who);
	git_identity_finish(&again);
	buf_finish(&out);
	buf_finish(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = malloc(len + 1);
	const char *base;
	size_t n = 0;

	if (!text)
		return 0;
	memcpy(text, data, len);
	text[len] = '\0';
	check_identity(text);
	base = tool_env_base(text, &n);
	must(!base || (n && base >= text && base + n <= text + strlen(text) && !memchr(base, '\n', n)));
	free(text);
	return 0;
}
