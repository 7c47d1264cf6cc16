// The draws of fast-check follow `SEED` (1 without it), for every property of a run alike: the seed repeats a run.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 1) });
