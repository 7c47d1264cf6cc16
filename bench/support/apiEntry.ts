// Loaded before the API's main: BENCH_LIMITER=off grants every request without counting it.
import { RateLimit } from '../../src/api/access/limits/rateLimit.ts';

if (process.env['BENCH_LIMITER'] === 'off') {
  RateLimit.prototype.charge = (charges: readonly { cap: number }[]) => ({
    isGranted: true,
    windows: charges.map(({ cap }) => ({ used: 1, cap, resetMs: Date.now() + 60_000 })),
  });
}
