/* SPDX-License-Identifier: Apache-2.0 */
/* The OCI runtimes that the driver 'oci' knows: which are installed, what they are told, what they say. */
#ifndef DRIVER_OCI_RUNTIME_H
#define DRIVER_OCI_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* Enough for "runc 1.1.5+ds1". */
#define OCI_VERSION_ROOM 64

struct oci_runtime {
	const char *row;      /* "oci:" and its name: of drivers, and of the doctor's list */
	const char *name;     /* after "oci:" */
	const char *program;  /* what its file is called */
	const char *words[8]; /* its own options, before the command 'run' */
	const char *remedy;   /* what helps where it is installed and does not work; NULL: not known */
	bool guest;           /* it brings a kernel of its own, in which nothing of ours can run */
	const char *unfit;    /* why it cannot be used; NULL: it can */
};

/* In the order in which 'oci' alone takes the first that is installed; ends with name NULL. */
extern const struct oci_runtime oci_runtimes[];

/* A runtime that is installed. */
struct oci_found {
	const struct oci_runtime *runtime;
	char path[256];
	int fd; /* owned; the program */
};

/* The one that CHOICE names, as below, installed or not; NULL: none. */
const struct oci_runtime *oci_named(const char *choice);
void oci_found_finish(struct oci_found *f);
/*
 * CHOICE: "" (the first that is installed and can be used), a name of the table, or the absolute path of a
 * program that nobody but root and this user can change. No other is taken in the place of one that is not
 * there.
 */
int oci_find(const char *choice, struct oci_found *ret, struct aisbx_error *e);
/* Whether a program of R is where programs are; E: there is one, but it cannot be trusted. */
bool oci_is_installed(const struct oci_runtime *r, struct aisbx_error *e);
/* Arguments for running the bundle of jail/plan.h, the program's path first: NUL-terminated, one after the
 * other. */
int oci_words(const struct oci_found *f, struct buf *ret, struct aisbx_error *e);

/* What a version is made of. */
#define OCI_VERSION_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+~-"

/*
 * oci_version.c: what the runtime said once ("runc 1.1.5"), kept in STATE_DIR (NULL: nowhere). False if
 * nobody asked, or its file is another one or has changed since.
 */
bool oci_version_recall(const char *state_dir, const struct oci_found *f, char ret[OCI_VERSION_ROOM]);
/* What cannot be kept is asked again. */
void oci_version_keep(const char *state_dir, const struct oci_found *f, const char *version);

/* Asking a runtime for its version, which takes a while: others can work meanwhile. */
struct oci_ask {
	pid_t pid;
	int fd;
};

/* A runtime that cannot be asked has no version. */
void oci_ask(const struct oci_found *f, struct oci_ask *ret);
/* "runc 1.1.5"; the name alone if it did not answer in time. */
void oci_hear(struct oci_ask *a, const struct oci_runtime *r, char ret[OCI_VERSION_ROOM]);

#endif
