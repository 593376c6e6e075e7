/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A static program that asks nobody how to reach a host: raw HOST PORT. Its own resolver if HOST is a name
 * (that of musl), plain sockets, one request. Prints the answer; the exit status is 0 if there was one.
 */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list = NULL;
	char request[512], answer[4096];
	size_t len = 0;

	if (argc != 3 || getaddrinfo(argv[1], argv[2], &hints, &list) != 0)
		return 2;
	snprintf(request, sizeof(request), "GET /whoami HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
		 argv[1]);
	for (const struct addrinfo *a = list; a && !len; a = a->ai_next) {
		int fd = socket(a->ai_family, a->ai_socktype, 0);
		ssize_t n;

		if (fd < 0 || connect(fd, a->ai_addr, a->ai_addrlen) != 0 ||
		    send(fd, request, strlen(request), MSG_NOSIGNAL) < 0) {
			close(fd);
			continue;
		}
		while (len < sizeof(answer) - 1 && (n = read(fd, answer + len, sizeof(answer) - 1 - len)) > 0)
			len += (size_t)n;
		close(fd);
	}
	freeaddrinfo(list);
	answer[len] = 0;
	fputs(answer, stdout);
	return len ? 0 : 1;
}
