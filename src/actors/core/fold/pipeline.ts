// The pipeline: the parts that features add to the rules of every account, in lists in the order in which the parts run. The core imports
// no feature: the actors, forks, tests and benches give the core this one parameter (src/features/rules.ts).
import type { BookChange, ContextChange, TradesChange } from '../../../market/domain/feed.ts';
import type { Account } from '../account/account.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { Context, Decision } from './decision.ts';
import type { Draft } from './draft.ts';

/** Commands that a feature decides. */
type FeatureCommand = 'scheduleCancel' | 'startTwap' | 'cancelTwap';

type Decide<Type extends AccountCommand['type']> = (
  account: Account,
  command: Extract<AccountCommand, { type: Type }>,
  context: Context,
) => Decision;

/** One thing that an account does at a time that its state names: when, and what. */
export interface DuePart {
  /** Earliest time at which there is something to do, ms; undefined = nothing is planned. */
  nextMs(account: Account): number | undefined;
  /**
   * Does what is due at `dueMs` and records its turn, also when nothing could be done: it is not due again at the
   * same time.
   */
  run(draft: Draft, context: Context, dueMs: number): void;
}

export type CoinChange = BookChange | TradesChange | ContextChange;

export interface Pipeline {
  readonly commands: { readonly [Type in FeatureCommand]: Decide<Type> };
  /** Parts for work that was due when the market changed, before the account woke up for it. */
  readonly beforeMarket: readonly ((draft: Draft, change: CoinChange, context: Context) => void)[];
  /** Parts that run on a new mark or book of the coin, after the account's triggers. */
  readonly onMark: readonly ((draft: Draft, coin: string, context: Context) => void)[];
  /** Parts that run before the settlement of delisted coins. */
  readonly beforeSettlement: readonly ((draft: Draft, context: Context) => void)[];
  /** Of two that are due at the same time the earlier in this list is first. */
  readonly due: readonly DuePart[];
}
