// `notification`: lines of text for a person about events without a request: a resting order filled, a position
// liquidated, margin getting thin. `orderUpdates` and `userFills` report the first two to programs.

import { Type } from '@sinclair/typebox';
import type { AccountStateView } from '../../../actors/core/messages/accountFigures.ts';
import type { FillRow, LedgerRow } from '../../../actors/core/messages/historyRows.ts';
import { expiryOf, type PaidUntil } from '../../../shared/domain/billing/subscription.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { getOrMake } from '../../../shared/domain/groups.ts';
import { DAY_MS } from '../../../shared/domain/units.ts';
import { askAccount, type Call } from '../../accounts/services.ts';
import { exactly } from '../../contract/answerValues.ts';
import { LIGHT } from '../../domain/requestPrice.ts';
import { rowsOfKind, type UpdateListener } from '../account/accountFeeds.ts';
import { type AccountSubscription, accountReader } from '../account/accountSubscription.ts';
import { type PrivateParts, rowStream } from '../account/rowStream.ts';
import { channel, type Serving } from '../channel/channel.ts';
import { toMessage } from '../channel/message.ts';

export const notification = channel(accountReader('notification', {}), {
  about:
    'A line of text for a person, about what happens without being asked for. What is no entry of the journal (a thin margin, ' +
    'the end of a trial, an invoice) has no `seq`.',
  messages: { notification: exactly({ notification: Type.String() }) },
  hasMessagesWithoutSeq: true,
  weight: LIGHT,
  serve: withWarnings,
});

/** Warnings are no entries of the journal: they have no `seq` and are not replayed. */
function withWarnings(parts: PrivateParts): Serving<AccountSubscription> {
  const entries = rowStream(
    {
      kinds: ['fills', 'ledger'],
      messages: (update) =>
        [...rowsOfKind(update, 'fills').flatMap(ofFill), ...rowsOfKind(update, 'ledger').flatMap(ofLedger)].map(toData),
    },
    parts,
  );
  const margins = new MarginWatches(parts);
  return {
    ...entries,
    async open(subscription, subscriber) {
      const opened = await entries.open(subscription, subscriber);
      let endWatch: (() => void) | undefined;
      return {
        ...opened,
        start: () => {
          opened.start();
          endWatch = margins.watch(subscriber.call(), (text) => subscriber.send(toMessage('notification', toData(text))));
        },
        close: () => {
          endWatch?.();
          opened.close();
        },
      };
    },
  };
}

const toData = (text: string) => ({ notification: text });

/** True for fills of resting orders: the sender of a taking order has its answer. */
function ofFill({ liquidity, side, size, coin, price }: FillRow): string[] {
  return liquidity === 'maker'
    ? [`Resting order filled: ${side === 'buy' ? 'Bought' : 'Sold'} ${size} ${coin} at $${price}`]
    : [];
}

function ofLedger(row: LedgerRow): string[] {
  if (row.kind !== 'liquidation') return [];
  const positions = row.positions.map(({ coin, signedSize }) => `${signedSize} ${coin}`).join(', ');
  return [`Liquidation (${row.marginMode}): ${positions}; the account value was $${row.accountValue}`];
}

// The line of text about the end of the paid time: one a day before it, so that there is time to pay, and one at it.

/** No line is due before this time, so a check of thousands of sockets several times a second is one comparison for most. */
export const noticeFromMs = ({ trialExpiresAtMs, subscriptionExpiresAtMs }: Omit<PaidUntil, 'graceMs'>): number =>
  Math.max(trialExpiresAtMs, subscriptionExpiresAtMs ?? 0) - DAY_MS;

/** @returns the line for this moment; undefined while the end is more than a day away */
export function endNotice(paidUntil: PaidUntil, nowMs: number): string | undefined {
  const endMs = expiryOf(paidUntil);
  if (nowMs < endMs - DAY_MS) return undefined;
  const what = paidUntil.subscriptionExpiresAtMs === null ? 'The trial' : 'The subscription';
  const at = new Date(endMs).toISOString();
  return nowMs < endMs ? `${what} ends at ${at}: pay before it to go on trading` : `${what} has ended at ${at}`;
}

// Watches how near an account is to a liquidation, for its cross positions and for each isolated one, while a client
// wants to be warned. It looks after each entry of the account's journal and every few seconds, because the mark
// moves without an entry.

