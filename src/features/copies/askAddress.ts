// Questions to the venue about one address: all that an import takes, and the fills that a follower has missed.
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import type { ImportSource, LeftOut, SourceFill } from '../../actors/core/messages/importReport.ts';
import { away } from '../../api/accounts/askVenue.ts';
import { RequestError, RetryableError, TerminalError } from '../../shared/errors.ts';
import type { FreshQuestions } from '../../shared/venue/venueQuestions.ts';
import { FILLS_OF_ANSWER, readFillsAnswer } from './userFrame.ts';
import {
  type AddressState,
  CLOCK_AHEAD_MS_MAX,
  type Collateral,
  toCollateral,
  toDexLeft,
  toDexs,
  toOrders,
  toSpot,
  toState,
  UnreadableAnswer,
} from './venueAddress.ts';

/** Times that the orders are asked for while fills come in between. */
const ROUNDS_MAX = 2;

type Taken = Omit<
  Extract<AccountCommand, { type: 'importAccount' }>,
  'type' | 'isDryRun' | 'expiresAfterMs' | keyof ImportSource
> &
  Omit<ImportSource, 'source' | 'scale'>;

/** Asks the venue something of one address. */
export type Ask = (type: string, more?: object) => Promise<unknown>;

/**
 * Asks the venue for all that an import takes of an address. Positions and orders are two answers; when a fill came between them they are
 * asked for once more, so that an order is not counted beside the position that it has become. The kind of account says where its money is:
 * unified and portfolio-margin accounts have it in spot, and `accountValue` of their positions means nothing then.
 * @param payer on whom the questions are counted (`payerOf`)
 * @throws {RequestError} 400 when the venue refuses the questions, or the collateral has no value here, 429 or 503 when they may not be asked or
 *   are not answered, 502 for an answer that cannot be read
 */
export async function readAddress(
  { venue, now }: { readonly venue: Pick<FreshQuestions, 'ask'>; readonly now: () => number },
  user: string,
  payer: string,
): Promise<Taken> {
  const ask: Ask = (type, more) => venue.ask({ type, user, ...more }, payer);
  try {
    const collateral = await askCollateral(ask);
    const elsewhere = await askElsewhere(ask, await venue.ask({ type: 'perpDexs' }, payer));
    let before = toState(await ask('clearinghouseState'));
    for (let round = 1; ; round++) {
      const { orders, left } = toOrders(await ask('frontendOpenOrders'));
      const state = toState(await ask('clearinghouseState'));
      const { unvalued, left: balances, ...money } = toSpot(await ask('spotClearinghouseState'), collateral);
      if (unvalued !== undefined) throw unvaluedRefusal(unvalued);
      // A mirror from then on would pass over what comes before.
      if (state.takenAtMs > now() + CLOCK_AHEAD_MS_MAX)
        throw new UnreadableAnswer('clearinghouseState is of a time that has not come');
      if (isSame(before, state) || round === ROUNDS_MAX)
        return { ...state, ...money, orders, left: [...balances, ...elsewhere, ...left] };
      before = state;
    }
  } catch (error) {
    if (error instanceof UnreadableAnswer)
      throw new RequestError(502, 'upstream_unreadable', `The market data source answers what cannot be read: ${error.message}.`);
    if (error instanceof TerminalError)
      throw new RequestError(
        400,
        'upstream_refused',
        'The market data source refuses questions about addresses, or answers too much.',
      );
    throw error instanceof RetryableError ? away(error) : error;
  }
}

async function askCollateral(ask: Ask): Promise<Collateral> {
  const { mode, collateral } = toCollateral(await ask('userAbstraction'));
  if (collateral === undefined) throw unvaluedRefusal(`its kind of account, ${JSON.stringify(mode)}, is not known here`);
  return collateral;
}

/** Positions and orders of the address on the builder-deployed dexs. */
async function askElsewhere(ask: Ask, dexs: unknown): Promise<LeftOut[]> {
  const left: LeftOut[] = [];
  for (const dex of toDexs(dexs)) left.push(...toDexLeft(await ask('clearinghouseState', { dex })));
  return left;
}

const unvaluedRefusal = (why: string): RequestError =>
  new RequestError(400, 'import_refused', `The address cannot be valued: ${why}.`);

const isSame = (a: AddressState, b: AddressState): boolean => sizesOf(a) === sizesOf(b);
const sizesOf = ({ positions }: AddressState): string => positions.map(({ coin, signedSize }) => `${coin} ${signedSize}`).join();

/** Fills of this time and later, the oldest first: the venue gives some at a time, and those of the last time once more. */
export async function fillsSince(ask: Ask, fromMs: number): Promise<SourceFill[]> {
  const found: SourceFill[] = [];
  for (let startTime = fromMs; ; ) {
    const { count, lastMs, fills } = readFillsAnswer(await ask('userFillsByTime', { startTime }));
    found.push(...fills);
    if (count < FILLS_OF_ANSWER || lastMs === undefined || lastMs <= startTime) return found;
    startTime = lastMs;
  }
}
