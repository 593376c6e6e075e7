/* SPDX-License-Identifier: Apache-2.0 */
/* Starts aisbx-tls and tells it rules and secrets. What it does with connections it tells the broker. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "net/tls_control.h"
#include "run/network.h"
#include "run/spec.h"
#include "sys/sys.h"

#define PATIENCE_MS 15000

static bool is_needed(const struct strlist *rules, size_t n_injected)
{
	for (size_t i = 0; i < rules->n; i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct egress_rule r;

		if (egress_rule_parse(rules->items[i], &r, &e) == 0 && egress_rule_ends_tls(&r))
			return true;
	}
	return n_injected;
}

static void add(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text) + 1);
}

static void add_secret(struct buf *b, const struct run_injected *s)
{
	char port[8];

	snprintf(port, sizeof(port), "%u", s->port);
	add(b, "secret");
	add(b, s->name);
	add(b, s->host);
	add(b, port);
	add(b, s->how);
	add(b, s->header);
	add(b, s->placeholder);
	add(b, s->value);
}

static int seal(const struct strlist *rules, const struct run_net *net, int *ret_fd, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf b = { 0 };
	scoped(drop_fd) int fd = sys_memfd("tls");
	int r;

	for (size_t i = 0; i < rules->n; i++) {
		add(&b, "rule");
		add(&b, rules->items[i]);
	}
	for (size_t i = 0; net && i < net->n_injected; i++)
		add_secret(&b, &net->injected[i]);
	r = fd < 0 ? fd : b.failed ? -ENOMEM : sys_write_all(fd, b.data, b.len);
	if (b.data)
		explicit_bzero(b.data, b.len);
	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = -errno;
	if (r == 0)
		r = sys_memfd_seal(fd);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "write down rules and secrets for aisbx-tls");
	*ret_fd = take_fd(&fd);
	return 0;
}

static int spawn(struct network *n, struct aisbx_error *e)
{
	/* Where it finds the roots of the person's machine, a company's own among them. */
	static const char *const passed[] = { "SSL_CERT_FILE", "SSL_CERT_DIR", NULL };
	int r = network_start_program("aisbx-tls", passed, &n->tls_pid, &n->tls, e);

	return r == -ENOENT
		       ? aisbx_hint(e,
				    "rules with a method or path and injected secrets need it; it is built "
				    "where OpenSSL and nghttp2 are")
		       : r;
}

static int await_authority(struct network *n, struct aisbx_error *e)
{
	static struct tls_message m;
	struct pollfd p = { .fd = n->tls, .events = POLLIN };
	int fds[SYS_MAX_FDS];
	ssize_t got;

	memset(&m, 0, sizeof(m)); /* its text may be shorter than there is room */
	got = poll(&p, 1, PATIENCE_MS) > 0 ? sys_recv(n->tls, &m, sizeof(m), fds, MSG_DONTWAIT) : 0;

	for (int i = 0; got > 0 && i < SYS_MAX_FDS; i++)
		drop_fd(&fds[i]);
	if (got < (ssize_t)offsetof(struct tls_message, text) ||
	    (m.word != TLS_READY && m.word != TLS_FAILED))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EPROTO,
				    "aisbx-tls ended or does not answer");
	m.text[sizeof(m.text) - 1] = m.error.text[sizeof(m.error.text) - 1] = '\0';
	if (m.word == TLS_FAILED) {
		*e = m.error;
		return e->code < 0 ? e->code : -EPROTO;
	}
	n->authority = strdup(m.text);
	return n->authority ? 0 : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "keep the authority of the box");
}

int network_begin_tls(struct network *n, const struct run_net *net, struct aisbx_error *e)
{
	static struct tls_message m;
	scoped(drop_fd) int config = -1;
	int r;

	n->net = net;
	if (!is_needed(&net->rules, net->n_injected))
		return 0;
	r = spawn(n, e);
	if (r == 0)
		r = seal(&net->rules, net, &config, e);
	m = (struct tls_message){ .word = TLS_SETUP };
	if (r == 0 && sys_send(n->tls, &m, sizeof(m), &config, 1) < 0)
		r = aisbx_fail(e, AISBX_AREA_RUN, EPROTO, "tell aisbx-tls its rules");
	return r < 0 ? r : await_authority(n, e);
}

int network_change_tls(struct network *n, const struct strlist *rules, struct aisbx_error *e)
{
	static struct tls_message m;
	scoped(drop_fd) int config = -1;
	int r;

	if (n->tls < 0 && is_needed(rules, 0))
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			"the box is live and does not trust an authority of its own, so rules with a "
			"method or path cannot be added; give one to its next run with --net");
	if (n->tls < 0)
		return 0;
	r = seal(rules, n->net, &config, e);
	m = (struct tls_message){ .word = TLS_CONFIG };
	/* Its answer goes to the broker, who knows that it is none of its own. */
	if (r == 0 && sys_send(n->tls, &m, sizeof(m), &config, 1) < 0)
		r = aisbx_fail(e, AISBX_AREA_RUN, EPROTO, "tell aisbx-tls its rules");
	return r;
}

void network_finish_tls(struct network *n)
{
	close_fd(&n->tls);
	if (n->tls_pid > 0) {
		kill(n->tls_pid, SIGKILL);
		waitpid(n->tls_pid, NULL, 0);
		n->tls_pid = 0;
	}
	free(n->authority);
	n->authority = NULL;
}
