// A source that the venue has to be asked for: what is not followed here, spot pairs above all. All who listen on all nodes
// cost the venue one question in so many seconds, for its answers are shared.
import type { Services } from '../call.ts';
import type { Audience, Source } from './sharedChannel.ts';

const ASK_EVERY_MS = 2000;

/**
 * @param ask the state as a message
 * @throws {RequestError} when it cannot be had at first; later failures are logged, and the state stays as it was
 */
export async function polledSource(
  { log }: Pick<Services, 'log'>,
  ask: () => Promise<Buffer>,
  audience: Audience,
): Promise<Source> {
  let last = await ask();
  let isAsking = false;
  const onTime = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      const next = await ask();
      if (next.equals(last)) return;
      last = next;
      audience.latest(next);
    } catch (error) {
      log.info({ err: error }, 'a stream of the venue’s own data has a gap');
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => void onTime(), ASK_EVERY_MS);
  return { snapshot: () => [last], close: () => clearInterval(timer) };
}
