/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text comes in any pieces. A word is held back until it is complete, then it is known whether it has its
 * place on the line. The lines that follow begin below the last column of a table, or below the text of a
 * message.
 */
#include "cli/fold.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/scope.h"
#include "cli/text_width.h"

#define NARROWEST 40 /* nothing is folded below that */
#define OWN       "aisbx: "

struct fold {
	int fd, width;
	int column, indent; /* of the line that is being written, and of those that continue it */
	bool folded;        /* it is a continuation */
	bool raw;           /* it is drawn over: nothing is known of it */
	int spaces;         /* before the word */
	struct buf word;    /* incomplete */
	struct buf out;
};

/* Length of the colour at TEXT; 0: there is none, -1: it is incomplete or something else. */
static int colour_length(const char *text, size_t len)
{
	size_t n = 2;

	if (text[0] != '\033')
		return 0;
	if (len < 2 || text[1] != '[')
		return -1;
	while (n < len && (text[n] == ';' || (text[n] >= '0' && text[n] <= '9')))
		n++;
	return n < len && text[n] == 'm' ? (int)n + 1 : -1;
}

/* Columns of a word: its colours take none. */
static int width_of(const struct buf *word)
{
	scoped(buf_finish) struct buf plain = { 0 };

	for (size_t i = 0; i < word->len;) {
		int n = colour_length(word->data + i, word->len - i);

		if (n <= 0)
			buf_add(&plain, word->data + i, 1);
		i += n > 0 ? (size_t)n : 1;
	}
	return plain.len ? text_width(buf_str(&plain) ? plain.data : "") : 0;
}

/* Where the text of this line began decides where the next one does. */
static void note_indent(struct fold *f, int width)
{
	if (f->folded || f->column > f->width / 2)
		return;
	if (f->column == 0 || f->spaces > 1)
		f->indent = f->column + f->spaces;
	if (f->column == 0 && f->spaces == 0 && f->word.len >= strlen(OWN) - 1 &&
	    memmem(f->word.data, f->word.len, OWN, strlen(OWN) - 1))
		f->indent = width + 1;
}

static void add_spaces(struct fold *f, int n)
{
	for (; n > 0; n--)
		buf_add(&f->out, " ", 1);
}

static void put_word(struct fold *f)
{
	int width = f->word.len ? width_of(&f->word) : 0;

	if (width && f->column + f->spaces + width > f->width && f->column > f->indent) {
		buf_add(&f->out, "\n", 1);
		add_spaces(f, f->indent);
		f->column = f->indent;
		f->folded = true;
	} else {
		if (width)
			note_indent(f, width);
		if (f->column + f->spaces <= f->width) {
			add_spaces(f, f->spaces);
			f->column += f->spaces;
		}
	}
	f->spaces = 0;
	buf_add(&f->out, f->word.data ? f->word.data : "", f->word.len);
	f->column += width;
	f->word.len = 0;
}

static void put_line_end(struct fold *f)
{
	put_word(f);
	buf_add(&f->out, "\n", 1);
	f->column = f->indent = f->spaces = 0;
	f->folded = f->raw = false;
}

static void put(struct fold *f, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool drawn = text[i] == '\r' || text[i] == '\t' || colour_length(text + i, len - i) < 0;

		if (drawn && !f->raw) {
			put_word(f);
			f->raw = true;
		}
		if (text[i] == '\n') {
			put_line_end(f);
		} else if (f->raw) {
			buf_add(&f->out, text + i, 1);
		} else if (text[i] == ' ') {
			if (f->word.len)
				put_word(f);
			f->spaces++;
		} else {
			buf_add(&f->word, text + i, 1);
		}
	}
}

static void send(struct fold *f)
{
	if (f->out.len)
		io_write_all(f->fd, f->out.data, f->out.len);
	f->out.len = 0;
}

static ssize_t fold_write(void *cookie, const char *text, size_t len)
{
	struct fold *f = cookie;

	put(f, text, len);
	/* A question ends with a space: it is seen before its answer is awaited. */
	if (!f->word.len && f->spaces && f->column) {
		add_spaces(f, f->spaces);
		f->column += f->spaces;
		f->spaces = 0;
	}
	send(f);
	return (ssize_t)len;
}

static int fold_close(void *cookie)
{
	struct fold *f = cookie;

	put_word(f);
	send(f);
	buf_finish(&f->word);
	buf_finish(&f->out);
	free(f);
	return 0;
}

FILE *fold_open(int fd)
{
	const cookie_io_functions_t calls = { .write = fold_write, .close = fold_close };
	const char *term = getenv("TERM");
	struct winsize w = { 0 };
	struct fold *f;
	FILE *made;

	if (!term || !strcmp(term, "dumb") || ioctl(fd, TIOCGWINSZ, &w) < 0 || w.ws_col < NARROWEST)
		return NULL;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->fd = fd;
	f->width = w.ws_col;
	made = fopencookie(f, "w", calls);
	if (made)
		setvbuf(made, NULL, _IONBF, 0);
	else
		free(f);
	return made;
}

int fold_fd(FILE *stream)
{
	return stream == stdout ? STDOUT_FILENO : stream == stderr ? STDERR_FILENO : fileno(stream);
}

void fold_begin(FILE **stream, int fd)
{
	FILE *made = fold_open(fd);

	if (!made)
		return;
	fflush(*stream);
	*stream = made;
}

void fold_end(FILE **stream, FILE *was)
{
	if (*stream == was)
		return;
	fclose(*stream);
	*stream = was;
}
