// The input and the result of a decision: the two shapes that all rules share.
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Format } from '../../../shared/domain/formats.ts';
import type { IdSource } from '../../../shared/domain/ids.ts';
import type { KeyGuard } from '../../../shared/domain/limits.ts';
import type { Account } from '../account/account.ts';
import type { MirroredCommand } from '../messages/command.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { LabNote } from '../messages/labNote.ts';
import type { Outcome } from '../messages/queryAnswer.ts';

export interface Context {
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

/** The time by which ages, due times and deadlines are judged. */
export const clockOf = ({ nowMs, clockMs = nowMs }: Pick<Context, 'nowMs' | 'clockMs'>): number => clockMs;

/** What was decided and is not folded into the account yet. */
export interface Decided {
  readonly events: readonly AccountEvent[];
}

export interface Decision extends Decided {
  readonly outcome: Outcome;
  /** What the command counts for in `userRateLimit`; goes into its entry. 0 for queries. */
  readonly requests: number;
  /**
   * Outcomes, of all or of one of its elements, that the limits of the API key have brought about: what a key may not do here, it does
   * nowhere else.
   */
  readonly beyondKey?: ReadonlySet<object> | undefined;
  /** What the account's what-ifs get in place of the command: facts about an address mean nothing to them, and orders do. */
  readonly forWhatIfs?: readonly MirroredCommand[] | undefined;
  /** It is no entry while it has no event: a refusal that changes nothing, and is to cost nothing. */
  readonly leavesNoEntry?: true;
}
