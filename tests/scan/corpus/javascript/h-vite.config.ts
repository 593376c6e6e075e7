// benign: settings of a bundler
import { defineConfig, loadEnv } from 'vite';
import react from '@vitejs/plugin-react';
export default defineConfig(({ mode }) => {
  const env = loadEnv(mode, process.cwd(), '');
  return { plugins: [react()], define: { __API__: JSON.stringify(env.API_URL) }, server: { port: 5173 } };
});
