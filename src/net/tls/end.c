/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing one end, without ever waiting. */
#include "net/tls/end.h"

#include <errno.h>
#include <openssl/err.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"

#define PIECE 16384u
#define KEPT  (64u << 10) /* of an empty buffer's memory */

void end_finish(struct end *e)
{
	SSL_free(e->ssl);
	close_fd(&e->fd);
	buf_finish(&e->in);
	buf_finish(&e->out);
	*e = (struct end){ .fd = -1 };
}

/* What a call of the library that did nothing means. */
static void note(struct end *e, int r)
{
	switch (SSL_get_error(e->ssl, r)) {
	case SSL_ERROR_WANT_READ:
		break;
	case SSL_ERROR_WANT_WRITE:
		e->wants_write = true;
		break;
	case SSL_ERROR_ZERO_RETURN:
		e->eof = true;
		break;
	case SSL_ERROR_SSL:
		e->cut = e->eof = true;
		e->broken = ERR_GET_REASON(ERR_peek_error()) != SSL_R_UNEXPECTED_EOF_WHILE_READING;
		break;
	default:
		e->cut = e->eof = e->broken = true;
	}
	ERR_clear_error();
}

static ssize_t plain(struct end *e, ssize_t n, bool reading)
{
	if (n == 0 && reading)
		e->eof = true;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		e->cut = e->eof = e->broken = true;
	return n;
}

static ssize_t read_some(struct end *e, char *to, size_t len)
{
	int n;

	if (!e->ssl)
		return plain(e, recv(e->fd, to, len, MSG_DONTWAIT), true);
	n = SSL_read(e->ssl, to, (int)len);
	if (n <= 0)
		note(e, n);
	return n;
}

bool end_fill(struct end *e)
{
	char piece[PIECE];
	bool any = false;
	ssize_t n;

	e->wants_write = false;
	while (!e->eof && end_len(e) < END_IN_MAX && (n = read_some(e, piece, sizeof(piece))) > 0) {
		buf_add(&e->in, piece, (size_t)n);
		e->bytes_in += (uint64_t)n;
		any = true;
	}
	if (e->in.failed)
		e->eof = e->broken = true;
	return any;
}

void end_take(struct end *e, size_t n)
{
	e->in_at += n;
	if (e->in_at == e->in.len) {
		e->in.len = e->in_at = 0;
		if (e->in.cap > KEPT)
			buf_finish(&e->in);
	} else if (e->in_at > KEPT) {
		e->in.len -= e->in_at;
		memmove(e->in.data, e->in.data + e->in_at, e->in.len);
		e->in_at = 0;
	}
}

size_t end_room(const struct end *e)
{
	return e->broken || e->ending || end_unsent(e) >= END_OUT_MAX ? 0 : END_OUT_MAX - end_unsent(e);
}

void end_put(struct end *e, const void *data, size_t len)
{
	if (e->out_at > KEPT) {
		e->out.len -= e->out_at;
		memmove(e->out.data, e->out.data + e->out_at, e->out.len);
		e->out_at = 0;
	}
	buf_add(&e->out, data, len);
	e->broken |= e->out.failed;
}

static ssize_t write_some(struct end *e, const char *from, size_t len)
{
	int n;

	if (!e->ssl)
		return plain(e, send(e->fd, from, len, MSG_DONTWAIT | MSG_NOSIGNAL), false);
	n = SSL_write(e->ssl, from, len > (1 << 20) ? 1 << 20 : (int)len);
	if (n <= 0) {
		bool eof = e->eof, cut = e->cut;

		note(e, n);
		if (!e->broken) { /* it was about writing */
			e->eof = eof;
			e->cut = cut;
		}
	}
	return n;
}

/* Says that nothing follows. */
static void say_end(struct end *e)
{
	if (e->ssl && !e->rude && SSL_is_init_finished(e->ssl) && SSL_shutdown(e->ssl) < 0)
		ERR_clear_error();
	shutdown(e->fd, SHUT_WR);
	e->ended = true;
}

bool end_flush(struct end *e)
{
	bool any = false;
	ssize_t n;

	while (!e->broken && end_unsent(e) &&
	       (n = write_some(e, e->out.data + e->out_at, end_unsent(e))) > 0) {
		e->out_at += (size_t)n;
		e->bytes_out += (uint64_t)n;
		any = true;
	}
	if (e->out_at == e->out.len) {
		e->out.len = e->out_at = 0;
		if (e->out.cap > KEPT)
			buf_finish(&e->out);
		if (e->ending && !e->ended && !e->broken)
			say_end(e);
	}
	return any;
}

uint32_t end_events(const struct end *e)
{
	uint32_t events = 0;

	if (e->broken || e->fd < 0)
		return 0;
	if (!e->eof && end_len(e) < END_IN_MAX)
		events |= EPOLLIN;
	if (end_unsent(e) || e->wants_write)
		events |= EPOLLOUT;
	return events;
}
