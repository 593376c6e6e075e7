/* SPDX-License-Identifier: Apache-2.0 */
/* A stream as a log: reading it by a durable consumer. */
#include <errno.h>
#include <nats/nats.h>
#include <string.h>

#include "base/error.h"
#include "fleet/bus/stream_parts.h"

#define SECOND_NS 1000000000LL

/* Made here and bound: one that js_PullSubscribe makes is deleted with the subscription. */
int bus_stream_consume(struct bus_stream *s, const char *durable, struct aisbx_error *e)
{
	jsConsumerConfig config;
	jsConsumerInfo *info = NULL;
	jsSubOptions how;
	jsErrCode code = 0;
	natsStatus st;

	jsConsumerConfig_Init(&config);
	config.Durable = durable;
	config.AckPolicy = js_AckExplicit;
	config.AckWait = BUS_ACK_WAIT_S * SECOND_NS;
	config.DeliverPolicy = js_DeliverAll;
	config.MaxAckPending = 8192;
	st = js_AddConsumer(&info, s->js, s->name, &config, NULL, &code);
	if (st != NATS_OK)
		return bus_stream_fail(s, st, code, e, "make the consumer");
	jsConsumerInfo_Destroy(info);
	natsSubscription_Destroy(s->pull);
	s->pull = NULL;
	jsSubOptions_Init(&how);
	how.Stream = s->name;
	how.Consumer = durable;
	how.ManualAck = true;
	st = js_PullSubscribe(&s->pull, s->js, NULL, durable, NULL, &how, &code);
	return st == NATS_OK ? 0 : bus_stream_fail(s, st, code, e, "bind the consumer");
}

int bus_stream_fetch(struct bus_stream *s, struct bus_fetched *ret, size_t most, uint64_t wait_ms,
		     size_t *ret_n, struct aisbx_error *e)
{
	natsMsgList list = { 0 };
	jsErrCode code = 0;
	natsStatus st = natsSubscription_Fetch(&list, s->pull, (int)most, (int64_t)wait_ms, &code);

	*ret_n = 0;
	if (st == NATS_TIMEOUT)
		return 0;
	if (st != NATS_OK)
		return bus_stream_fail(s, st, code, e, "fetch messages");
	for (int i = 0; i < list.Count; i++) {
		jsMsgMetaData *meta = NULL;
		natsMsg *m = list.Msgs[i];

		if (natsMsg_GetMetaData(&meta, m) != NATS_OK)
			continue; /* no message of a stream: it goes with the list */
		ret[(*ret_n)++] = (struct bus_fetched){ .subject = natsMsg_GetSubject(m),
							.data = natsMsg_GetData(m),
							.len = (size_t)natsMsg_GetDataLength(m),
							.sequence = meta->Sequence.Stream,
							.message = m };
		jsMsgMetaData_Destroy(meta);
		list.Msgs[i] = NULL; /* it is the caller's now */
	}
	natsMsgList_Destroy(&list);
	return 0;
}

int bus_fetched_acknowledge(struct bus_stream *s, struct bus_fetched *list, size_t n, struct aisbx_error *e)
{
	natsStatus st = NATS_OK;
	jsErrCode code = 0;

	/* One answer tells of all: the server takes them in the order in which they came. */
	for (size_t i = 0; st == NATS_OK && i + 1 < n; i++)
		st = natsMsg_Ack(list[i].message, NULL);
	if (st == NATS_OK && n)
		st = natsMsg_AckSync(list[n - 1].message, NULL, &code);
	bus_fetched_finish(list, n);
	return st == NATS_OK ? 0 : bus_stream_fail(s, st, code, e, "acknowledge messages");
}

void bus_fetched_return(struct bus_fetched *list, size_t n)
{
	for (size_t i = 0; i < n && natsMsg_Nak(list[i].message, NULL) == NATS_OK; i++)
		;
	bus_fetched_finish(list, n);
}

void bus_fetched_finish(struct bus_fetched *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		natsMsg_Destroy(list[i].message);
}
