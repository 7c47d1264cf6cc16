// The condition of the exchange in words.

export type Condition = 'ok' | 'degraded' | 'unavailable';

export const CONDITIONS: Readonly<Record<Condition, string>> = {
  ok: 'Everything works: orders are taken.',
  degraded: 'Orders are taken. Something beside them is away.',
  unavailable: 'No orders are taken at the moment.',
};

/** By the words of `GET /health`. */
const CAUSES: Readonly<Record<string, string>> = {
  stores_away: 'The stores of the exchange cannot be reached.',
  accounts_starting: 'Some accounts wait for a process to take them up. This takes seconds after a start or a failure.',
  market_stale: 'The prices are too old to trade on. Orders are refused until newer ones come; open positions stay.',
  history_away: 'The history is not written at the moment. It waits, and nothing of it is lost.',
  jobs_away: 'What is done by the hour, as funding, waits.',
  other: 'Those who run the exchange know more.',
};

/** A cause that a newer server names is shown as it is. */
export const causeText = (cause: string): string => CAUSES[cause] ?? cause;

export const SOURCES: Readonly<Record<string, string>> = {
  live: 'the venue’s own, live',
  emulated: 'emulated: made by this exchange',
  replay: 'played from a recording',
};