const LOOK_EVERY_MS = 5000;
/** Shares of a margin pool's equity that maintenance margin reaches at each warning. */
const LEVELS = ['0.8', '0.95'].map((share) => new Decimal(share));

/** Called when a margin pool reaches a higher level than before, and again after it was below in between. */
type OnLevel = (warning: string) => void;

class MarginWatches {
  readonly #parts: PrivateParts;
  readonly #watches = new Map<string, MarginWatch>();

  constructor(parts: PrivateParts) {
    this.#parts = parts;
  }

  /** @returns a function that ends it */
  watch(call: Call, onLevel: OnLevel): () => void {
    const { accountId } = call.caller;
    const watch = getOrMake(this.#watches, accountId, () => new MarginWatch(this.#parts, call));
    watch.add(onLevel);
    return () => {
      if (!watch.listeners.delete(onLevel) || watch.listeners.size > 0) return;
      watch.stop();
      if (this.#watches.get(accountId) === watch) this.#watches.delete(accountId);
    };
  }
}

class MarginWatch implements UpdateListener {
  /** Each listener with the level of each margin pool at its last warning. */
  readonly listeners = new Map<OnLevel, ReadonlyMap<string, number>>();
  readonly #parts: PrivateParts;
  readonly #call: Call;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;
  #lookAgain = false;

  constructor(parts: PrivateParts, call: Call) {
    this.#parts = parts;
    this.#call = call;
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
    // Without the journal the timer alone has to do; the same failure refuses the subscription.
    parts.feeds.listen(call.caller.accountId, this).catch((error: unknown) => this.#onError(error));
  }

  /** Warns the listener at once of a level that is reached already. */
  add(onLevel: OnLevel): void {
    this.listeners.set(onLevel, new Map());
    void this.#look();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#parts.feeds.leave(this.#call.caller.accountId, this);
  }

  onUpdate(): void {
    void this.#look();
  }

  onBroken(): void {
    // The subscriptions close their sockets.
  }

  async #look(): Promise<void> {
    if (this.#isLooking) {
      this.#lookAgain = true;
      return;
    }
    this.#isLooking = true;
    do {
      this.#lookAgain = false;
      await this.#lookOnce().catch((error: unknown) => this.#onError(error));
    } while (this.#lookAgain);
    this.#isLooking = false;
  }

  async #lookOnce(): Promise<void> {
    const { state } = await askAccount(this.#call, this.#parts.answers.services, { kind: 'accountState' });
    const levels = new Map<string, number>();
    const warnings = new Map<string, string>();
    for (const { name, maintenance, value } of watchedPoolsOf(state)) {
      const level = levelOf(maintenance, value);
      levels.set(name, level);
      const share = LEVELS[level - 1];
      if (share === undefined) continue;
      warnings.set(
        name,
        `Margin warning: maintenance margin $${maintenance} is ${share.times(100)} % or more of the ${name} $${value}`,
      );
    }
    for (const [onLevel, told] of this.listeners) {
      this.listeners.set(onLevel, levels);
      for (const [name, warning] of warnings) if ((levels.get(name) ?? 0) > (told.get(name) ?? 0)) onLevel(warning);
    }
  }

  #onError(error: unknown): void {
    this.#parts.answers.services.log.debug({ err: error }, 'a margin could not be looked at');
  }
}

/** A margin pool with its maintenance margin and its equity, USD. */
interface WatchedPool {
  readonly name: string;
  readonly maintenance: string;
  readonly value: string;
}

function watchedPoolsOf({ crossMaintenanceMarginUsed, crossMarginSummary, positions }: AccountStateView): WatchedPool[] {
  const isolated = positions.filter(({ leverage }) => leverage.type === 'isolated');
  return [
    { name: 'cross account value', maintenance: crossMaintenanceMarginUsed, value: crossMarginSummary.accountValue },
    ...isolated.map(({ coin, maintenanceMargin, marginUsed }) => ({
      name: `value of the isolated ${coin} position`,
      maintenance: maintenanceMargin,
      value: marginUsed,
    })),
  ];
}

function levelOf(maintenance: string, value: string): number {
  const margin = new Decimal(maintenance);
  return margin.isZero() ? 0 : LEVELS.filter((share) => margin.gte(new Decimal(value).times(share))).length;
}
