// The trading rules with a pipeline of features, as the runtime takes them: a parameter, so that a test can run a rule that fails.
import type { MarketView } from '../../market/domain/marketView.ts';
import type { Account } from './account/account.ts';
import { decide, decideMarket, decideShardCommand } from './decide.ts';
import type { Decided, Decision } from './fold/draft.ts';
import { applyEntry } from './fold/evolve.ts';
import { foldAccount, type LastGoodState, lastGoodState } from './fold/foldAccount.ts';
import type { Asked, CoinChange, DecisionInput, Pipeline } from './fold/pipeline.ts';
import { recordEntry } from './fold/recordEntry.ts';
import { decideDue, limitWakePrices, nextDueMs } from './lifecycle/aroundDecision.ts';
import { settleDelisted } from './lifecycle/settleDelisted.ts';
import { type WakePrice, wakePrices } from './margin/wakePrices.ts';
import type { AccountCommand } from './messages/command.ts';
import type { AccountEntry, EntryCause } from './messages/entry.ts';
import type { QueryAnswer } from './messages/queryAnswer.ts';
import type { ShardCommand } from './messages/shardCommand.ts';
import { type ArchivedPast, type KnownState, type Rebuilt, rebuildAccount } from './rebuildAccount.ts';
import { answerQuery } from './views/answerQuery.ts';

export interface Rules {
  readonly decide: (account: Account, command: AccountCommand, input: DecisionInput) => Decision;
  readonly decideMarket: (account: Account, change: CoinChange, input: DecisionInput) => Decided;
  readonly decideDue: (account: Account, input: DecisionInput) => Decided;
  readonly decideShardCommand: (account: Account, command: ShardCommand, input: DecisionInput) => Decided;
  readonly settleDelisted: (account: Account, input: DecisionInput) => Decided;
  /** Marks at which the account has to be looked at, for liquidation and for its own limits. */
  readonly wakePrices: (account: Account, market: MarketView) => WakePrice[];
  /** Earliest time at which the account wants to be woken, ms, or undefined when it plans nothing. */
  readonly nextDueMs: (account: Account) => number | undefined;
  /** As `decide` answers it. A dry run is a decision. */
  readonly answerQuery: (account: Account, query: Parameters<typeof answerQuery>[1], asked: Asked) => QueryAnswer;
  readonly applyEntry: (account: Account, entry: AccountEntry) => Account;
  readonly recordEntry: (before: Account, cause: EntryCause, market: MarketView) => ReturnType<typeof recordEntry>;
  readonly foldAccount: (accountId: string, snapshot: string | undefined, entries: Iterable<AccountEntry>) => Account;
  readonly lastGoodState: (base: () => Account, entries: readonly AccountEntry[]) => LastGoodState;
  readonly rebuildAccount: <State extends KnownState>(
    past: ArchivedPast<State>,
    accountId: string,
    seq: number,
  ) => Promise<Rebuilt<State>>;
}

export const rulesWith = (pipeline: Pipeline): Rules => ({
  decide: (account, command, input) => decide(account, command, { ...input, pipeline }),
  decideMarket: (account, change, input) => decideMarket(account, change, { ...input, pipeline }),
  decideDue: (account, input) => decideDue(account, { ...input, pipeline }),
  decideShardCommand: (account, command, input) => decideShardCommand(account, command, { ...input, pipeline }),
  settleDelisted: (account, input) => settleDelisted(account, { ...input, pipeline }),
  wakePrices: (account, market) => [...wakePrices(account, market), ...limitWakePrices(account, market, pipeline)],
  nextDueMs: (account) => nextDueMs(account, pipeline),
  answerQuery: (account, query, asked) => answerQuery(account, query, { ...asked, pipeline }),
  applyEntry: (account, entry) => applyEntry(account, entry, pipeline.evolve),
  recordEntry: (before, cause, market) => recordEntry(before, cause, { market, steps: pipeline.evolve }),
  foldAccount: (accountId, snapshot, entries) => foldAccount(accountId, snapshot, entries, pipeline.evolve),
  lastGoodState: (base, entries) => lastGoodState(base, entries, pipeline.evolve),
  rebuildAccount: (past, accountId, seq) => rebuildAccount(past, accountId, seq, pipeline.evolve),
});
