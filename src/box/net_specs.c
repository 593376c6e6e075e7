/* SPDX-License-Identifier: Apache-2.0 */
/* What --net said when a box was made, kept with the box. */
#include "box/list_file.h"
#include "box/net_options.h"

static const struct list_file kept = { .place = "net", .what = "the network rules", .most = 1u << 19 };

int box_net_keep(const char *dir, const char *id, const struct strlist *values, struct aisbx_error *e)
{
	return list_file_keep(&kept, dir, id, values, e);
}

int box_net_read(const char *dir, const char *id, struct strlist *ret, struct aisbx_error *e)
{
	return list_file_read(&kept, dir, id, ret, e);
}

void box_net_drop(const char *dir, const char *id)
{
	list_file_drop(&kept, dir, id);
}
