/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a signed address, and passes on what it allows. */
#include "server/http/signed_files.h"

#include <string.h>
#include <time.h>

#include "base/scope.h"
#include "box/file_url.h"

static const char *part(const struct exchange *x, const char *name)
{
	const char *text = exchange_query(x, name);

	return text ? text : "";
}

/* Why is not told: who has found out nothing has nothing to go on. */
static void refuse(struct exchange *x)
{
	static const char text[] =
		"{\"error\":{\"kind\":\"denied\",\"text\":\"this address was not signed here for "
		"this method, or is too old; 'aisbx file url' makes one\"}}";

	exchange_reply(x, 403, "application/json", text, sizeof(text) - 1);
}

void signed_files_request(struct transfers *t, struct exchange *x)
{
	const struct file_url_text given = { .method = exchange_method(x),
					     .owner = part(x, "owner"),
					     .box = part(x, "box"),
					     .path = part(x, "path"),
					     .until = part(x, "until"),
					     .signature = part(x, "signature") };
	scoped(buf_finish) struct buf path = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	uint8_t key[SHA256_BYTES];
	struct transfer_where where;
	struct file_url url;
	bool good =
		file_url_key(key, &e) == 0 && file_url_read(&given, key, (uint64_t)time(NULL), &path, &url);

	explicit_bzero(key, sizeof(key));
	if (!good) {
		refuse(x);
		return;
	}
	where = (struct transfer_where){ *url.owner ? url.owner : NULL, url.box, url.path };
	if (url.writes)
		transfer_write(t, x, &where);
	else
		transfer_read(t, x, &where);
}
