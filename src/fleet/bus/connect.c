/* SPDX-License-Identifier: Apache-2.0 */
/* How a connection to the engine is made: where to, as whom, whom to believe; and what is told when it is
 * not. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "fleet/bus/parts.h"

#define CREDS_MAX     16384
#define RECONNECT_BUF (1 << 20)

static void drop_options(natsOptions **options)
{
	natsOptions_Destroy(*options);
}

int bus_fail(struct aisbx_error *e, natsStatus s, const char *fmt, ...)
{
	static const struct {
		natsStatus s;
		int err;
		enum aisbx_kind kind;
	} known[] = {
		{ NATS_TIMEOUT, ETIMEDOUT, AISBX_KIND_TIMEOUT },
		{ NATS_NO_SERVER, ECONNREFUSED, AISBX_KIND_NOT_FOUND },
		{ NATS_NO_RESPONDERS, ENOENT, AISBX_KIND_NOT_FOUND },
		{ NATS_CONNECTION_AUTH_FAILED, EACCES, AISBX_KIND_DENIED },
		{ NATS_NOT_PERMITTED, EACCES, AISBX_KIND_DENIED },
		{ NATS_CONNECTION_CLOSED, ENOTCONN, AISBX_KIND_NOT_FOUND },
		{ NATS_INVALID_ARG, EINVAL, AISBX_KIND_USAGE },
		{ NATS_INVALID_SUBJECT, EINVAL, AISBX_KIND_USAGE },
		{ NATS_NO_MEMORY, ENOMEM, AISBX_KIND_LIMIT },
	};
	int err = EIO;
	enum aisbx_kind kind = AISBX_KIND_INTERNAL;
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].s == s) {
			err = known[i].err;
			kind = known[i].kind;
		}
	}
	return aisbx_refuse(e, kind, AISBX_AREA_SYS, err, "%s: %s", what, natsStatus_GetText(s));
}

/* The seed in a file that holds nothing else but comments and white space; "" if there is something else, as
 * a user's JWT. */
static int read_seed(const char *path, char ret[128], struct aisbx_error *e)
{
	char text[CREDS_MAX + 1], *save = NULL;
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	ret[0] = '\0';
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "open the credentials '%s'", path);
	n = read(fd, text, CREDS_MAX);
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "read the credentials '%s'", path);
	text[n] = '\0';
	if (!strstr(text, "-----BEGIN")) {
		for (char *line = strtok_r(text, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save)) {
			if (line[0] == 'S' && strlen(line) < 128)
				strcpy(ret, line);
		}
		if (!*ret) {
			explicit_bzero(text, sizeof(text));
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "'%s' holds neither the credentials of a NATS user (as nsc makes "
					    "them) nor the "
					    "seed of an nkey (SU...)",
					    path);
		}
	}
	explicit_bzero(text, sizeof(text));
	return 0;
}

static int set_creds(natsOptions *o, const char *path, struct aisbx_error *e)
{
	char seed[128], public[NKEY_LEN];
	natsStatus s;
	int r = read_seed(path, seed, e);

	if (r < 0)
		return r;
	if (!*seed) {
		s = natsOptions_SetUserCredentialsFromFiles(o, path, NULL);
	} else {
		r = nkey_public(seed, public);
		explicit_bzero(seed, sizeof(seed));
		if (r < 0)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "'%s' holds no seed of a user's nkey; `nk -gen user` makes one",
					    path);
		s = natsOptions_SetNKeyFromSeed(o, public, path);
	}
	return s == NATS_OK ? 0 : bus_fail(e, s, "use the credentials '%s'", path);
}

static int set_tls(natsOptions *o, const struct bus_options *options, struct aisbx_error *e)
{
	natsStatus s;

	if (!options->ca && !strstr(options->url, "tls://"))
		return 0;
	s = natsOptions_SetSecure(o, true);
	if (s == NATS_OK && options->ca)
		s = natsOptions_LoadCATrustedCertificates(o, options->ca);
	if (s != NATS_OK)
		return bus_fail(e, s, "use TLS with the certificates of %s",
				options->ca ? options->ca : "this system");
	return 0;
}

/* Nobody else's answers come there, if permissions give each its own: _INBOX.node.NAME.>,
 * _INBOX.tenant.TENANT.>, _INBOX.hub.>, _INBOX.admin.> */
