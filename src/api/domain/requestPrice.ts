// What a request costs. An action costs `1 + floor(n / 40)` of the plan's requests for n orders, cancels or modifies, and
// the same weight; a question costs one request and the venue's weight for its type (wire-format 7.3). Weights are a
// second budget, so that a caller who asks much pays for the work and not for the call. Text counts as well: a body that is
// large for what it asks costs its length.
import { assert } from '../../shared/domain/assert.ts';
import { JsonText } from './wireText.ts';

/** The parts of a request that are counted. */
export interface Price {
  readonly requests: number;
  readonly weight: number;
}

const ITEMS_PER_REQUEST = 40;
/** Text that a weight of 1 pays for, bytes: some 80 orders. */
const BYTES_PER_WEIGHT = 16_384;

/** Books, mids, states. */
export const LIGHT = 2;
/** The heaviest weight of one request: the plan's requests fit into its weights at this one. The venue takes 60 for `userRole`, which costs nothing here. */
export const HEAVIEST = 20;

/** What a question of an info type costs: its weight, and the rows of its answer that a further weight of 1 pays for. */
export interface QuestionPrice {
  readonly weight: number;
  /** Absent: rows cost nothing. */
  readonly rowsPerWeight?: number;
}

/** Rows of an account's history that a further weight of 1 pays for. */
const ROWS_PER_WEIGHT = 20;

export const LIGHT_QUESTION: QuestionPrice = { weight: LIGHT };
export const HEAVY_QUESTION: QuestionPrice = { weight: HEAVIEST };
export const QUESTION_OF_ROWS: QuestionPrice = { weight: HEAVIEST, rowsPerWeight: ROWS_PER_WEIGHT };
/** Each row is the state of another account: it costs what asking for it costs. */
export const QUESTION_OF_STATES: QuestionPrice = { weight: HEAVIEST, rowsPerWeight: 1 / LIGHT };

/** What an action costs at least. */
export const ACTION: Price = { requests: 1, weight: 1 };
/** Of an endpoint that looks a document up, or answers from memory. */
export const CHEAP: Price = { requests: 1, weight: LIGHT };
/** Of an endpoint that hashes a password, sends a mail, or reads a whole history. */
export const HEAVY: Price = { requests: 1, weight: HEAVIEST };

/** The price of a request by its path. An unknown path costs what the cheapest endpoint costs. */
export type PathPrices = (path: string | undefined) => Price;

/** A request is paid for before its method is looked at, so the endpoints of one path have one price. */
export function pathPrices(endpoints: readonly { readonly path: string; readonly price: Price }[]): PathPrices {
  const prices = new Map<string, Price>();
  for (const { path: template, price } of endpoints) {
    const path = template.replace(':exchange', 'perpx');
    assert((prices.get(path) ?? price) === price, `the endpoints of ${path} have one price`);
    assert(price === CHEAP || !path.includes(':'), `${path} is no path that a price is found by`);
    prices.set(path, price);
  }
  return (path = '') => prices.get(path) ?? CHEAP;
}

/** Orders, cancels or modifies of an action. A dry run costs what the action does, and the weight of the account's state. */
export function priceOfItems(items: number, { bytes, isDryRun }: { readonly bytes: number; readonly isDryRun: boolean }): Price {
  const requests = 1 + Math.floor(items / ITEMS_PER_REQUEST);
  const weight = Math.max(requests, weightOf(bytes));
  return { requests, weight: isDryRun ? weight + LIGHT : weight };
}

/** @param bytes of the request's body */
export const priceOfQuestion = ({ weight }: QuestionPrice, bytes: number): Price => ({
  requests: 1,
  weight: Math.max(weight, weightOf(bytes)),
});

/** The further weight of a long answer, 0 for a short one. */
export const weightOfAnswer = ({ rowsPerWeight }: QuestionPrice, answer: unknown): number =>
  rowsPerWeight === undefined ? 0 : Math.floor(rowsOf(answer) / rowsPerWeight);

const rowsOf = (answer: unknown): number => {
  if (answer instanceof JsonText) return answer.rows;
  return Array.isArray(answer) ? answer.length : 0;
};

const weightOf = (bytes: number): number => 1 + Math.floor(bytes / BYTES_PER_WEIGHT);

/**
 * The weight of a subscription as its channel has read it. One that goes on after an entry reads the past, as a heavy question does.
 * @param weight of the channel
 */
export function weightOfSubscription(subscription: object, weight: number): number {
  const { fromSeq } = subscription as { readonly fromSeq?: number | null };
  return fromSeq == null ? weight : HEAVIEST;
}

/** The further weight of rows of the past that a subscription reads. */
export const weightOfPast = (rows: number): number => Math.ceil(rows / ROWS_PER_WEIGHT);
