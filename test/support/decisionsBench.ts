// The accounts of one shard with all that decides for them, without stores: a test looks at a draft instead of committing it.

import { pino } from 'pino';
import { Registry } from 'prom-client';
import { emptyAccount } from '../../src/actors/core/account/account.ts';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { FollowedEntry } from '../../src/actors/core/messages/envelope.ts';
import type { Rules } from '../../src/actors/core/rules.ts';
import { actorMetrics } from '../../src/actors/engine/actorMetrics.ts';
import { CommitDraft } from '../../src/actors/engine/commit/commitDraft.ts';
import { commitCall, commitScript } from '../../src/actors/engine/commit/commitScript.ts';
import type { MailboxCommand } from '../../src/actors/engine/commit/mailbox.ts';
import { Decisions } from '../../src/actors/engine/decisions/decisions.ts';
import { JournalBounds } from '../../src/actors/engine/decisions/journalBounds.ts';
import { AccountsInMemory } from '../../src/actors/engine/memory/accountsInMemory.ts';
import { tradingRules } from '../../src/features/rules.ts';
import { LiveMarket } from '../../src/market/domain/liveMarket.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { ShardIds } from '../../src/shared/domain/shards.ts';
import type { Redis } from '../../src/shared/redis/redis.ts';
import { noTracing } from '../../src/shared/tracing/tracing.ts';
import { alwaysFormat } from './formats.ts';

export const NOW_MS = 1_700_000_000_000;
/** Stream id of a command that is not to be run again. */
export const CONDEMNED = '666-0';
export const TOKEN = '1:test:1';

export class DecisionsBench {
  readonly accounts: AccountsInMemory;
  readonly decisions: Decisions;
  draft = new CommitDraft(1, NEWEST_FORMAT);
  /** Time of the clock, ms. */
  nowMs = NOW_MS;
  #lastCounter = 0;

  constructor(rules: Partial<Rules> = {}) {
    const parts = {
      rules: { ...tradingRules, ...rules },
      market: new LiveMarket({ maxAgeMs: 1000 }),
      now: () => this.nowMs,
      realNow: () => this.nowMs,
    };
    this.accounts = new AccountsInMemory({
      ...parts,
      ...{ formats: alwaysFormat(NEWEST_FORMAT), live: new Set(), committed: 0, quarantined: new Map(), notLoaded: new Set() },
      versionsOwner: TOKEN,
    });
    this.decisions = new Decisions({
      isAway: () => false,
      ...{ micros: () => 0, onCharged: () => undefined, addressLimit: false },
      ...parts,
      ...{
        accounts: this.accounts,
        tracing: noTracing,
        shard: 0,
        condemned: new Set([CONDEMNED]),
        expired: new Set(),
        idempotencyTtlMs: 1000,
      },
      bounds: new JournalBounds({ accountBytesMax: 1e9, shardBytesMax: 1e9, shardBytes: () => 0, onRefused: () => undefined }),
      ids: new ShardIds({ shard: 0, shards: 1, counter: 0 }),
      metrics: actorMetrics(new Registry(), {
        shards: () => 1,
        accounts: () => 0,
        halted: () => 0,
        inDanger: () => 0,
        refused: () => 0,
        tailBytes: () => 0,
        unconfirmedMs: () => 0,
        historyLagMs: () => 0,
        journals: () => [],
        shardBytes: async () => [],
        deadLetters: async () => [],
        limits: { journal: 1e9, mailboxes: 1e9, answers: 1e9 },
      }),
      log: pino({ level: 'silent' }),
    });
    for (const id of ['a', 'b']) this.accounts.admit(emptyAccount(id), [], this.draft);
  }

  /** Runs the command and gives the answer to its sender; undefined = none. */
  run(
    accountId: string,
    command: AccountCommand,
    options: {
      counter?: number;
      deadlineMs?: number;
      key?: string;
      digest?: string;
      stored?: string;
      id?: string;
      node?: string;
    } = {},
  ): unknown {
    this.#lastCounter += 1;
    const { counter = this.#lastCounter, deadlineMs, key, digest = 'd', stored, id = `${this.#lastCounter}-0` } = options;
    const { node = 'node' } = options;
    const before = this.#replies().length;
    const waiting: MailboxCommand = {
      ...{ id, text: 'text' },
      envelope: {
        ...{ id: { incarnation: 'i', counter }, replyTo: node, requestId: 'r', command },
        ...(deadlineMs !== undefined && { deadlineMs }),
        ...(key !== undefined && { idempotency: { key, bodyDigest: digest } }),
      },
    };
    this.decisions.commands.run(accountId, waiting, this.draft, stored);
    return this.#replies().slice(before)[0];
  }

  seqOf(accountId: string): number | undefined {
    return this.accounts.find(accountId)?.account.seq;
  }

  /** The arguments that the commit script gets. */
  get sealedCommit(): ReturnType<CommitDraft['seal']> {
    return this.draft.seal({ shard: 0, token: TOKEN, epoch: 1, idCounter: 0, tick: '0-0', timeMs: this.nowMs });
  }

  get sealed(): string {
    return JSON.stringify(this.sealedCommit.args);
  }

  /** The journal is cut: MongoDB has all that was committed. */
  settle(): void {
    this.accounts.residents.onTrimmed(this.draft.number - 1, this.draft);
  }

  /** Sends the draft to a Redis and opens the next. @returns what the script answers */
  async commit(redis: Redis): Promise<unknown> {
    const { keys, args } = commitCall([this.sealedCommit]);
    this.draft = new CommitDraft(this.draft.number + 1, NEWEST_FORMAT);
    const [answer] = (await commitScript.run(redis, keys, args)) as unknown[];
    return answer;
  }

  /** Messages of the draft to nodes beside replies: the node, the account and its entry. */
  get told(): string[] {
    return this.#messages().flatMap(([node, , told]) => ('followed' in told ? [`${node} ${nameOf(told.followed)}`] : []));
  }

  #replies(): unknown[] {
    return this.#messages().flatMap(([, , reply]) => ('followed' in reply ? [] : [reply]));
  }

  #messages(): [node: string, counter: number, reply: object & { followed?: FollowedEntry }][] {
    const texts = this.sealedCommit.args.map(String);
    return texts.flatMap((text, i) => (text.startsWith('replies:') ? JSON.parse(`[${texts[i + 1]}]`) : []));
  }
}

const nameOf = ({ entry: { accountId, seq } }: FollowedEntry): string => `${accountId} ${seq}`;
