// A source whose whole state is in this node's view of the market. It makes a message when the market changes, and
// sends none that equals the last.
import type { MarketStream, MarketTopic } from './marketStream.ts';
import type { Broadcast, Source } from './sharedChannel.ts';

/**
 * @param topics the topics whose changes change the state
 * @param make the state as a message; undefined while there is none
 * @param options.everyMs how often it is made at most; absent = whenever it changes
 */
export function followedSource(
  market: MarketStream,
  topics: readonly MarketTopic[],
  { make, broadcast, everyMs = 0 }: { make: () => Buffer | undefined; broadcast: Broadcast; everyMs?: number },
): Source {
  let last = make();
  let pushedAt = Number.NEGATIVE_INFINITY;
  /** While a change waits. */
  let pause: NodeJS.Timeout | undefined;

  const push = (): void => {
    clearTimeout(pause);
    pause = undefined;
    pushedAt = performance.now();
    const next = make();
    if (next === undefined || last?.equals(next)) return;
    last = next;
    broadcast.latest(next);
  };
  const onChange = (): void => {
    const waitMs = pushedAt + Math.max(everyMs, broadcast.paceMs()) - performance.now();
    if (waitMs <= 0) push();
    else pause ??= setTimeout(push, waitMs);
  };

  const ends = topics.map((topic) => market.listen(topic, onChange));
  return {
    snapshot: () => {
      if (pause !== undefined) push();
      return last === undefined ? [] : [last];
    },
    close: () => {
      clearTimeout(pause);
      for (const end of ends) end();
    },
  };
}
