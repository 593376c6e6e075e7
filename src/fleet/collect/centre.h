/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of a fleet in PostgreSQL. The only user of libpq-fe.h. Tables and views are in the schema
 * "aisbx"; src/fleet/collect/schema.c says what they are.
 */
#ifndef FLEET_COLLECT_CENTRE_H
#define FLEET_COLLECT_CENTRE_H

#include <libpq-fe.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "fleet/history/row.h"

struct centre {
	PGconn *pg; /* owned */
};

/* DSN: as libpq has it, "host=… dbname=…" or "postgresql://…"; "": by the variables PGHOST, PGDATABASE … */
int centre_open(const char *dsn, struct centre *ret, struct aisbx_error *e);
void centre_close(struct centre *c);
/* Tables as this version needs them; refused if a newer one has changed them. */
int centre_migrate(struct centre *c, struct aisbx_error *e);

/* One statement; PARAMS are texts, or NULL. RET may be NULL; otherwise PQclear is the caller's. -EAGAIN: it
 * may succeed if it is tried again; -EBADMSG: never, because of a value. */
int centre_ask(struct centre *c, const char *what, const char *sql, int n, const char *const *params,
	       PGresult **ret, struct aisbx_error *e);
int centre_do(struct centre *c, const char *sql, struct aisbx_error *e);
static inline void drop_result(PGresult **r)
{
	PQclear(*r);
}

/* What came of messages. */
struct centre_took {
	size_t rows, repeated; /* new ones; those that were there */
};

/* All rows of the batches, in one transaction, each once; conflicts that they make or end are noted. */
int centre_take(struct centre *c, const struct history_batch *batches, size_t n, struct centre_took *ret,
		struct aisbx_error *e);
/* A message that no row came of, so that a person can look at it. */
int centre_refuse(struct centre *c, const char *subject, uint64_t sequence, const char *data, size_t len,
		  const char *why, struct aisbx_error *e);

/* In a transaction with new promotions, or undone ones. */
int centre_find_conflicts(struct centre *c, struct aisbx_error *e);
/* -ENOENT: no conflict of this number is open. */
int centre_resolve(struct centre *c, const char *id, const char *by, const char *note, struct aisbx_error *e);

#endif
