// A source that asks the venue at intervals: for data that is not followed here, such as spot pairs. All subscribers
// at all nodes together cost the venue one question per interval, because the answers are shared. The users of the
// subscribers pay the questions in turn.
import type { Services } from '../../accounts/services.ts';
import type { PayingServices } from '../../info/market/askVenue.ts';
import type { Broadcast, Source } from './sharedChannel.ts';

/** How often questions are asked of which the venue counts 2 and 20: both cost about as much a minute. */
const LIGHT_EVERY_MS = 2000;
const HEAVY_EVERY_MS = 10_000;

/** On the account of the subscribers. */
export const paidBySubscribers = (services: Services, { payers }: Broadcast): PayingServices => ({ ...services, payers });

/**
 * @param ask the state as a message
 * @throws {RequestError} when the first question fails
 */
export async function polledSource(
  services: Services,
  ask: (services: PayingServices) => Promise<Buffer>,
  { broadcast, isLight = false }: { broadcast: Broadcast; isLight?: boolean },
): Promise<Source> {
  const paying = paidBySubscribers(services, broadcast);
  let last = await ask(paying);
  const everyMs = isLight ? LIGHT_EVERY_MS : HEAVY_EVERY_MS;
  const end = poll({ services, everyMs }, async () => {
    const next = await ask(paying);
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
export function poll(
  { services: { log }, everyMs = HEAVY_EVERY_MS }: { services: Pick<Services, 'log'>; everyMs?: number },
  run: () => Promise<void>,
): () => void {
  let isRunning = false;
  const onTime = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      await run();
    } catch (error) {
      log.debug({ err: error }, 'a stream of what the venue alone knows has a gap');
    } finally {
      isRunning = false;
    }
  };
  const timer = setInterval(() => void onTime(), everyMs);
  return () => clearInterval(timer);
}
