/* SPDX-License-Identifier: Apache-2.0 */
/* The table of names whose TLS is only passed on. */
#include "net/never_ended.h"

#include <stddef.h>
#include <string.h>

#define PINNED "its client accepts only a certificate that it knows"
#define MUTUAL "its client shows a certificate of its own"

static const struct {
	const char *pattern, *why;
} names[] = {
	{ "*.push.apple.com", PINNED },     { "*.itunes.apple.com", PINNED },
	{ "gateway.icloud.com", PINNED },   { "*.signal.org", PINNED },
	{ "*.whispersystems.org", PINNED }, { "*.update.microsoft.com", PINNED },
	{ "*.windowsupdate.com", PINNED },  { "client.dropbox.com", PINNED },
	{ "bolt.dropbox.com", PINNED },     { "android.clients.google.com", PINNED },
	{ "mtalk.google.com", PINNED },     { "*.teleport.sh", MUTUAL },
	{ "*.azure-devices.net", MUTUAL },  { "device-api.urbanairship.com", PINNED },
	{ "cdn.redhat.com", MUTUAL },       { "subscription.rhsm.redhat.com", MUTUAL },
};

bool net_name_matches(const char *name, const char *pattern)
{
	size_t n = strlen(name), p = strlen(pattern);

	if (strncmp(pattern, "*.", 2) != 0)
		return !strcmp(name, pattern);
	return n > p - 1 && !strcmp(name + n - (p - 1), pattern + 1);
}

const char *net_never_ended(const char *name, const char *const *more)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (net_name_matches(name, names[i].pattern))
			return names[i].why;
	for (; more && *more; more++)
		if (net_name_matches(name, *more))
			return "the list of names that are never read has it";
	return NULL;
}
