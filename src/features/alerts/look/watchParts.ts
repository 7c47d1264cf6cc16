// What the looks of the alerts are given, and what they read of a user and an account.

import { fromSnapshot } from '../../../actors/core/account/accountCodec.ts';
import type { SnapshotDocument } from '../../../actors/core/history/historyDocuments.ts';
import type { Breach } from '../../../actors/core/messages/queryAnswer.ts';
import { accountAddresses } from '../../../shared/access/subAccountAddress.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { RuleAct } from '../../../shared/domain/limits.ts';
import type { Logger } from '../../../shared/logger.ts';
import { collections, type MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { User } from '../../../shared/mongo/userStore.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { MarginAccount } from '../rules/thresholds.ts';
import type { AlertEndpointDocument } from '../store/alertEndpoint.ts';

export interface OutboxParts {
  readonly config: Pick<Config, 'SUBSCRIPTION_GRACE_DAYS'>;
  readonly mongo: MongoConnection;
  readonly log: Logger;
  /** Exchange time: what events are stamped with. */
  readonly now: () => number;
  /** Real time: when something is due. */
  readonly realNow: () => number;
}

/** What a look reads of a user. */
export type Owner = Pick<User, '_id' | 'address' | 'subAccountsMade' | 'trialExpiresAt' | 'subscriptionExpiresAt'>;

/** The users of endpoints; a user who is deleted is not among them. */
export async function ownersOf(
  { db }: MongoConnection,
  step: readonly AlertEndpointDocument[],
): Promise<ReadonlyMap<string, Owner>> {
  const ids = [...new Set(step.map(({ userId }) => userId))];
  const projection = { address: 1, subAccountsMade: 1, trialExpiresAt: 1, subscriptionExpiresAt: 1 };
  const users = db.collection<Owner>(collections.users).find({ _id: { $in: ids } }, { projection });
  return new Map((await users.toArray()).map((owner) => [owner._id, owner]));
}

/** The accounts that an endpoint is about. */
export const accountsOf = ({ account: only }: AlertEndpointDocument, owner: Owner): string[] =>
  accountAddresses(owner).filter((account) => only === undefined || only === account);

export interface WatchParts {
  readonly mongo: MongoConnection;
  readonly redis: Redis;
  /** Marks older than this, ms, judge nothing. */
  readonly marketMaxAgeMs: number;
  /** Exchange time, and the market's. */
  readonly now: () => number;
  readonly marketNow: () => number;
  readonly realNow: () => number;
  readonly accounts: MarginAccounts;
}

/** An account of which an endpoint is told. */
export interface WatchedAccount {
  readonly endpoint: AlertEndpointDocument;
  readonly account: string;
}

// What the margin of accounts depends on, and which house rules are broken, from their snapshots in MongoDB. They are read
// again only when a snapshot is newer than what is known.

/** Accounts that are remembered, of a few hundred bytes a position; past it the one that was read longest ago is read again. */
const KNOWN_MAX = 20_000;
/** Snapshots that are read at once: some are megabytes. */
const READ_AT_ONCE = 10;

export interface KnownAccount extends MarginAccount {
  readonly seq: number;
  readonly broken: readonly BrokenRule[];
}

export interface BrokenRule extends Breach {
  readonly act: RuleAct;
}

export class MarginAccounts {
  readonly #mongo: MongoConnection;
  readonly #log: Logger;
  readonly #known = new Map<string, KnownAccount>();

  constructor(mongo: MongoConnection, log: Logger) {
    this.#mongo = mongo;
    this.#log = log;
  }

  /** Those of them that have a snapshot that can be read: one of a newer build is left to the processes of that build. */
  async read(accounts: readonly string[]): Promise<ReadonlyMap<string, KnownAccount>> {
    const snapshots = this.#mongo.db.collection<SnapshotDocument>(collections.accounts);
    const seqs = await snapshots.find({ _id: { $in: [...accounts] } }, { projection: { seq: 1 } }).toArray();
    const newer = seqs.filter(({ _id, seq }) => this.#known.get(_id)?.seq !== seq).map(({ _id }) => _id);
    for (let from = 0; from < newer.length; from += READ_AT_ONCE) {
      const wanted = { _id: { $in: newer.slice(from, from + READ_AT_ONCE) } };
      for (const { _id, seq, text } of await snapshots.find(wanted, { projection: { seq: 1, text: 1 } }).toArray()) {
        this.#remember(_id, seq, text);
      }
    }
    return new Map(accounts.flatMap((account) => entryOf(account, this.#known.get(account))));
  }

  #remember(account: string, seq: number, text: string): void {
    this.#known.delete(account);
    try {
      const { cash, positions, house } = fromSnapshot(text);
      const broken = (house?.breaches ?? []).map((breach) => ({ ...breach, act: house?.rules[breach.rule]?.act ?? 'warn' }));
      this.#known.set(account, { seq, cash, positions, broken });
    } catch (error) {
      this.#log.warn({ account, err: error }, 'alerts cannot read a snapshot: nothing is told of its margin and its house rules');
    }
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}

const entryOf = (account: string, known: KnownAccount | undefined): [string, KnownAccount][] =>
  known === undefined ? [] : [[account, known]];
