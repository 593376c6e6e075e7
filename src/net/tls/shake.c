/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beginning of TLS: the client says what it can, then the host is asked the same and checked, then the
 * client gets its answer: the same version of HTTP, with a certificate of the box's own authority.
 */
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "net/tls/tls.h"

static const unsigned char name_h2[] = { 2, 'h', '2' };
static const unsigned char name_h1[] = { 8, 'h', 't', 't', 'p', '/', '1', '.', '1' };

static void fail(struct conn *c, enum net_reason reason)
{
	struct verdict v = { .reason = reason };

	conn_refused(c, &v);
	c->reason = reason;
	if (reason != NET_NO_REASON)
		c->verdict = NET_REFUSED;
	conn_over(c);
}

/* The one name of the extension is the connection's. */
static bool is_named(const unsigned char *x, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len == n + 5 && (size_t)(x[0] << 8 | x[1]) == n + 3 && x[2] == TLSEXT_NAMETYPE_host_name &&
	       (size_t)(x[3] << 8 | x[4]) == n && !strncasecmp((const char *)x + 5, name, n);
}

static void read_offer(struct conn *c, const unsigned char *x, size_t len)
{
	size_t n;

	for (size_t at = 2; at < len && at + 1 + x[at] <= len; at += n + 1) {
		n = x[at];
		c->offers_h2 |= n == 2 && !memcmp(x + at, name_h2, 3);
		c->offers_h1 |= n == 8 && !memcmp(x + at, name_h1, 9);
	}
}

static int on_hello(SSL *ssl, int *alert, void *arg)
{
	struct conn *c = SSL_get_app_data(ssl);
	const unsigned char *x;
	size_t len;

	(void)arg;
	if (c->hello_seen)
		return SSL_CLIENT_HELLO_SUCCESS;
	if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &x, &len) ||
	    !is_named(x, len, c->name)) {
		*alert = SSL_AD_UNRECOGNIZED_NAME;
		c->reason = NET_WRONG_SNI;
		return SSL_CLIENT_HELLO_ERROR;
	}
	if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &x, &len)) {
		c->offers_h1 = true;
	} else {
		read_offer(c, x, len);
		if (!c->offers_h1 && !c->offers_h2) {
			*alert = SSL_AD_NO_APPLICATION_PROTOCOL;
			c->reason = NET_BAD_HTTP;
			return SSL_CLIENT_HELLO_ERROR;
		}
	}
	c->hello_seen = true;
	return SSL_CLIENT_HELLO_RETRY;
}

static int on_choice(SSL *ssl, const unsigned char **ret, unsigned char *ret_len, const unsigned char *in,
		     unsigned int n, void *arg)
{
	const struct conn *c = SSL_get_app_data(ssl);

	(void)arg;
	(void)in;
	(void)n;
	*ret = (c->h2 ? name_h2 : name_h1) + 1;
	*ret_len = c->h2 ? 2 : 8;
	return SSL_TLSEXT_ERR_OK;
}

static void set_common(SSL_CTX *ctx)
{
	SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
	SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
	SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
				      SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
}

bool shake_contexts(struct tls *t, X509_STORE *roots)
{
	t->for_client = SSL_CTX_new(TLS_server_method());
	t->for_host = SSL_CTX_new(TLS_client_method());
	if (!t->for_client || !t->for_host)
		return false;
	set_common(t->for_client);
	set_common(t->for_host);
	SSL_CTX_set_num_tickets(t->for_client, 0);
	/* A client that half closes its socket still wants its answer; what it sent has lengths of its own.
	 */
	SSL_CTX_set_options(t->for_client, SSL_OP_IGNORE_UNEXPECTED_EOF);
	SSL_CTX_set_client_hello_cb(t->for_client, on_hello, NULL);
	SSL_CTX_set_alpn_select_cb(t->for_client, on_choice, NULL);
	SSL_CTX_set1_cert_store(t->for_host, roots);
	SSL_CTX_set_verify(t->for_host, SSL_VERIFY_PEER, NULL);
	return true;
}

