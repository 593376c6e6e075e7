/* SPDX-License-Identifier: Apache-2.0 */
/* One file with all roots, and the variables of the clients that have one of their own. */
#include "driver/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"

#define ROOTS_MAX (4u << 20)

/* Most of them replace the roots that the client would use: so they get a file with all. */
static const char *const variables[] = { "SSL_CERT_FILE",    "NODE_EXTRA_CA_CERTS",
					 "CURL_CA_BUNDLE",   "REQUESTS_CA_BUNDLE",
					 "PIP_CERT",         "GIT_SSL_CAINFO",
					 "AWS_CA_BUNDLE",    "CARGO_HTTP_CAINFO",
					 "DENO_CERT",        "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
					 "NIX_SSL_CERT_FILE" };

/* Of Debian and its kin, Fedora and its kin, SUSE, Alpine. */
static const char *const bundles[] = { "/etc/ssl/certs/ca-certificates.crt",
				       "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
				       "/etc/ssl/cert.pem" };

static int open_bundle(void)
{
	const char *own = getenv("SSL_CERT_FILE");
	int fd = own && *own ? open(own, O_RDONLY | O_CLOEXEC) : -1;

	for (size_t i = 0; fd < 0 && i < sizeof(bundles) / sizeof(*bundles); i++)
		fd = open(bundles[i], O_RDONLY | O_CLOEXEC);
	return fd;
}

int trust_collect(const char *authority, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open_bundle();
	char part[65536];
	ssize_t n;

	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0 && ret->len < ROOTS_MAX)
		buf_add(ret, part, (size_t)n);
	buf_addf(ret, "\n%s", authority);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "collect the roots of the host") : 0;
}

void trust_set_variables(struct run_spec *spec)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		strlist_addf(&spec->command.set_env, "%s=" TRUST_FILE, variables[i]);
	strlist_addf(&spec->command.set_env, "JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=" TRUST_JAVA
					     " -Djavax.net.ssl.trustStoreType=JKS");
}
