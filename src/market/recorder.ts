// `node dist/market/recorder.js --out FILE [--url URL] [--seconds N] [--coins BTC,ETH]`: records the venue until N
// seconds of frames have come, or until SIGTERM or SIGINT. The file always ends with a whole line.
import { parseArgs } from 'node:util';
import { createLogger } from '../shared/logger.ts';
import { startRecorder } from './recording/record.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'https://api.hyperliquid.xyz' },
    out: { type: 'string' },
    /** 0 = until a signal. */
    seconds: { type: 'string', default: '0' },
    /** All listed coins when absent. */
    coins: { type: 'string' },
  },
});

try {
  process.stdout.write(`${await record()}\n`);
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function record(): Promise<string> {
  const seconds = Number(values.seconds);
  if (values.out === undefined) throw new Error('--out FILE is missing');
  if (!(seconds >= 0)) throw new Error(`--seconds must be a number, not ${values.seconds}`);
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  process.once('SIGTERM', () => stopping.abort());
  const recorder = await startRecorder({
    log: createLogger({ level: 'warn', role: 'recorder' }),
    url: values.url,
    file: values.out,
    now: Date.now,
    signal: stopping.signal,
    ...(values.coins === undefined ? {} : { coins: values.coins.split(',') }),
  });
  await new Promise<void>((resolve) => {
    if (seconds > 0) setTimeout(resolve, seconds * 1000);
    if (stopping.signal.aborted) resolve();
    stopping.signal.addEventListener('abort', () => resolve());
  });
  return `${await recorder.stop()} lines in ${values.out}`;
}
