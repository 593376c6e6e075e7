/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-image: brings images from elsewhere and takes them there, unpacks and packs their layers. One
 * request, its answer, the end; image/wire.h describes both. A program of its own, so that aisbx needs none
 * of its libraries, and so that what reads a stranger's files and listens to a stranger's server can do
 * little else.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/asan.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/std_fds.h"
#include "helpers/image/parent.h"
#include "helpers/image/verbs.h"
#include "image/wire.h"

#if WITH_ASAN
/* Behind its walls nobody can look for leaks. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

static const struct {
	const char *name;
	int (*act)(const json_t *request, json_t **ret_ok, struct aisbx_error *e);
} verbs[] = {
#define X(name) { #name, verb_##name },
	IMAGE_VERBS(X)
#undef X
};

static void say(const char *key, json_t *value)
{
	json_t *line = json_pack("{s:o}", key, value);

	if (line)
		json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(line);
}

static int act(json_t **ret_ok, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	json_t *request = NULL;
	const char *name;
	int r = io_read_all(STDIN_FILENO, IMAGE_REQUEST_MAX, &text);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, -r, "read the request");
	request = json_loadb(text.data ? text.data : "", text.len, JSON_REJECT_DUPLICATES, NULL);
	name = json_string_value(json_object_get(request, "do"));
	r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			 "%s is a part of aisbx and takes its requests only", IMAGE_HELPER);
	for (size_t i = 0; name && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(verbs[i].name, name)) {
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			r = verbs[i].act(request, ret_ok, e);
			break;
		}
	json_decref(request);
	return r;
}

int main(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *ok = NULL;
	int r;

	std_fds_hold();
	end_with_parent();
	r = act(&ok, &e);
	if (r == 0)
		say("ok", ok ? ok : json_object());
	else
		say("error", json_pack("{s:i,s:i,s:s}", "kind", e.kind, "code", r, "text", e.text));
	return r ? 1 : 0;
}
