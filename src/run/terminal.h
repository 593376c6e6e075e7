/* SPDX-License-Identifier: Apache-2.0 */
/* The person's terminal while a command in a box uses it. */
#ifndef RUN_TERMINAL_H
#define RUN_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

/* What leaves a run that goes on: Ctrl-P, then Ctrl-Q, as in docker. */
#define TERMINAL_KEY_1 0x10
#define TERMINAL_KEY_2 0x11

struct terminal {
	int person; /* borrowed; -1: none */
	int box;    /* owned; master side of the box's */
	bool raw;
	bool lines; /* not raw, but by lines, with two keys more */
	struct termios saved;
	pid_t heir; /* 0: none; restores the settings if we are killed */
	int will;   /* owned; a message to it, or, if it is closed without one, our end */
};

/* FD is a terminal, and we are in the background there: it is somebody else's. */
bool terminal_is_anothers(int fd);
void terminal_init(struct terminal *t);
/* Gives the box's terminal the person's size and settings, and puts the person's terminal into raw mode. */
void terminal_attach(struct terminal *t, int person, int box);
/*
 * The same for one who comes later: the box's terminal keeps its settings and gets the size. BOX is borrowed.
 * LINES: the command has no terminal; lines are typed and edited as usual, but Ctrl-P and Ctrl-Q come through
 * at once.
 */
void terminal_visit(struct terminal *t, int person, int box, bool lines);
void terminal_leave(struct terminal *t);
void terminal_resize(const struct terminal *t);
void terminal_suspend(struct terminal *t);
void terminal_resume(struct terminal *t);
void terminal_restore(struct terminal *t);

#endif
