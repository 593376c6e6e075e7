# benign: rolls an application out
kubectl -n staging apply -k deploy/staging
kubectl -n staging rollout status deployment/api --timeout=120s
