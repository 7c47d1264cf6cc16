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
  let pause: NodeJS.Timeout | undefined;
  let changedInPause = false;

  const push = (): void => {
    const next = make();
    if (next === undefined || last?.equals(next)) return;
    last = next;
    broadcast.latest(next);
  };
  const onChange = (): void => {
    changedInPause = true;
    if (pause !== undefined) return;
    changedInPause = false;
    push();
    if (everyMs > 0) pause = setTimeout(afterPause, everyMs);
  };
  const afterPause = (): void => {
    pause = undefined;
    if (changedInPause) onChange();
  };

  const ends = topics.map((topic) => market.listen(topic, onChange));
  return {
    snapshot: () => (last === undefined ? [] : [last]),
    close: () => {
      clearTimeout(pause);
      for (const end of ends) end();
    },
  };
}
