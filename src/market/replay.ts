// `node dist/market/replay.js --file FILE [--port N] [--speed N] [--end loop|stop]`: plays a recording as a venue on
// this machine. It prints its address in one line when it is ready and stops at SIGTERM or SIGINT.
import { parseArgs } from 'node:util';
import { startPlayer } from './recording/play.ts';

const { values } = parseArgs({
  options: {
    file: { type: 'string' },
    /** 0 picks a free one. */
    port: { type: 'string', default: '0' },
    /** How many times as fast as it was recorded. */
    speed: { type: 'string', default: '1' },
    /** At the end: `loop` begins again, `stop` stays up and sends nothing more. */
    end: { type: 'string', default: 'loop' },
  },
});

try {
  await play();
} catch (error) {
  fail(error instanceof Error ? error : new Error(String(error)));
}

async function play(): Promise<void> {
  const port = Number(values.port);
  const speed = Number(values.speed);
  const { file, end } = values;
  if (file === undefined) throw new Error('--file FILE is missing');
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port must be a port, not ${values.port}`);
  if (!(speed > 0 && speed <= 1000)) throw new Error(`--speed must be a number up to 1000, not ${values.speed}`);
  if (end !== 'loop' && end !== 'stop') throw new Error(`--end must be loop or stop, not ${end}`);
  const player = await startPlayer({ file, port, speed, atEnd: end, now: Date.now });
  process.stdout.write(`replayed venue at ${player.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      player.stop().then(() => process.exit(0), fail);
    });
  }
  await player.ended;
}

function fail(error: Error): never {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
