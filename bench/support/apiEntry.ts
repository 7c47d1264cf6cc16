// The API as in dist, with or without its request limiter: BENCH_LIMITER=off grants every request without counting
// it.
import { fileURLToPath } from 'node:url';

const dist = (file: string): string => fileURLToPath(new URL(`../../dist/${file}`, import.meta.url));

if (process.env['BENCH_LIMITER'] === 'off') {
  const { RateLimit } = await import(dist('api/access/rateLimit.js'));
  RateLimit.prototype.charge = (charges: readonly { cap: number }[]) => ({
    isGranted: true,
    windows: charges.map(({ cap }) => ({ used: 1, cap, resetMs: Date.now() + 60_000 })),
  });
}
await import(dist('main.js'));
