/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that can be wrong with an expression, in words; %1 and so on are what it is about. One table, so
 * that the unit test can prove that each of them is said.
 */
#ifndef EXPR_ERRORS_H
#define EXPR_ERRORS_H

#define EXPR_ERRORS(X)                                                                                       \
	X(TOO_LONG, "the expression has more than 4096 bytes; make several of it")                           \
	X(TOO_DEEP, "parentheses, 'not' and '-' are nested more than 64 deep; take the outer ones away")     \
	X(EMPTY, "there is nothing in the expression; write what must hold, as in tests==pass")              \
	X(BAD_BYTE, "'%1' has no meaning here; texts stand in quotes")                                       \
	X(ONE_EQUAL, "'=' does not compare; write '=='")                                                     \
	X(ONE_AND, "'&' alone has no meaning; write 'and'")                                                  \
	X(ONE_OR, "'|' alone has no meaning; write 'or'")                                                    \
	X(TEXT_OPEN, "the text that begins here does not end; close it with %1")                             \
	X(BAD_UNIT, "'%1' is no unit; sizes have b, k, m, g or t, times ms, s, min, h or d")                 \
	X(BAD_NUMBER, "'%1' is no number of at most 15 digits")                                              \
	X(WANT_VALUE, "a fact or a value must stand here, not %1")                                           \
	X(WANT_CLOSE, "a ')' must stand here, not %1")                                                       \
	X(EXTRA, "%1 cannot follow here; join what must hold with 'and' or 'or'")                            \
	X(CHAINED, "comparisons do not chain; write a<b and b<c")                                            \
	X(UNKNOWN, "there is no fact '%1'; did you mean '%2'?")                                              \
	X(UNKNOWN_FAR, "there is no fact '%1'; 'aisbx help gate check' lists those there are")               \
	X(UNKNOWN_MINUS,                                                                                     \
	  "there is no fact '%1'; a '-' in a name belongs to it: to subtract, write blanks around it")       \
	X(NO_FUNCTION, "there is no function '%1'; the only one is changed(\"PATTERN\")")                    \
	X(NO_PATTERN, "'changed' needs a pattern in quotes: changed(\"src/**\")")                            \
	X(EMPTY_PATTERN, "an empty pattern fits no path; write for example changed(\"src/**\")")             \
	X(BAD_PATTERN, "no path fits '%1': paths begin below the project, without '/', './' or '../'")       \
	X(DIFFER, "%1 is %2, but %3 is %4; compare it with %5")                                              \
	X(UNORDERED, "%1 is %2, which has no order: only == and != compare it")                              \
	X(MINUTES, "'%1' is minutes as well as mebibytes; write %2min or %2mib")                             \
	X(NOT_TRUTH, "%1 is %2, neither true nor false; compare it with %3")                                 \
	X(NOT_SCORE, "a score must be a number, a size or a time, but %1 is %2")                             \
	X(NO_SUM, "%1 is %2; only numbers, sizes and times can be reckoned with")                            \
	X(MIXED, "%1 is %2, but %3 is %4; divide by a unit first, as in usage.cpu/1s + usage.mem_peak/1mib") \
	X(PRODUCT, "%1 is %2 and %3 is %4; of the two only one can be more than a number")

enum expr_error {
#define EXPR_ERROR_NAME(name, text) EXPR_ERROR_##name,
	EXPR_ERRORS(EXPR_ERROR_NAME)
#undef EXPR_ERROR_NAME
		EXPR_ERROR_COUNT
};

#endif
