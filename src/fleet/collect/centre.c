/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL with aisbx's errors. */
#include "fleet/collect/centre.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

#define CONNECT_S "10"

/* The server's own words end with a line end. */
static int say(struct aisbx_error *e, int err, const char *what, const char *text)
{
	return aisbx_refuse(e, aisbx_kind_of(AISBX_AREA_STORE, err), AISBX_AREA_STORE, err, "%s: %.*s", what,
			    (int)strcspn(text, "\n"), text);
}

static void keep_quiet(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

int centre_open(const char *dsn, struct centre *ret, struct aisbx_error *e)
{
	/* What is given later counts: the caller's word before these. */
	static const char *const keys[] = { "application_name", "connect_timeout", "dbname", NULL };
	const char *const values[] = { "aisbx-collect", CONNECT_S, dsn, NULL };
	PGconn *pg = PQconnectdbParams(keys, values, 1);
	int r;

	if (pg && PQstatus(pg) == CONNECTION_OK) {
		PQsetNoticeProcessor(pg, keep_quiet, NULL);
		ret->pg = pg;
		return 0;
	}
	r = say(e, ENOTCONN, "connect to PostgreSQL", pg ? PQerrorMessage(pg) : "out of memory");
	PQfinish(pg);
	return dsn && *dsn
		       ? r
		       : aisbx_hint(e,
				    "where it is was not said: 'aisbx fleet' has --centre and AISBX_CENTRE, "
				    "aisbx-collect --postgres and AISBX_POSTGRES");
}

void centre_close(struct centre *c)
{
	PQfinish(c->pg);
	c->pg = NULL;
}

/* By the classes of SQLSTATE. */
static int errno_of(const struct centre *c, const PGresult *result)
{
	const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;

	if (!state)
		return PQstatus(c->pg) == CONNECTION_OK ? EIO : ENOTCONN;
	if (!strncmp(state, "40", 2) ||
	    !strncmp(state, "55", 2)) /* rolled back for another's sake, or locked */
		return EAGAIN;
	if (!strncmp(state, "22", 2) || !strncmp(state, "23", 2) || !strncmp(state, "54", 2))
		return EBADMSG;
	if (!strncmp(state, "42501", 5) || !strncmp(state, "28", 2))
		return EACCES;
	if (!strncmp(state, "57", 2) || !strncmp(state, "08", 2)) /* it ends, or is gone */
		return ENOTCONN;
	return !strncmp(state, "53", 2) ? ENOSPC : EIO;
}

int centre_ask(struct centre *c, const char *what, const char *sql, int n, const char *const *params,
	       PGresult **ret, struct aisbx_error *e)
{
	PGresult *result = PQexecParams(c->pg, sql, n, NULL, params, NULL, NULL, 0);
	const ExecStatusType status = PQresultStatus(result);
	int r = 0;

	if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		r = say(e, errno_of(c, result), what,
			result ? PQresultErrorMessage(result) : PQerrorMessage(c->pg));
	if (r == 0 && ret)
		*ret = result;
	else
		PQclear(result);
	return r;
}

int centre_do(struct centre *c, const char *sql, struct aisbx_error *e)
{
	scoped(drop_result) PGresult *result = PQexec(c->pg, sql);
	const ExecStatusType status = PQresultStatus(result);

	if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
		return 0;
	return say(e, errno_of(c, result), "change the tables of the history",
		   result ? PQresultErrorMessage(result) : PQerrorMessage(c->pg));
}
