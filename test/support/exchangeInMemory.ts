// The `info` and `exchange` endpoints over one account in memory: the real rules, market view and translations. The
// simplest substitutes that keep their contracts replace the mailbox, the history and the venue's REST interface.
// Nothing to start, nothing to wait for.

import { emptyAccount } from '../../src/actors/core/account/account.ts';
import { toSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import { rowsOf } from '../../src/actors/core/history/rowsOfEvents.ts';
import type { ViewSource } from '../../src/actors/core/messages/accountFigures.ts';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { AccountEntry } from '../../src/actors/core/messages/entry.ts';
import type { NumberedRow, OrderRow } from '../../src/actors/core/messages/historyRows.ts';
import type { OrderTarget } from '../../src/actors/core/messages/order.ts';
import type { Outcome } from '../../src/actors/core/messages/queryAnswer.ts';
import { KnownAccounts } from '../../src/api/accounts/knownAccounts.ts';
import { MinuteCandles } from '../../src/api/accounts/minuteCandles.ts';
import type { AccountHistory, Call, Services } from '../../src/api/accounts/services.ts';
import type { Version } from '../../src/api/accounts/views/versionReader.ts';
import { JsonText } from '../../src/api/domain/wireText.ts';
import { runAction } from '../../src/api/exchange/runAction.ts';
import { answerInfo } from '../../src/api/info/answerInfo.ts';
import { decide, nextDueMs, recordEntry } from '../../src/features/rules.ts';
import type { VenueMeta } from '../../src/market/domain/asset.ts';
import type { AssetContext, FeedLevel } from '../../src/market/domain/feed.ts';
import { LiveMarket } from '../../src/market/domain/liveMarket.ts';
import { type Config, readConfig } from '../../src/shared/config/config.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { ShardIds } from '../../src/shared/domain/shards.ts';
import { createLogger } from '../../src/shared/logger.ts';
import type { User } from '../../src/shared/mongo/userStore.ts';
import { stateHashOf } from '../../src/shared/stateHash.ts';
import { answerFaults } from './contract.ts';
import { gatewayOf } from './gatewayOf.ts';
import { readRecording } from './recordings.ts';

export const ADDRESS = '0x00000000000000000000000000000000000000aa';
export const DEPOSIT_USD = '10000';

/** `[price, size]`, best first. */
export type BookSide = readonly (readonly [string, string])[];

const defaults = readConfig({});
const log = createLogger({ level: 'silent', role: 'test' });

export class ExchangeInMemory {
  nowMs = 1_795_000_000_000;
  /** Configuration of the API node. */
  config: Config = defaults;
  readonly market = new LiveMarket({ maxAgeMs: 15_000 });
  /** Commands that reached the account, in order. */
  readonly commands: AccountCommand[] = [];
  /** Journal entries, in order. */
  readonly entries: AccountEntry[] = [];
  /** Rows of the account's past, oldest first; tests may add rows that the rules cannot make yet. */
  readonly rows: NumberedRow[] = [];
  /** The venue's answers by type, an error where it refuses, and what it was asked. */
  readonly upstreamAnswers = new Map<string, unknown>();
  readonly upstreamRequests: object[] = [];
  readonly call: Call = {
    caller: { userId: 'user_1', accountId: ADDRESS, address: ADDRESS, master: ADDRESS, plan: 'basic', keyId: 'key_1' },
    requestId: 'request-1',
    receivedAtMs: this.nowMs,
  };
  readonly minutes = new MinuteCandles();
  readonly #ids = new ShardIds({ shard: 3, shards: 16, counter: 1000 });
  #account = emptyAccount(ADDRESS);

  constructor() {
    const [meta, contexts] = readRecording('info.metaAndAssetCtxs').response as [VenueMeta, AssetContext[]];
    this.market.apply({ type: 'status', source: 'replay', connectedSinceMs: this.nowMs });
    this.minutes.onStatus(this.nowMs);
    this.market.apply({ type: 'meta', meta });
    const mids = readRecording('info.allMids').response as Record<string, string>;
    this.market.apply({ type: 'mids', timeMs: this.nowMs, mids });
    meta.universe.forEach(({ name }, i) => {
      const context = contexts[i];
      if (context) this.market.apply({ type: 'context', coin: name, timeMs: this.nowMs, context });
    });
    this.#run({ type: 'openAccount', depositUsd: DEPOSIT_USD });
  }

  /** Of the account as it is. */
  get version(): Version {
    return { token: 'owner', seq: this.#account.seq };
  }

  /** When the account acts by itself. */
  get nextDueMs(): number | null {
    return nextDueMs(this.#account) ?? null;
  }

  /** Stand-ins for the parts of a running API node. */
  get services(): Services {
    const gateway = gatewayOf(async (_accountId, command) => this.#run(command));
    const history: AccountHistory = {
      latest: async (_accountId, kind, limit) => this.#rowsOf(kind).toReversed().slice(0, limit),
      between: async (_accountId, kind, { startMs, endMs, limit, newestFirst }) => {
        const rows = this.#rowsOf(kind).filter(({ row: { timeMs } }) => timeMs >= startMs && timeMs <= (endMs ?? Infinity));
        return (newestFirst === true ? rows.toReversed() : rows).slice(0, limit);
      },
      page: async (_accountId, kind, { before, startMs, endMs, limit }) => {
        const all = this.#rowsOf(kind).filter(({ number }) => number < (before ?? Infinity));
        const read = all.slice(-limit).toReversed();
        const rows = read.filter(({ row: { timeMs } }) => timeMs >= startMs && timeMs <= (endMs ?? Infinity));
        const isOver = all.length <= limit || (read.at(-1)?.row.timeMs ?? 0) < startMs;
        return {
          rows,
          next: isOver ? null : (read.at(-1)?.number ?? null),
          total: (this.#rowsOf(kind).at(-1)?.number ?? -1) + 1,
          first: 0,
        };
      },
      findOrder: async (_accountId, target) => this.#findOrder(target),
      findFill: async (_accountId, tid) => {
        const fills = this.rows.flatMap((one) => (one.kind === 'fills' || one.kind === 'twapFills' ? [one.row] : []));
        return fills.find((fill) => fill.tid === tid);
      },
    };
    return {
      gateway,
      history,
      market: this.market,
      upstream: { info: async (body: object) => this.#askVenue(body as { type: string }) },
      candles: { minutes: this.minutes },
      config: this.config,
      log,
      now: () => this.nowMs,
      // No key here has a failure lab.
      lab: { run: (call, _profile, answer) => answer(call) },
      limits: { usage: () => ({ used: 1, cap: 200, resetMs: this.nowMs + 30_000 }) },
      ownAccounts: new KnownAccounts({
        gateway,
        users: { noteSubAccount: async () => ({ plan: 'basic' }) as User },
        forks: { begin: async () => true },
      }),
    };
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
  async info(body: unknown): Promise<any> {
    const answer = await answerInfo(body, this.call, this.services);
    return published('info', body, answer instanceof JsonText ? answer.toJSON() : answer);
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
  async exchange(action: unknown, envelope: object = {}): Promise<any> {
    const body = { action, nonce: this.nowMs, ...envelope };
    return published('exchange', body, await runAction(body, this.call, this.services));
  }

  /** Gives a coin a fresh book and mark. */
  setMarket(coin: string, { mark, bids, asks }: { mark: string; bids: BookSide; asks: BookSide }): void {
    const toLevels = (side: BookSide): FeedLevel[] => side.map(([price, size]) => [price, size, 1]);
    const [context] = [this.market.contexts()[this.assetId(coin)]];
    if (!context) throw new Error(`no context of ${coin}`);
    const fresh = { ...context, markPx: mark, oraclePx: mark, midPx: mark };
    this.market.apply({ type: 'context', coin, timeMs: this.nowMs, context: fresh });
    this.market.apply({ type: 'book', coin, timeMs: this.nowMs, bids: toLevels(bids), asks: toLevels(asks) });
  }

  assetId(coin: string): number {
    const asset = this.market.assetOf(coin);
    if (!asset) throw new Error(`unknown coin ${coin}`);
    return asset.id;
  }

  coinOf(assetId: number): string {
    const asset = this.market.asset(assetId);
    if (!asset) throw new Error(`unknown asset ${assetId}`);
    return asset.coin;
  }

  #run(command: AccountCommand): Outcome {
    this.commands.push(command);
    const addressLimit = this.config.ADDRESS_LIMIT === 'yes';
    const context = { nowMs: this.nowMs, market: this.market, ids: this.#ids, format: NEWEST_FORMAT, addressLimit };
    const { outcome, leavesNoEntry, ...decided } = decide(this.#account, command, context);
    if (leavesNoEntry && decided.events.length === 0) return outcome;
    if (command.type === 'query' && decided.events.length === 0) return this.#withView(this.#named(command, outcome));
    const { entry, account } = recordEntry(this.#account, { timeMs: this.nowMs, ...decided }, this.market);
    this.#account = account;
    this.entries.push(entry);
    this.rows.push(...rowsOf(entry));
    const { firstRows } = this.#account.historyStart;
    this.rows.splice(0, this.rows.length, ...this.rows.filter(({ kind, number }) => number >= firstRows[kind]));
    return command.type === 'query' ? this.#run(command) : outcome;
  }

  #named({ stateHash }: Extract<AccountCommand, { type: 'query' }>, outcome: Outcome): Outcome {
    return stateHash === true && outcome.type === 'answer' ? { ...outcome, stateHash: stateHashOf(this.#account) } : outcome;
  }

  #withView(outcome: Outcome): Outcome {
    if (outcome.type !== 'answer' || outcome.answer.kind !== 'accountView') return outcome;
    const state = JSON.parse(toSnapshot(this.#account, NEWEST_FORMAT)) as ViewSource['state'];
    const view = { token: 'owner', nextDueMs: this.nextDueMs, state };
    return { ...outcome, answer: { kind: 'accountView', view } };
  }

  #rowsOf(kind: NumberedRow['kind']): NumberedRow[] {
    return this.rows.filter((row) => row.kind === kind);
  }

  #findOrder(target: OrderTarget): OrderRow | undefined {
    const orders = this.rows.flatMap((row) => (row.kind === 'orders' ? [row.row] : []));
    return orders.findLast(({ order }) => ('oid' in target ? order.oid === target.oid : order.cloid === target.cloid));
  }

  #askVenue(body: { readonly type: string }): unknown {
    this.upstreamRequests.push(body);
    if (!this.upstreamAnswers.has(body.type)) throw new Error(`the venue was not expected to be asked for ${body.type}`);
    const answer = this.upstreamAnswers.get(body.type);
    if (answer instanceof Error) throw answer;
    return answer;
  }
}

/** @throws Error when the published contract has another answer */
function published(endpoint: 'info' | 'exchange', request: unknown, answer: unknown): unknown {
  const faults = answerFaults(endpoint, request, answer);
  if (faults.length > 0) throw new Error(`${JSON.stringify(request)} is not answered as published: ${faults.join('; ')}`);
  return answer;
}
