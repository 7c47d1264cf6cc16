// A source that the venue has to be asked for: what is not followed here, spot pairs above all. All who listen on all nodes
// cost the venue one question in so many seconds, for its answers are shared.
import type { Services } from '../../accounts/services.ts';
import type { Broadcast, Source } from './sharedChannel.ts';

const ASK_EVERY_MS = 2000;

/**
 * @param ask the state as a message
 * @throws {RequestError} when it cannot be had at first
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
 * Runs something again and again, never twice at a time. A failure is logged and tried again: the stream has a gap till then.
 * @returns a function that ends it
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
