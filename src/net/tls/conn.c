/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a connection between two sockets that somebody else opened. */
#include "net/tls/conn.h"

#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/time.h"
#include "net/tls/tls.h"

#define SHAKE_MS  30000u
#define LINGER_MS 5000u
#define MAX_TURNS 32
#define TELL_EACH (1u << 20) /* bytes */

void conn_place(struct conn *c, struct place *ret)
{
	c->tls->config->users++;
	*ret = (struct place){ c->tls->config, c->name, c->port };
}

void place_drop(struct place *p)
{
	config_drop(p->config);
	p->config = NULL;
}

const char *conn_status_text(unsigned int status)
{
	static const struct {
		unsigned int status;
		const char *text;
	} texts[] = {
		{ 100, "Continue" },
		{ 101, "Switching Protocols" },
		{ 200, "OK" },
		{ 201, "Created" },
		{ 202, "Accepted" },
		{ 204, "No Content" },
		{ 206, "Partial Content" },
		{ 301, "Moved Permanently" },
		{ 302, "Found" },
		{ 304, "Not Modified" },
		{ 307, "Temporary Redirect" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 413, "Content Too Large" },
		{ 421, "Misdirected Request" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 502, "Bad Gateway" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "Status";
}

static struct tls_message row_of(const struct conn *c, uint32_t word)
{
	struct tls_message m = { .word = word, .id = c->id, .port = c->port };

	m.row.act = NET_TCP;
	m.row.count = 1;
	m.row.port = c->port;
	snprintf(m.name, sizeof(m.name), "%s", c->name);
	snprintf(m.row.name, sizeof(m.row.name), "%s", c->name);
	return m;
}

void conn_refused(struct conn *c, const struct verdict *v)
{
	struct tls_message m = row_of(c, TLS_ROW);

	if (v->reason == NET_NO_REASON)
		return;
	m.row.verdict = NET_REFUSED;
	m.row.reason = v->reason;
	snprintf(m.row.rule, sizeof(m.row.rule), "%s", v->rule);
	snprintf(m.text, sizeof(m.text), "%s", v->text);
	control_say(c->tls, &m);
}

static void tell_bytes(struct conn *c, uint32_t word)
{
	struct tls_message m = row_of(c, word);

	m.row.count = word == TLS_CLOSED;
	m.row.verdict = c->verdict;
	m.row.reason = c->reason;
	m.row.sent = c->client.bytes_in - c->told_sent;
	m.row.received = c->client.bytes_out - c->told_received;
	c->told_sent = c->client.bytes_in;
	c->told_received = c->client.bytes_out;
	if (c->verdict == NET_BROKEN)
		snprintf(m.text, sizeof(m.text), "%s", c->host_error);
	control_say(c->tls, &m);
}

void conn_over(struct conn *c)
{
	c->state = CONN_OVER;
}

void conn_drop(struct conn *c, struct end *e)
{
	if (e->armed && e->fd >= 0)
		(void)epoll_ctl(c->tls->poll, EPOLL_CTL_DEL, e->fd, NULL);
	end_finish(e);
	e->eof = e->broken = true;
}

void conn_linger(struct conn *c)
{
	c->client.ending = true;
	c->lingering = true;
	c->deadline = time_ms() + LINGER_MS;
	conn_drop(c, &c->host);
}

struct conn *conn_create(struct tls *t, uint32_t id, const char *name, uint16_t port, int client, int host)
{
	struct conn *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->tls = t;
	c->id = id;
	c->port = port;
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->client.fd = client;
	c->host.fd = host;
	c->deadline = time_ms() + SHAKE_MS;
	c->verdict = NET_ALLOWED;
	c->next = t->conns;
	t->conns = c;
	t->n_conns++;
	return c;
}

/* All was said, and what the client still says is not heard. */
static bool step_linger(struct conn *c)
{
	end_take(&c->client, end_len(&c->client));
	return false;
}

static bool turn(struct conn *c)
{
	bool any;

	ERR_clear_error(); /* what is found there later is of this connection */
	if (c->state != CONN_RUN)
		return shake_step(c);
	any = end_fill(&c->client);
	if (c->host.fd >= 0)
		any |= end_fill(&c->host);
	any |= c->lingering ? step_linger(c) : c->protocol->step(c);
	any |= end_flush(&c->client);
	if (c->host.fd >= 0)
		any |= end_flush(&c->host);
	if (c->client.broken || (c->lingering && c->client.ended && c->client.eof))
		conn_over(c);
	return any;
}

void conn_step(struct conn *c)
{
	bool any = true, ever = false;

	for (int i = 0; any && i < MAX_TURNS && c->state != CONN_OVER; i++) {
		any = turn(c);
		ever |= any;
	}
	c->again = any && c->state != CONN_OVER;
	if (ever && c->state == CONN_RUN && !c->lingering)
		c->deadline = time_ms() + c->tls->config->idle_ms;
	if (c->client.bytes_in + c->client.bytes_out - c->told_sent - c->told_received >= TELL_EACH)
		tell_bytes(c, TLS_BYTES);
}

static void arm(struct conn *c, struct end *e, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = c };
	int how = !events ? EPOLL_CTL_DEL : e->armed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

	if (events == e->armed || e->fd < 0)
		return;
	if (epoll_ctl(c->tls->poll, how, e->fd, &ev) < 0)
		conn_over(c);
	e->armed = events;
}

void conn_arm(struct conn *c)
{
	bool run = c->state == CONN_RUN;

	/* While hands are shaken, one side waits for the other. */
	arm(c, &c->client,
	    run                     ? end_events(&c->client)
	    : c->state == CONN_HOST ? 0
				    : EPOLLIN | (c->client.wants_write ? EPOLLOUT : 0));
	arm(c, &c->host,
	    run                     ? end_events(&c->host)
	    : c->state != CONN_HOST ? 0
				    : EPOLLIN | (c->host.wants_write ? EPOLLOUT : 0));
}

void conn_destroy(struct conn *c)
{
	struct conn **at = &c->tls->conns;

	if (c->state == CONN_HOST) { /* it took too long */
		c->verdict = NET_BROKEN;
		c->reason = NET_UNREACHED;
		snprintf(c->host_error, sizeof(c->host_error), "%s does not answer", c->name);
	}
	tell_bytes(c, TLS_CLOSED);
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->tls->n_conns--;
	if (c->protocol)
		c->protocol->close(c);
	conn_drop(c, &c->client);
	conn_drop(c, &c->host);
	free(c);
}
