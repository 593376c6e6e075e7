/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a look: this process becomes the command, or the outcome of an attempt is reported. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "look/attempt.h"
#include "look/look.h"

int look_become(const char *const *env, const char *cwd, char *const *words, int *ret_status,
		struct aisbx_error *e)
{
	scoped(drop_mem) const char **shown = look_environment(env);
	int err, r;

	if (!shown)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "run '%.200s'", words[0]);
	if (chdir(cwd) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "change to '%.200s'", cwd);
	fflush(NULL);
	r = look_enter(env, NULL, NULL, e);
	if (r < 0)
		return r;
	execvpe(words[0], words, (char *const *)shown);
	err = errno;
	*ret_status = err == ENOENT ? 127 : 126;
	return aisbx_fail(e, AISBX_AREA_RUN, err, "run '%.200s'", words[0]);
}

int look_status(const struct look_outcome *o)
{
	return WIFEXITED(o->wait_status) ? WEXITSTATUS(o->wait_status) : 128 + WTERMSIG(o->wait_status);
}

static json_t *text_json(const struct buf *b)
{
	scoped(buf_finish) struct buf clean = { 0 };

	buf_add_utf8(&clean, b->data ? b->data : "", b->len);
	return json_stringn(buf_str(&clean) ? clean.data : "", clean.len);
}

void look_outcome_json(const struct look_outcome *o, json_t *result)
{
	json_object_set_new(result, "exit_status", json_integer(look_status(o)));
	json_object_set_new(result, "stdout", text_json(&o->out[0]));
	json_object_set_new(result, "stderr", text_json(&o->out[1]));
}
