// How the dashboard is built, and served while it is worked on: with reload, and the API of a running exchange behind it
// (EXCHANGE, an address).
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const exchange = process.env['EXCHANGE'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  root: fileURLToPath(new URL('../../src/dashboard', import.meta.url)),
  build: {
    emptyOutDir: true,
    rollupOptions: {
      output: {
        entryFileNames: 'scripts/[name]-[hash].js',
        chunkFileNames: 'scripts/[name]-[hash].js',
        assetFileNames: 'styles/[name]-[hash][extname]',
      },
    },
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: 'es2023',
    // These know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: { proxy: Object.fromEntries(['/v1', '/health', '/docs'].map((path) => [path, { target: exchange, ws: true }])) },
});
