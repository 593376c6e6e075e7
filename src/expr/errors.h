/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All error messages of expressions; %1 and so on are replaced. One table, so that the unit test can check
 * that each of them occurs.
 */
#ifndef EXPR_ERRORS_H
#define EXPR_ERRORS_H

#define EXPR_ERRORS(X)                                                                                       \
	X(TOO_LONG, "the expression has more than 4096 bytes; split it into several")                        \
	X(TOO_DEEP, "parentheses, 'not' and '-' are nested more than 64 deep; remove some")                  \
	X(EMPTY, "the expression is empty; write what must hold, such as tests==pass")                       \
	X(BAD_BYTE, "'%1' has no meaning here; strings need quotes")                                         \
	X(ONE_EQUAL, "'=' is not a comparison; write '=='")                                                  \
	X(ONE_AND, "'&' alone has no meaning; write 'and'")                                                  \
	X(ONE_OR, "'|' alone has no meaning; write 'or'")                                                    \
	X(TEXT_OPEN, "the string that begins here does not end; close it with %1")                           \
	X(BAD_UNIT, "'%1' is not a unit; sizes have b, k, m, g or t, times ms, s, min, h or d")              \
	X(BAD_NUMBER, "'%1' is not a number of at most 15 digits")                                           \
	X(WANT_VALUE, "expected a fact or a value here, not %1")                                             \
	X(WANT_CLOSE, "expected ')' here, not %1")                                                           \
	X(EXTRA, "%1 cannot follow here; combine conditions with 'and' or 'or'")                             \
	X(CHAINED, "comparisons cannot be chained; write a<b and b<c")                                       \
	X(UNKNOWN, "there is no fact '%1'; did you mean '%2'?")                                              \
	X(UNKNOWN_FAR, "there is no fact '%1'; 'aisbx help gate check' lists all facts")                     \
	X(UNKNOWN_MINUS,                                                                                     \
	  "there is no fact '%1'; a '-' is part of a name: to subtract, put spaces around it")               \
	X(NO_FUNCTION,                                                                                       \
	  "there is no function '%1'; those that there are: changed(\"PATTERN\"), net.hosts(\"PATTERN\")")   \
	X(NO_PATTERN, "'%1' needs a pattern in quotes: %1(\"%2\")")                                          \
	X(EMPTY_PATTERN, "an empty pattern matches nothing; write for example %1(\"%2\")")                   \
	X(BAD_PATTERN,                                                                                       \
	  "no path matches '%1': paths are relative to the project, without '/', './' or '../'")             \
	X(DIFFER, "%1 is %2, but %3 is %4; compare it with %5")                                              \
	X(UNORDERED, "%1 is %2, which has no order: use only == and !=")                                     \
	X(MINUTES, "'%1' can mean minutes or mebibytes; write %2min or %2mib")                               \
	X(NOT_TRUTH, "%1 is %2, neither true nor false; compare it with %3")                                 \
	X(NOT_SCORE, "a score must be a number, a size or a time, but %1 is %2")                             \
	X(NO_SUM, "%1 is %2; arithmetic works only with numbers, sizes and times")                           \
	X(MIXED, "%1 is %2, but %3 is %4; divide by a unit first, as in usage.cpu/1s + usage.mem_peak/1mib") \
	X(PRODUCT, "%1 is %2 and %3 is %4; one of the two must be a plain number")

enum expr_error {
#define EXPR_ERROR_NAME(name, text) EXPR_ERROR_##name,
	EXPR_ERRORS(EXPR_ERROR_NAME)
#undef EXPR_ERROR_NAME
		EXPR_ERROR_COUNT
};

#endif
