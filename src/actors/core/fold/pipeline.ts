// The input of a decision, and the pipeline. The pipeline has the parts that features add to the rules of every account, in lists. Each list
// has the order in which its parts run. The core imports no feature: callers of the rules give the core this one parameter
// (src/features/rules.ts). The core looks whether an account has a feature before it runs the feature's parts, so an account without it pays a
// comparison.
import type { Asset } from '../../../market/domain/asset.ts';
import type { BookChange, ContextChange, TradesChange } from '../../../market/domain/feed.ts';
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Decimal } from '../../../shared/domain/decimal.ts';
import type { Format } from '../../../shared/domain/formats.ts';
import type { KeyGuard } from '../../../shared/domain/limits.ts';
import type { IdSource } from '../../../shared/domain/shards.ts';
import type { Account } from '../account/account.ts';
import type { WakePrice } from '../margin/wakePrices.ts';
import type { AccountCommand, AccountQuery } from '../messages/command.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { LabNote } from '../messages/labNote.ts';
import type { AnswerOf } from '../messages/queryAnswer.ts';
import type { Rejection } from '../messages/rejection.ts';
import type { Decision, Draft } from './draft.ts';
import type { EvolveSteps } from './evolve.ts';

/** Input that a caller of the rules gives with a command or a market change. */
export interface DecisionInput {
  /** The time of what is decided: the later of the clock and the account's last time, because its times never run backwards. */
  readonly nowMs: number;
  /**
   * The exchange's clock. It is before `nowMs` where a wrong clock has touched the account. What is too old, due or too late is
   * judged by it, so such an account trades on. Absent = `nowMs`.
   */
  readonly clockMs?: number;
  readonly market: MarketView;
  readonly ids: IdSource;
  /** The generation that is written now: what a newer one brings to events must not be written yet. */
  readonly format: Format;
  /** Whether actions beyond the address limit are refused (ADDRESS_LIMIT); absent = not. */
  readonly addressLimit?: boolean;
  /** The draw of the failure lab that the command came with. */
  readonly lab?: LabNote;
  /** Names a state. The state of a fork is checked by it; nothing else is. */
  readonly stateHashOf?: (account: Account) => string;
  /** Limits of the API key that has sent the command; absent = of a key without limits, or of none. */
  readonly key?: KeyGuard | undefined;
}

export interface Context extends DecisionInput {
  readonly pipeline: Pipeline;
}

/** The time by which ages, due times and deadlines are judged. */
export const clockOf = ({ nowMs, clockMs = nowMs }: Pick<DecisionInput, 'nowMs' | 'clockMs'>): number => clockMs;

export type CommandOf<Type extends AccountCommand['type']> = Extract<AccountCommand, { type: Type }>;

/** Commands that features decide. */
export type FeatureCommand =
  | ('scheduleCancel' | 'startTwap' | 'cancelTwap' | 'setHouseRules' | 'reserveRequests' | 'inLab' | 'noteLab')
  | ('createSubAccount' | 'renameSubAccount' | 'sendTransfer' | 'receiveTransfer' | 'settleTransfer')
  | ('beginFork' | 'importAccount' | 'followAddress' | 'followSource' | 'unfollowAddress')
  | ('addMirror' | 'mirrored' | 'settleMirror');

type Decide<Type extends AccountCommand['type']> = (account: Account, command: CommandOf<Type>, context: Context) => Decision;

/** Acts of a feature before the decision of a command. A field is absent where the feature does nothing of the kind. */
export interface Prelude {
  /** The answer in place of a decision. */
  readonly refusal?: Decision;
  /** Events before the command. The account of the decision has them. */
  readonly first?: readonly AccountEvent[];
  /** An event after the events of the decision. */
  readonly last?: (decision: Decision) => AccountEvent;
}

/** An order or a TWAP as limits see it. A client sends it now, or it goes on later. */
export interface Opening {
  readonly asset: Asset;
  readonly reduceOnly: boolean;
  /** Present when a client sends it now. `valueUsd`: its highest value, USD; undefined where its numbers are no numbers, which later checks refuse. */
  readonly sent?: { readonly valueUsd: Decimal | undefined };
  /** Present when it goes on later under the limit of its key: with this loss of a day it opens nothing more, USD. */
  readonly lossMaxUsd?: string | undefined;
}

/** Limits on what an account opens. Orders that can only reduce pass nearly all of them. */
export interface OpeningLimits {
  /** The first limit that the opening is beyond. */
  readonly refusalOf: (account: Account, opening: Opening, context: Context) => Rejection | undefined;
  /** The text for a leverage that may not be set. */
  readonly leverageRefusal?: (leverage: number, context: Pick<Context, 'key'>) => string | undefined;
  /** Event that counts an order after these limits let it pass. */
  readonly counted?: (context: Context) => AccountEvent | undefined;
  /** Event that notes an opening in a coin. */
  readonly opened?: (account: Account, coin: string) => AccountEvent | undefined;
}

/** Questions about an account that features answer. */
export type FeatureQuestion = 'runningTwaps' | 'delayedAction' | 'houseRules' | 'subAccounts' | 'groupMember';

/** The market and the clock that an answer goes by. */
export type Asked = Pick<DecisionInput, 'market' | 'nowMs'>;

type Answer<Kind extends FeatureQuestion> = (
  account: Account,
  query: Extract<AccountQuery, { kind: Kind }>,
  asked: Asked,
) => AnswerOf<Kind>;

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

type Part = (draft: Draft, context: Context) => void;

export interface Pipeline {
  readonly commands: { readonly [Type in FeatureCommand]: Decide<Type> };
  readonly evolve: EvolveSteps;
  readonly answers: { readonly [Kind in FeatureQuestion]: Answer<Kind> };
  /** Before a command of an account under the address limit, or of a copy. */
  readonly beforeCommand: readonly ((account: Account, command: AccountCommand, context: Context) => Prelude | undefined)[];
  /** Notes of an account before the command of a key with limits. */
  readonly beforeKey: readonly ((account: Account, context: Context) => AccountEvent | undefined)[];
  /** Limits on what opens something, of a key with limits and of an account with limits of its own. */
  readonly openings: readonly OpeningLimits[];
  /** After the decision of a command, of an account with what-ifs. */
  readonly afterDecision: readonly (<D extends WhatIfsPart>(account: Account, command: AccountCommand, decision: D) => D)[];
  /** Periods that turn by the clock, before every other decision. */
  readonly periods: readonly DuePart[];
  /** Of two that are due at the same time the earlier in this list is first. */
  readonly due: readonly DuePart[];
  /** Work that was due when the market changed, before the account woke up for it. */
  readonly beforeMarket: readonly ((draft: Draft, change: CoinChange, context: Context) => void)[];
  /** On a new mark or book of the coin, after the account's triggers. */
  readonly onMark: readonly ((draft: Draft, coin: string, context: Context) => void)[];
  readonly beforeSettlement: readonly Part[];
  /** After consequences, last of all on a mark, and in a job's look at the account, of an account with limits of its own. */
  readonly watches: readonly Part[];
  /** Consequences of a decision, of an account with limits of its own. @param before the account before the events of the draft */
  readonly consequences: readonly ((before: Account, draft: Draft, context: Context) => void)[];
  /** Marks at which an account with limits of its own has to be looked at. */
  readonly wakePrices: readonly ((account: Account, market: MarketView) => WakePrice[])[];
}

/** The part of a decision that what-ifs may get. */
export type WhatIfsPart = Pick<Decision, 'events' | 'outcome' | 'beyondKey' | 'forWhatIfs'>;