bool shake_begin(struct conn *c)
{
	struct tls *t = c->tls;
	X509 *leaf = ca_leaf(&t->ca, c->name);

	c->client.ssl = SSL_new(t->for_client);
	c->host.ssl = SSL_new(t->for_host);
	if (!leaf || !c->client.ssl || !c->host.ssl || SSL_set_app_data(c->client.ssl, c) != 1 ||
	    SSL_use_certificate(c->client.ssl, leaf) != 1 ||
	    SSL_use_PrivateKey(c->client.ssl, t->ca.leaf_key) != 1 ||
	    SSL_set_fd(c->client.ssl, c->client.fd) != 1 || SSL_set_fd(c->host.ssl, c->host.fd) != 1 ||
	    SSL_set_tlsext_host_name(c->host.ssl, c->name) != 1 || SSL_set1_host(c->host.ssl, c->name) != 1)
		return false;
	SSL_set_hostflags(c->host.ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	SSL_set_accept_state(c->client.ssl);
	SSL_set_connect_state(c->host.ssl);
	return true;
}

/* Offers to the host what the client offered. */
static void offer(struct conn *c)
{
	unsigned char list[16];
	unsigned int n = 0;

	if (c->offers_h2) {
		memcpy(list, name_h2, 3);
		n = 3;
	}
	if (c->offers_h1) {
		memcpy(list + n, name_h1, 9);
		n += 9;
	}
	SSL_set_alpn_protos(c->host.ssl, list, n);
}

/* Whether there is something to wait for: then 0. */
static int outcome(struct end *e, int r)
{
	int error = SSL_get_error(e->ssl, r);

	e->wants_write = error == SSL_ERROR_WANT_WRITE;
	return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0 : error;
}

/* The host is of no use; the client is told why in its own language. */
static void host_failed(struct conn *c, const char *why)
{
	snprintf(c->host_error, sizeof(c->host_error), "%s cannot be used: %s", c->name, why);
	c->verdict = NET_BROKEN;
	c->reason = NET_UNREACHED;
	conn_drop(c, &c->host);
	c->h2 = !c->offers_h1;
	c->state = CONN_CLIENT;
}

static bool step_host(struct conn *c)
{
	int r = SSL_do_handshake(c->host.ssl);
	const unsigned char *chosen = NULL;
	unsigned int n = 0;
	long checked;

	if (r != 1) {
		char why[256] = "its TLS failed";
		unsigned long code;

		if (!outcome(&c->host, r))
			return false;
		checked = SSL_get_verify_result(c->host.ssl);
		code = ERR_peek_error();
		if (checked != X509_V_OK)
			snprintf(why, sizeof(why), "its certificate is not accepted: %s",
				 X509_verify_cert_error_string(checked));
		else if (code)
			snprintf(why, sizeof(why), "its TLS failed: %s", ERR_reason_error_string(code));
		ERR_clear_error();
		host_failed(c, why);
		return true;
	}
	c->host.wants_write = false;
	SSL_get0_alpn_selected(c->host.ssl, &chosen, &n);
	c->h2 = n == 2 && !memcmp(chosen, "h2", 2);
	if (!c->h2 && !c->offers_h1)
		host_failed(c, "it does not speak HTTP/2, and the client nothing else");
	c->state = CONN_CLIENT;
	return true;
}

/* What people need to know who wonder why a client does not work. */
static void note_distrust(struct conn *c)
{
	switch (ERR_GET_REASON(ERR_peek_error())) {
	case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
	case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
	case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
		c->verdict = NET_BROKEN;
		snprintf(c->host_error, sizeof(c->host_error),
			 "the client does not accept the certificate of the box's authority for %s: it has "
			 "roots of its own, or knows one certificate only",
			 c->name);
		break;
	default:
		break;
	}
}

static bool step_client(struct conn *c)
{
	int r = SSL_do_handshake(c->client.ssl), error;

	if (r == 1) {
		c->client.wants_write = false;
		c->protocol = c->h2 ? &protocol_h2 : &protocol_h1;
		c->state = CONN_RUN;
		if (!c->protocol->open(c))
			conn_over(c);
		return true;
	}
	error = outcome(&c->client, r);
	if (!error)
		return false;
	note_distrust(c);
	ERR_clear_error();
	if (error == SSL_ERROR_WANT_CLIENT_HELLO_CB) {
		offer(c);
		c->state = CONN_HOST;
		return true;
	}
	fail(c, c->reason == NET_UNREACHED ? NET_NO_REASON : c->reason);
	return true;
}

bool shake_step(struct conn *c)
{
	return c->state == CONN_HOST ? step_host(c) : step_client(c);
}
