/* SPDX-License-Identifier: Apache-2.0 */
/* Which system and machine this is, for templates that stand on it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "box/template_row.h"

#define FILE_MAX 65536u

/* The value of KEY in TEXT, lines of KEY=VALUE, without quotes and with no other letters than a label has.
 */
static void value_of(const char *text, const char *key, char *ret, size_t cap)
{
	size_t n = strlen(key), at = 0;

	for (; text && *text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (!strncmp(text, key, n) && text[n] == '=')
			break;
	}
	for (text = text && *text ? text + n + 1 : ""; *text && *text != '\n' && at + 1 < cap; text++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *text))
			ret[at++] = *text;
	ret[at] = '\0';
}

int template_host_read(struct template_host *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open("/etc/os-release", O_RDONLY | O_CLOEXEC);
	scoped(buf_finish) struct buf text = { 0 };
	char id[32] = "", version[32] = "";
	struct utsname machine = { 0 };

	if (fd >= 0 && io_read_all(fd, FILE_MAX, &text) == 0 && buf_str(&text)) {
		value_of(text.data, "ID", id, sizeof(id));
		value_of(text.data, "VERSION_ID", version, sizeof(version));
	}
	if (!id[0])
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, ENOENT,
			"/etc/os-release does not say which system this is, so a template of this "
			"machine cannot be shared; one that stands on an image can");
	uname(&machine);
	snprintf(ret->os, sizeof(ret->os), "%s%s%s", id, version[0] ? " " : "", version);
	snprintf(ret->machine, sizeof(ret->machine), "%.64s", machine.machine);
	return 0;
}
