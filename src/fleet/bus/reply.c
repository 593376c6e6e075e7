/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of JetStream: headers, statuses and JSON. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "fleet/bus/parts.h"

#define WRONG_LAST "wrong last sequence: "

static void drop_json(json_t **json)
{
	json_decref(*json);
}

bool reply_parse(natsMsg *msg, struct reply *ret)
{
	scoped(drop_json) json_t *root = json_loadb(natsMsg_GetData(msg), (size_t)natsMsg_GetDataLength(msg),
						    JSON_REJECT_DUPLICATES, NULL);
	const json_t *error = json_object_get(root, "error");
	const json_t *seq = json_object_get(root, "seq");
	const char *text = json_string_value(json_object_get(error, "description"));
	uint64_t there;

	if (!json_is_object(root))
		return false;
	*ret = (struct reply){ .ok = !error };
	if (json_is_integer(seq) && json_integer_value(seq) > 0)
		ret->seq = (uint64_t)json_integer_value(seq);
	if (!error)
		return true;
	ret->code = (int)json_integer_value(json_object_get(error, "err_code"));
	snprintf(ret->text, sizeof(ret->text), "%s", text ? text : "");
	if (strncmp(ret->text, WRONG_LAST, strlen(WRONG_LAST)) == 0 &&
	    str_to_u64(ret->text + strlen(WRONG_LAST), &there))
		ret->seq = there;
	return true;
}

void reply_header(natsMsg *msg, const char *name, char *ret, size_t size)
{
	scoped(drop_mem) const char **values = NULL;
	int n = 0;

	ret[0] = '\0';
	if (natsMsgHeader_Values(msg, name, &values, &n) == NATS_OK && n > 0 && strlen(values[n - 1]) < size)
		strcpy(ret, values[n - 1]);
}

uint64_t reply_number(natsMsg *msg, const char *name)
{
	char text[32];
	uint64_t n;

	reply_header(msg, name, text, sizeof(text));
	return str_to_u64(text, &n) ? n : 0;
}

int reply_status(natsMsg *msg)
{
	char stream[64], text[8];
	uint64_t n;

	/* A publisher may have written a Status of its own; the server says of all that is stored where. */
	reply_header(msg, "Nats-Stream", stream, sizeof(stream));
	if (*stream || natsMsg_GetDataLength(msg) > 0)
		return 0;
	reply_header(msg, "Status", text, sizeof(text));
	return str_to_u64(text, &n) && n < 1000 ? (int)n : 0;
}
