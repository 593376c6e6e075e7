/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine an image is for, and whether that serves us. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/error.h"
#include "base/scope.h"
#include "image/oci.h"

void oci_platform_finish(struct oci_platform *p)
{
	free(p->os);
	free(p->architecture);
	free(p->variant);
	*p = (struct oci_platform){ 0 };
}

int oci_platform_parse(const char *text, struct oci_platform *ret, struct aisbx_error *e)
{
	char *parts[3] = { 0 };
	size_t n = 0;
	const char *at = text;

	for (; n < 3 && *at && *at != '/'; n++) {
		size_t len = strcspn(at, "/");

		parts[n] = strndup(at, len);
		at += len + (at[len] == '/' && at[len + 1]);
	}
	if (n < 2 || *at || strlen(text) > 64) {
		for (size_t i = 0; i < n; i++)
			free(parts[i]);
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%.80s' is no platform; write OS/ARCHITECTURE[/VARIANT], such as linux/amd64", text);
	}
	*ret = (struct oci_platform){ .os = parts[0], .architecture = parts[1], .variant = parts[2] };
	return 0;
}

const char *oci_platform_here(void)
{
	static const char *const known[][2] = {
		{ "x86_64", "linux/amd64" },       { "aarch64", "linux/arm64" },
		{ "armv7l", "linux/arm/v7" },      { "armv6l", "linux/arm/v6" },
		{ "i686", "linux/386" },           { "i386", "linux/386" },
		{ "ppc64le", "linux/ppc64le" },    { "s390x", "linux/s390x" },
		{ "riscv64", "linux/riscv64" },    { "mips64", "linux/mips64le" },
		{ "loongarch64", "linux/loong64" }
	};
	struct utsname u;

	if (uname(&u) == 0)
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			if (!strcmp(known[i][0], u.machine))
				return known[i][1];
	return "linux/unknown";
}

/* "v7" is 7; what has no variant is the one that everybody takes it for. */
static unsigned int level(const struct oci_platform *p)
{
	const char *v = p->variant && *p->variant ? p->variant : NULL;

	if (!v)
		return !strcmp(p->architecture, "arm64") ? 8 : !strcmp(p->architecture, "arm") ? 7 : 1;
	return *v == 'v' && v[1] >= '1' && v[1] <= '9' && !v[2] ? (unsigned int)(v[1] - '0') : 0;
}

unsigned int oci_platform_fits(const struct oci_platform *has, const struct oci_platform *want)
{
	unsigned int has_level, want_level;

	if (!has->os || !has->architecture || strcmp(has->os, want->os) != 0 ||
	    strcmp(has->architecture, want->architecture) != 0)
		return 0;
	has_level = level(has);
	want_level = level(want);
	if (!has_level || !want_level) /* in words that we do not know: the very same ones */
		return has->variant && want->variant && !strcmp(has->variant, want->variant) ? 10 : 0;
	/* A processor also runs what was made for earlier ones; the latest of these is the best. */
	return has_level <= want_level ? has_level : 0;
}
