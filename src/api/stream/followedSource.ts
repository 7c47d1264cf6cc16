// A source whose whole state is in this node's view of the market: made anew when the market says that it changed, and not
// told twice when it did not.
import type { MarketStream, MarketTopic } from './marketStream.ts';
import type { Audience, Source } from './sharedChannel.ts';

/**
 * @param topics what changes the state
 * @param make the state as a message; undefined while there is none
 */
export function followedSource(
  market: MarketStream,
  topics: readonly MarketTopic[],
  make: () => Buffer | undefined,
  audience: Audience,
): Source {
  let last = make();
  const onChange = (): void => {
    const next = make();
    if (next === undefined || last?.equals(next)) return;
    last = next;
    audience.latest(next);
  };
  const ends = topics.map((topic) => market.listen(topic, onChange));
  return {
    snapshot: () => (last === undefined ? [] : [last]),
    close: () => {
      for (const end of ends) end();
    },
  };
}
