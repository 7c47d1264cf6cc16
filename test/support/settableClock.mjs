// The clock of a machine that a test sets while a process runs: `node --import settableClock.mjs …`. The file CLOCK_FILE
// says how many ms it is ahead; without the file it is right. Only the time of day is set, as on a real machine: the monotonic
// clock goes on.
import { readFileSync } from 'node:fs';

/** The file is read again after so many ms. */
const READ_EVERY_MS = 20;

const RealDate = globalThis.Date;
const realNow = RealDate.now;
const { CLOCK_FILE = '' } = process.env;
let aheadMs = 0;
let readAt = Number.NEGATIVE_INFINITY;

function now() {
  if (performance.now() - readAt > READ_EVERY_MS) {
    readAt = performance.now();
    aheadMs = readAhead();
  }
  return realNow() + aheadMs;
}

function readAhead() {
  try {
    return Number(readFileSync(CLOCK_FILE, 'utf8'));
  } catch {
    return 0; // nobody has set it
  }
}

RealDate.now = now;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
  apply: () => new RealDate(now()).toString(),
});
