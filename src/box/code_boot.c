/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that run programs of a language; the file on the box's /tmp in which they leave values. */
#include "box/code_boot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "code_run_js.h"
#include "code_run_py.h"
#include "code_show_py.h"

#define SAID      ".aisbx-said"
#define SAID_MOST (32u << 20)

bool code_boot_text(const char *lang, struct buf *ret)
{
	if (!strcmp(lang, "python")) {
		buf_add(ret, code_show_py, strlen(code_show_py));
		buf_add(ret, code_run_py, strlen(code_run_py));
		return true;
	}
	if (!strcmp(lang, "javascript")) {
		buf_add(ret, code_run_js, strlen(code_run_js));
		return true;
	}
	return false;
}

json_t *code_boot_results(int tmp_fd)
{
	scoped(drop_fd) int fd =
		openat(tmp_fd, SAID, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	scoped(buf_finish) struct buf text = { 0 };
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > SAID_MOST ||
	    io_read_all(fd, SAID_MOST, &text) < 0 || !buf_str(&text))
		return NULL;
	return code_results_read(text.data, text.len);
}