static int set_inbox(struct bus *bus, natsOptions *o, struct aisbx_error *e)
{
	static const char *const role[] = {
		[BUS_SUBMITTER] = "tenant", [BUS_NODE] = "node", [BUS_HUB] = "hub", [BUS_ADMIN] = "admin"
	};
	char prefix[160];
	uint64_t random;
	natsStatus s;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return aisbx_fail(e, AISBX_AREA_SYS, errno, "getrandom");
	if (bus->role == BUS_SUBMITTER)
		snprintf(prefix, sizeof(prefix), "_INBOX.tenant.%s.%s", bus->tenant, bus->name);
	else
		snprintf(prefix, sizeof(prefix), "_INBOX.%s.%s", role[bus->role], bus->name);
	snprintf(bus->inbox, sizeof(bus->inbox), "%s.%016llx.", prefix, (unsigned long long)random);
	s = natsOptions_SetCustomInboxPrefix(o, prefix);
	return s == NATS_OK ? 0 : bus_fail(e, s, "have '%s' as prefix of inboxes", prefix);
}

static natsStatus set_servers(natsOptions *o, const char *url)
{
	const char *urls[64];
	char list[4096], *save = NULL;
	int n = 0;

	if (strlen(url) >= sizeof(list))
		return NATS_INVALID_ARG;
	strcpy(list, url);
	for (char *one = strtok_r(list, ", ", &save); one && n < 64; one = strtok_r(NULL, ", ", &save))
		urls[n++] = one;
	return n ? natsOptions_SetServers(o, urls, n) : NATS_INVALID_ARG;
}

static natsStatus set_rest(struct bus *bus, natsOptions *o, uint64_t connect_ms)
{
	natsStatus s = natsOptions_SetTimeout(o, (int64_t)connect_ms);

	if (s == NATS_OK)
		s = natsOptions_SetName(o, bus->name);
	if (s == NATS_OK)
		s = natsOptions_SetMaxReconnect(o, -1);
	if (s == NATS_OK)
		s = natsOptions_SetReconnectWait(o, 250);
	if (s == NATS_OK) /* so that ten thousand do not come back in the same moment */
		s = natsOptions_SetReconnectJitter(o, 1000, 2000);
	if (s == NATS_OK)
		s = natsOptions_SetReconnectBufSize(o, RECONNECT_BUF);
	if (s == NATS_OK) /* a server that is silent for half a minute is lost */
		s = natsOptions_SetPingInterval(o, 10000);
	if (s == NATS_OK)
		s = natsOptions_SetMaxPingsOut(o, 2);
	if (s == NATS_OK) /* else each waits a millisecond for others to be sent with, and each hop is that
			     much longer */
		s = natsOptions_SetSendAsap(o, true);
	if (s == NATS_OK) /* one thread for all buses of the program: it only puts letters into mailboxes */
		s = natsOptions_UseGlobalMessageDelivery(o, true);
	if (s == NATS_OK)
		s = mailbox_options(bus->box, o);
	return s;
}

int bus_connect(struct bus *bus, const struct bus_options *options, struct aisbx_error *e)
{
	scoped(drop_options) natsOptions *o = NULL;
	uint64_t connect_ms = options->connect_ms ? options->connect_ms : 5000;
	uint64_t until = time_ms() + connect_ms;
	natsStatus s = natsOptions_Create(&o);
	int r;

	if (s == NATS_OK)
		s = set_servers(o, options->url);
	if (s == NATS_OK)
		s = set_rest(bus, o, connect_ms);
	if (s != NATS_OK)
		return bus_fail(e, s, "prepare a connection to '%s'", options->url);
	r = set_inbox(bus, o, e);
	if (r == 0)
		r = set_tls(o, options, e);
	if (r == 0 && options->creds)
		r = set_creds(o, options->creds, e);
	if (r < 0)
		return r;
	while ((s = natsConnection_Connect(&bus->nc, o)) == NATS_NO_SERVER && time_ms() < until)
		nats_Sleep(100);
	if (s == NATS_OK) {
		mailbox_connected(bus->box);
		return 0;
	}
	bus_fail(e, s, "connect to NATS at '%s'", options->url);
	if (s == NATS_CONNECTION_AUTH_FAILED)
		return aisbx_hint(e, "the server does not know this user: look at %s%s",
				  options->creds ? "the file " : "--creds",
				  options->creds ? options->creds : "");
	return aisbx_hint(e, "is nats-server running there, and may this machine reach it?");
}

int bus_identify(natsOptions *o, const struct bus_options *options, struct aisbx_error *e)
{
	struct bus who = { .role = options->role };
	natsStatus s = set_servers(o, options->url);
	int r = s == NATS_OK ? 0 : bus_fail(e, s, "use the address '%.100s'", options->url);

	snprintf(who.name, sizeof(who.name), "%s", options->name ? options->name : "");
	snprintf(who.tenant, sizeof(who.tenant), "%s", options->tenant ? options->tenant : "");
	if (r == 0 && options->creds)
		r = set_creds(o, options->creds, e);
	if (r == 0)
		r = set_tls(o, options, e);
	return r == 0 ? set_inbox(&who, o, e) : r;
}
