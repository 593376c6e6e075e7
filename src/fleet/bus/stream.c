/* SPDX-License-Identifier: Apache-2.0 */
/* A stream as a log: connecting, asking, appending. */
#include "fleet/bus/stream.h"

#include <errno.h>
#include <nats/nats.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fleet/bus/parts.h"
#include "fleet/bus/stream_parts.h"

#define WAIT_MS 5000
/* In an account of its own a node asks of the fleet's streams by these names, as fleet-users has it. */
#define API_ELSEWHERE "aisbx.api"

int bus_stream_fail(struct bus_stream *s, natsStatus status, int code, struct aisbx_error *e,
		    const char *what)
{
	int err = EIO;

	if (status == NATS_TIMEOUT)
		err = ETIMEDOUT;
	else if (status == NATS_NO_MEMORY)
		err = ENOMEM;
	else if (code == JSStreamNotFoundErr)
		err = ENOENT;
	else if (status == NATS_CONNECTION_CLOSED || status == NATS_CONNECTION_DISCONNECTED ||
		 status == NATS_NO_RESPONDERS || status == NATS_NO_SERVER)
		err = ENOTCONN;
	else if (status == NATS_NOT_PERMITTED)
		err = EACCES;
	return aisbx_refuse(e, aisbx_kind_of(AISBX_AREA_STORE, err), AISBX_AREA_STORE, err,
			    "%s of stream '%s': %s (%d)%s", what, s->name, natsStatus_GetText(status), code,
			    err == ENOENT ? "; a hub makes it when it begins: 'aisbx fleet hub'" : "");
}

static natsStatus set_options(natsOptions *o, const struct bus_options *options)
{
	natsStatus st = natsOptions_SetName(o, options->name ? options->name : "aisbx");

	if (st == NATS_OK)
		st = natsOptions_SetMaxReconnect(o, -1);
	if (st == NATS_OK)
		st = natsOptions_SetReconnectWait(o, 250);
	/* What is asked while there is no connection fails at once, and is asked again by the caller. */
	if (st == NATS_OK)
		st = natsOptions_SetReconnectBufSize(o, 0);
	if (st == NATS_OK)
		st = natsOptions_SetTimeout(o, options->connect_ms ? (int64_t)options->connect_ms : WAIT_MS);
	return st;
}

int bus_stream_open(const struct bus_options *options, const char *name, struct bus_stream **ret,
		    struct aisbx_error *e)
{
	struct bus_stream *s = calloc(1, sizeof(*s));
	natsOptions *o = NULL;
	jsOptions js;
	natsStatus st;
	int r = 0;

	if (!s || !(s->name = strdup(name))) {
		free(s);
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "connect to '%.100s'", options->url);
	}
	jsOptions_Init(&js);
	js.Wait = WAIT_MS;
	st = natsOptions_Create(&o);
	if (st == NATS_OK)
		st = set_options(o, options);
	if (st == NATS_OK)
		r = bus_identify(o, options, e);
	if (st == NATS_OK && r == 0)
		st = natsConnection_Connect(&s->connection, o);
	if (st == NATS_OK && r == 0)
		st = natsConnection_JetStream(&s->js, s->connection, &js);
	natsOptions_Destroy(o);
	if (st != NATS_OK)
		r = bus_fail(e, st, "connect to NATS at '%.100s'", options->url);
	if (r < 0) {
		bus_stream_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void bus_stream_close(struct bus_stream *s)
{
	if (!s)
		return;
	natsSubscription_Destroy(s->pull); /* unsubscribes; the consumer was not made by it, and stays */
	jsCtx_Destroy(s->js);
	natsConnection_Destroy(s->connection);
	free(s->name);
	free(s);
}

int bus_stream_look(struct bus_stream *s, struct bus_stream_state *ret, struct aisbx_error *e)
{
	jsOptions elsewhere;
	jsStreamInfo *info = NULL;
	jsErrCode code = 0;
	natsStatus st = js_GetStreamInfo(&info, s->js, s->name, NULL, &code);

	if (st != NATS_OK && code == JSNotEnabledForAccountErr) {
		jsOptions_Init(&elsewhere);
		elsewhere.Prefix = API_ELSEWHERE;
		elsewhere.Wait = WAIT_MS;
		st = js_GetStreamInfo(&info, s->js, s->name, &elsewhere, &code);
	}
	if (st == NATS_NOT_FOUND)
		code = JSStreamNotFoundErr;
	if (st != NATS_OK)
		return bus_stream_fail(s, st, code, e, "ask for the state");
	*ret = (struct bus_stream_state){ .created_ns = info->Created,
					  .first = info->State.FirstSeq,
					  .last = info->State.LastSeq };
	jsStreamInfo_Destroy(info);
	return 0;
}

int bus_stream_last(struct bus_stream *s, const char *subject, char **ret_data, size_t *ret_len,
		    uint64_t *ret_sequence, struct aisbx_error *e)
{
	/* Its subject names what is asked for, so that a node may be allowed its own alone. */
	jsDirectGetMsgOptions which = { .LastBySubject = subject };
	natsMsg *m = NULL;
	natsStatus st = js_DirectGetMsg(&m, s->js, s->name, NULL, &which);
	size_t len;
	char *data;

	if (st == NATS_NOT_FOUND)
		return -ENOENT;
	if (st != NATS_OK)
		return bus_stream_fail(s, st, 0, e, "ask for the last message");
	len = (size_t)natsMsg_GetDataLength(m);
	data = malloc(len + 1);
	if (data) {
		memcpy(data, natsMsg_GetData(m), len);
		data[len] = '\0';
		*ret_data = data;
		*ret_len = len;
		*ret_sequence = natsMsg_GetSequence(m);
	}
	natsMsg_Destroy(m);
	return data ? 0
		    : aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read the last message of '%.100s'", subject);
}

int bus_stream_append(struct bus_stream *s, const char *subject, const char *id, const void *data, size_t len,
		      uint64_t after, uint64_t *ret_sequence, struct aisbx_error *e)
{
	jsPubAck *ack = NULL;
	jsErrCode code = 0;
	jsPubOptions o;
	natsStatus st;
	int r = 0;

	jsPubOptions_Init(&o);
	o.MsgId = id;
	o.ExpectStream = s->name;
	o.ExpectLastSubjectSeq = after;
	o.ExpectNoMessage = after == 0;
	st = js_Publish(&ack, s->js, subject, data, (int)len, &o, &code);
	if (st != NATS_OK && code == JSStreamWrongLastSequenceErr)
		return aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_STORE, ESTALE,
				    "append to '%.100s': message %llu is not the last one any more", subject,
				    (unsigned long long)after);
	if (st != NATS_OK)
		return bus_stream_fail(s, st, code, e, "append a message");
	if (ack->Duplicate)
		r = aisbx_refuse(e, AISBX_KIND_STALE, AISBX_AREA_STORE, ESTALE,
				 "append to '%.100s': message '%.80s' was stored before", subject, id);
	else
		*ret_sequence = ack->Sequence;
	jsPubAck_Destroy(ack);
	return r;
}
