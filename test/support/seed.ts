// What fast-check draws follows `SEED` (1 without it), for every property of a run alike: a run is repeated by its seed.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 1) });
