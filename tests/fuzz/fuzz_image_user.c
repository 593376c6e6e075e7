/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of users: what is found is within bounds, whatever passwd and group of an image are. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/user.h"

#define IDS 65536u /* of a box */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* The user, passwd and group, with a NUL after each of the first two. Each is in memory of its own size. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct buf passwd = { 0 }, group = { 0 };
	const uint8_t *first = memchr(data, 0, len);
	const uint8_t *second = first ? memchr(first + 1, 0, len - (size_t)(first + 1 - data)) : NULL;
	struct image_user u;
	char *user;

	if (!second || !(user = strdup((const char *)data)))
		return 0;
	passwd.len = (size_t)(second - first - 1);
	group.len = len - (size_t)(second + 1 - data);
	passwd.data = malloc(passwd.len);
	group.data = malloc(group.len);
	if (passwd.data && group.data) {
		memcpy(passwd.data, first + 1, passwd.len);
		memcpy(group.data, second + 1, group.len);
		if (image_user_read(&passwd, &group, user, &u, &e) == 0) {
			must(u.uid < IDS && u.gid < IDS && u.n_groups <= IMAGE_MAX_GROUPS);
			must(memchr(u.home, 0, sizeof(u.home)) && (!u.home[0] || u.home[0] == '/'));
			for (uint32_t i = 0; i < u.n_groups; i++)
				must(u.groups[i] < IDS && u.groups[i] != u.gid);
		} else {
			must(e.code < 0 && e.text[0]);
		}
	}
	free(user);
	free(passwd.data);
	free(group.data);
	return 0;
}
