// How the exchange is built: a few modules for each program instead of one for each source file. A process reads and links its code
// in half of the time then, and so takes over sooner from one that died. Packages stay as they are in node_modules.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const src = (/** @type {string} */ file) => fileURLToPath(new URL(`../../src/${file}`, import.meta.url));

export default defineConfig({
  root: src(''),
  logLevel: 'error',
  build: {
    ssr: true,
    target: 'node20',
    sourcemap: true,
    minify: false,
    emptyOutDir: false,
    rollupOptions: {
      // What is started by its name, or read by bin/start; roles are loaded by main when they are asked for.
      input: Object.fromEntries(
        [
          ...['main', 'admin', 'leave', 'market/recorder', 'market/replay', 'market/emulator/main'],
          ...['shared/config', 'api/access/secrets/requireSecrets'],
        ].map((name) => [name, src(`${name}.ts`)]),
      ),
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
});
