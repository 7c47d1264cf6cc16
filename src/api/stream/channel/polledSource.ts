// A source that asks the venue at intervals: for data that is not followed here, such as spot pairs. All subscribers
// at all nodes together cost the venue one question per interval, because the answers are shared.
import type { Services } from '../../accounts/services.ts';
import type { Broadcast, Source } from './sharedChannel.ts';

const ASK_EVERY_MS = 2000;

/**
 * @param ask the state as a message
 * @throws {RequestError} when the first question fails
 */
export async function polledSource(
  services: Pick<Services, 'log'>,
  ask: () => Promise<Buffer>,
  broadcast: Broadcast,
): Promise<Source> {
  let last = await ask();
  const end = poll(services, async () => {
    const next = await ask();
    if (next.equals(last)) return;
    last = next;
    broadcast.latest(next);
  });
  return { snapshot: () => [last], close: end };
}

/**
 * Runs a function at intervals, never twice at a time. A failure is logged and leaves a gap in the stream until the next run.
 * @returns a function that ends the runs
 */
export function poll({ log }: Pick<Services, 'log'>, run: () => Promise<void>): () => void {
  let isRunning = false;
  const onTime = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await run();
    } catch (error) {
      log.info({ err: error }, 'a stream of what the venue alone knows has a gap');
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => void onTime(), ASK_EVERY_MS);
  return () => clearInterval(timer);
}
