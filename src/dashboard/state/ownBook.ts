// The account's own levels in a coin's book, as the exchange explains them: queue, consumed size, and the bound of the data's
// age. Asked for sparingly: when the own orders or fills have changed, and a few times a minute.
import { computed, effect, signal } from '@preact/signals';
import { post } from '../api/http.ts';
import type { OwnLevel } from '../domain/market/ladder.ts';
import { openOrders } from './account.ts';
import { aboutAccount, exchangePath } from './chosenAccount.ts';
import { fills } from './fills.ts';
import { atMostEvery, whileShown } from './pace.ts';

const ASKED_EVERY_MS = 15_000;
/** After changes: a burst of fills is one question. */
const ASKED_AGAIN_MS = 3_000;

interface WireOwnLevel {
  readonly px: string;
  readonly consumedSz: string;
  readonly ownSz: string;
  readonly ownOrders: number;
  readonly queueAhead: string | null;
}

interface WireOwnBook {
  readonly coin: string;
  readonly heardTime: number | null;
  readonly markTime: number | null;
  readonly maxAge: number;
  readonly levels: readonly [readonly WireOwnLevel[], readonly WireOwnLevel[]];
}

export interface OwnBook {
  readonly coin: string;
  readonly heardMs: number | null;
  readonly markMs: number | null;
  readonly maxAgeMs: number;
  readonly bids: readonly OwnLevel[];
  readonly asks: readonly OwnLevel[];
}

/** Of the coin that was followed last; undefined until the first answer. */
export const ownBook = signal<OwnBook | undefined>(undefined);

/** Another text when orders or fills are others: the state itself comes every few seconds. undefined until both are there. */
const changes = computed(() => {
  if (openOrders.value === undefined || fills.value === undefined) return undefined;
  return `${openOrders.value.seq} ${fills.value.rows[0]?.row.tid}`;
});

/** Follows the own part of a coin's book. @returns ends it */
export function followOwnBook(coin: string): () => void {
  ownBook.value = undefined;
  let isOver = false;
  const ask = atMostEvery<true>(ASKED_AGAIN_MS, () => {
    post<WireOwnBook>(exchangePath('info'), aboutAccount({ type: 'explainBook', coin })).then(
      ({ body }) => {
        if (!isOver) ownBook.value = readOwnBook(body);
      },
      // The page asks again soon; the shown book says its age.
      (error: unknown) => console.warn(error),
    );
  });
  const end = whileShown(() => {
    const timer = setInterval(() => ask.give(true), ASKED_EVERY_MS);
    const endWatching = effect(() => {
      if (changes.value !== undefined) ask.give(true);
    });
    return () => {
      clearInterval(timer);
      endWatching();
    };
  });
  return () => {
    isOver = true;
    ask.end();
    end();
  };
}

const readOwnBook = ({ coin, heardTime, markTime, maxAge, levels: [bids, asks] }: WireOwnBook): OwnBook => ({
  coin,
  heardMs: heardTime,
  markMs: markTime,
  maxAgeMs: maxAge,
  bids: bids.map(readLevel),
  asks: asks.map(readLevel),
});

const readLevel = ({ px, consumedSz, ownSz, ownOrders, queueAhead }: WireOwnLevel): OwnLevel => ({
  price: px,
  consumed: consumedSz,
  ownSize: ownSz,
  ownOrders,
  queueAhead,
});
