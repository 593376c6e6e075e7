/* SPDX-License-Identifier: Apache-2.0 */
/* Reads queue.yaml: of the system first, then of the person. A mistake in one is an error. */
#include "box/queue_settings.h"

#include <unistd.h>

#include "box/settings_file.h"

static int parse(void *into, const char *text, size_t len, const char *file, struct aisbx_error *e)
{
	return queue_policy_parse(text, len, file, into, e);
}

int queue_settings_read(struct queue_policy *ret, struct aisbx_error *e)
{
	*ret = (struct queue_policy)QUEUE_POLICY_INIT;
	return settings_read((const char *const *)environ, "queue.yaml", parse, ret, e);
}
