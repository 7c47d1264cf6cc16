// `node dist/market/emulator/main.js --port N [--seed S] [--quiet]`: the emulated venue as a process of its own. It prints
// its address in one line when it is ready and stops at SIGTERM or SIGINT.
import { parseArgs } from 'node:util';
import { startEmulator } from './role.ts';

const { values } = parseArgs({
  options: {
    /** 0 picks a free one. */
    port: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    quiet: { type: 'boolean', default: false },
  },
});

const emulator = await startEmulator({
  port: wholeNumber('port', values.port, 65_535),
  seed: wholeNumber('seed', values.seed, 2 ** 32 - 1),
  isQuiet: values.quiet,
  now: Date.now,
});
process.stdout.write(`emulated venue at ${emulator.url}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    emulator.stop().then(() => process.exit(0), fail);
  });
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > max)
    fail(new Error(`--${name} must be a whole number up to ${max}, not ${text}`));
  return value;
}

function fail(error: Error): never {
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
