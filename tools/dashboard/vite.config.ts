// How the dashboard is built, and served while it is worked on: with reload, and the API of a running exchange behind it
// (EXCHANGE, an address).
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type ProxyOptions } from 'vite';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));
const exchange = process.env['EXCHANGE'] ?? 'http://127.0.0.1:3000';

export default defineConfig({
  root: fileURLToPath(new URL('../../src/dashboard', import.meta.url)),
  build: {
    emptyOutDir: true,
    rollupOptions: {
      output: {
        entryFileNames: 'scripts/[name]-[hash:7].js',
        chunkFileNames: 'scripts/[name]-[hash:7].js',
        assetFileNames: 'styles/[name]-[hash:7][extname]',
        // A visit begins with one script: each file less is a request less, and packs better.
        codeSplitting: { groups: [{ name: 'index', tags: ['$initial'] }] },
      },
    },
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    target: 'es2023',
    // These know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: {
    // The page of components has a font of a package; packages may be linked from elsewhere.
    fs: { allow: [PROJECT_DIR, realpathSync(`${PROJECT_DIR}/node_modules`)] },
    proxy: Object.fromEntries(['/v1', '/health', '/docs'].map((path) => [path, throughTo(exchange)])),
  },
});

/**
 * Requests of the page go on as if the exchange had served it: the cookie's endpoints take requests of the exchange's own pages
 * only.
 */
function throughTo(target: string): ProxyOptions {
  const { origin } = new URL(target);
  return { target, ws: true, changeOrigin: true, headers: { origin } };
}
