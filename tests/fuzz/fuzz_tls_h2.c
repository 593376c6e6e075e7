/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes aisbx-tls behind its TLS: bytes of a client and bytes of a host, in turns, for HTTP/2 and for
 * HTTP/1.1. Whatever comes: no placeholder of another host gets through, no secret comes back, nothing is
 * left.
 *
 * The first byte says which version, and whether the host has a secret; then pieces follow: a byte for who
 * sends it and two for its length.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "net/tls/tls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define SECRET "realSecret-0123456789"
#define FAKE   "fakeSecret-9876543210"
#define PAIR   FAKE "\0" SECRET "\0"

static struct tls tls;
static struct config *configs[2]; /* without and with a secret of the host */

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

void control_say(struct tls *t, const struct tls_message *m)
{
	(void)t;
	must(memchr(m->text, '\0', sizeof(m->text)) && memchr(m->row.rule, '\0', sizeof(m->row.rule)));
}

bool shake_step(struct conn *c)
{
	(void)c;
	return false;
}

static void prepare(void)
{
	static const char with[] = "rule\0net:egress:a.test:443\0rule\0https://a.test/x/* GET\0"
				   "secret\0s\0a.test\0000\0header\0Authorization: Bearer {}\0" PAIR;
	static const char without[] = "rule\0https://a.test/* GET,POST\0"
				      "secret\0s\0b.test\0000\0header\0Authorization: Bearer {}\0" PAIR;
	struct aisbx_error e = AISBX_ERROR_INIT;

	must(config_read(without, sizeof(without) - 1, &configs[0], &e) == 0);
	must(config_read(with, sizeof(with) - 1, &configs[1], &e) == 0);
	tls.poll = tls.control = -1;
}

/* What went to the other end. */
static void collect(int fd, struct buf *ret)
{
	char room[4096];
	ssize_t n;

	while ((n = recv(fd, room, sizeof(room), MSG_DONTWAIT)) > 0)
		buf_add(ret, room, (size_t)n);
}

static bool has(const struct buf *b, const char *text)
{
	return b->len && memmem(b->data, b->len, text, strlen(text));
}

/* What the client knows it may hear again, in a refusal. */
static bool client_knows(const uint8_t *data, size_t len)
{
	struct buf b = { 0 };
	bool known;

	for (data++, len--; len >= 3;) {
		size_t n = (size_t)data[1] << 8 | data[2];

		n = n < len - 3 ? n : len - 3;
		if (!(data[0] & 1))
			buf_add(&b, data + 3, n);
		data += 3 + n;
		len -= 3 + n;
	}
	known = has(&b, SECRET);
	buf_finish(&b);
	return known;
}

/* A WebSocket and a packed body are not; and fields of HTTP/2 are packed for the host. */
static bool looked_at(const uint8_t *data, size_t len)
{
	return (data[0] & 1) && !memmem(data, len, "101", 3) && !memmem(data, len, "ncoding", 7) &&
	       !memmem(data, len, "NCODING", 7);
}

static void turn(struct conn *c, const int fds[2], struct buf *to_client, struct buf *to_host)
{
	if (c->state != CONN_OVER)
		conn_step(c);
	collect(fds[0], to_client);
	collect(fds[1], to_host);
}

static void play(struct conn *c, const int fds[2], const uint8_t *data, size_t len, struct buf *to_client,
		 struct buf *to_host)
{
	while (len >= 3) {
		size_t n = (size_t)data[1] << 8 | data[2];
		int fd = fds[data[0] & 1];

		n = n < len - 3 ? n : len - 3;
		if (send(fd, data + 3, n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 || (data[0] & 2))
			shutdown(fd, SHUT_WR);
		turn(c, fds, to_client, to_host);
		data += 3 + n;
		len -= 3 + n;
	}
	shutdown(fds[0], SHUT_WR);
	turn(c, fds, to_client, to_host);
	shutdown(fds[1], SHUT_WR);
	for (int i = 0; i < 4; i++)
		turn(c, fds, to_client, to_host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct buf to_client = { 0 }, to_host = { 0 };
	int client[2], host[2];
	struct conn *c;

	if (!configs[0])
		prepare();
	if (!len || len > 60000 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, client) < 0)
		return 0;
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, host) == 0);
	tls.config = configs[data[0] >> 1 & 1];
	c = conn_create(&tls, 1, "a.test", 443, client[1], host[1]);
	must(c != NULL);
	c->state = CONN_RUN;
	c->protocol = data[0] & 1 ? &protocol_h1 : &protocol_h2;
	must(c->protocol->open(c));
	play(c, (const int[]){ client[0], host[0] }, data + 1, len - 1, &to_client, &to_host);
	/* Only where it is the host's own is it kept from coming back. */
	must(tls.config == configs[0] || !looked_at(data, len) || !has(&to_client, SECRET) ||
	     client_knows(data, len));
	must(tls.config == configs[1] || !has(&to_host, SECRET) || memmem(data, len, SECRET, strlen(SECRET)));
	must(tls.config == configs[1] || !looked_at(data, len) || !has(&to_host, FAKE));
	conn_destroy(c);
	must(!tls.conns && !tls.n_conns && configs[0]->users == 1 && configs[1]->users == 1);
	close(client[0]);
	close(host[0]);
	buf_finish(&to_client);
	buf_finish(&to_host);
	return 0;
}
