// The audit log: who did what to a user's account, when, from where, and how it ended. Users read it to check that it
// was them; operators read it when a user asks. Rows are added, and removed when they are old; no row changes but those that count
// what came too often in an hour to have a row each.
import { randomBytes } from 'node:crypto';
import type { Collection, Filter } from 'mongodb';
import { HOUR_MS } from '../domain/units.ts';
import { makeOnce } from '../waiting.ts';
import { collections, durable, isFirst, type MongoConnection, upserted } from './mongo.ts';

/** Security-relevant acts. Users see the names, so names are only ever added. */
export type AuditAction =
  | 'account.registered'
  | 'account.forked'
  | 'account.imported'
  | 'mirror.started'
  | 'mirror.ended'
  | 'account.reset'
  | 'account.balance_set'
  | 'account.rules_set'
  | 'account.terms_set'
  | 'account.deleted'
  | 'account.closed'
  | 'account.lifted'
  | 'account.entries_dropped'
  | 'account.rebuilt'
  | 'command.requeued'
  | 'command.dropped'
  | 'login'
  | 'login.link'
  | 'login.new_device'
  | 'logout'
  | 'token.refreshed'
  | 'session.ended'
  | 'session.reused'
  | 'password.change'
  | 'password.reset_requested'
  | 'password.reset'
  | 'second_factor.on'
  | 'second_factor.off'
  | 'second_factor.recovery_used'
  | 'second_factor.recovery_renewed'
  | 'email.verification_requested'
  | 'email.verified'
  | 'api_key.created'
  | 'api_key.changed'
  | 'api_key.rotated'
  | 'alert_endpoint.changed'
  | 'alert_endpoint.created'
  | 'alert_endpoint.removed'
  | 'alert_endpoint.rotated'
  | 'api_key.revoked'
  | 'plan.changed'
  | 'trial.expired'
  | 'subscription.expired'
  | 'invoice.created'
  | 'invoice.paid'
  | 'invoice.refunded'
  | 'invoice.disputed'
  | 'invoice.dispute_won'
  | 'invoice.partly_refunded'
  | 'subscription.canceled'
  | 'discount.applied'
  | 'shard.moved'
  | 'role.granted'
  | 'role.revoked'
  | 'operator.confirmed'
  | 'operator.read'
  | 'operator.act';

/** Stands in place of a user in the rows of operators’ own acts. */
export const OPERATORS = 'operators';

export interface AuditRecord {
  readonly userId: string;
  readonly action: AuditAction;
  readonly outcome: 'ok' | 'refused';
  /** The actor: `user`, `key:<id>`, `operator`, `operator:<user id>`, `job:<name>`, `provider:<name>`, or `anonymous`. */
  readonly actor: string;
  /** Network address the request came from; null where there was none, as in a job. */
  readonly address: string | null;
  readonly timeMs: number;
  /** The sub-account that it was about, or the account that the key is bound to; absent = the master account, or none. */
  readonly account?: string;
  /** The object of the act, e.g. the key's id or the new plan; short, and never a secret. */
  readonly detail?: string;
  /**
   * Names the act among those of one user and time, so that writing it again adds no row. For acts that a crash may
   * repeat; their time is that of the act, not of the write. Absent: each write is an act of its own.
   */
  readonly once?: string;
}

export interface AuditRow {
  /** `<user id>:<time, 11 digits of base 36>:<name>`: in the order of time for one user. */
  readonly _id: string;
  readonly userId: string;
  readonly at: Date;
  readonly action: AuditAction;
  readonly outcome: 'ok' | 'refused';
  readonly actor: string;
  readonly address: string | null;
  readonly account?: string;
  readonly detail?: string;
  /** Acts of this kind in the hour that begins at `at`: the row stands for those beyond ROWS_PER_HOUR. Absent: one act. */
  readonly count?: number;
  readonly schema: 1;
}

/** Acts of one kind that have rows of their own in an hour, where others than the user, or a program, can repeat them at will. */
export const ROWS_PER_HOUR = 20;

/** Rows that one step removes. */
const REMOVED_PER_STEP = 5000;
/** Rows that are read at once for those who follow the log. */
const READ_PER_STEP = 1000;

export class AuditLog {
  readonly #rows: Collection<AuditRow>;
  readonly #ensureIndexes: () => Promise<unknown>;

  constructor(mongo: MongoConnection) {
    this.#rows = mongo.db.collection<AuditRow>(collections.audit, durable);
    this.#ensureIndexes = makeOnce(() => this.#rows.createIndexes([{ key: { at: 1 } }]));
  }

  /** Resolves when the row is durable; a row that is there already stays. @throws when MongoDB cannot take it */
  async write(act: AuditRecord): Promise<void> {
    await this.#ensureIndexes();
    const { userId, action, outcome, actor, address, timeMs, account, detail, once } = act;
    if (once === undefined && isRepeatable(act) && (await this.#count(act)) > ROWS_PER_HOUR) return;
    const name = once ?? randomBytes(6).toString('hex');
    const row: AuditRow = {
      ...{ _id: `${prefixOf(userId)}${toSortable(timeMs)}:${name}`, userId, at: new Date(timeMs) },
      ...{ action, outcome, actor, address, ...(account !== undefined && { account }) },
      ...{ ...(detail !== undefined && { detail }), schema: 1 },
    };
    await isFirst(this.#rows.insertOne(row));
  }

  /**
   * A user's rows, newest first.
   * @param before `_id` of the last row of the page before; rows written meanwhile do not move the pages
   */
  page(userId: string, { limit, before }: { limit: number; before?: string }): Promise<AuditRow[]> {
    const prefix = prefixOf(userId);
    const below = before ?? `${prefix}~`;
    return this.#rows
      .find({ _id: { $gt: prefix, $lt: below }, $or: [{ count: { $exists: false } }, { count: { $gt: ROWS_PER_HOUR } }] })
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
  }

  /** Rows of these acts of some users from a time on, oldest first, some at a time. */
  async *since(
    from: Date,
    wanted: { readonly userIds: readonly string[]; readonly actions: readonly AuditAction[] },
  ): AsyncGenerator<AuditRow[]> {
    await this.#ensureIndexes();
    const ofThese = { userId: { $in: [...wanted.userIds] }, action: { $in: [...wanted.actions] } };
    for (let place: Filter<AuditRow> = { at: { $gte: from } }; ; ) {
      const rows = await this.#rows
        .find({ ...place, ...ofThese })
        .sort({ at: 1, _id: 1 })
        .limit(READ_PER_STEP)
        .toArray();
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < READ_PER_STEP) return;
      place = { at: { $gte: last.at }, $or: [{ at: { $gt: last.at } }, { _id: { $gt: last._id } }] };
    }
  }

  /** Counts an act among those of its kind and hour. @returns how many there are now */
  async #count({ userId, action, outcome, timeMs }: AuditRecord): Promise<number> {
    const hourMs = timeMs - (timeMs % HOUR_MS);
    const _id = `${prefixOf(userId)}${toSortable(hourMs)}:${action}.${outcome}`;
    const row = { userId, at: new Date(hourMs), action, outcome, actor: 'several', address: null, schema: 1 } as const;
    const update = { $inc: { count: 1 }, $setOnInsert: row };
    const options = { upsert: true, returnDocument: 'after' } as const;
    return (await upserted(() => this.#rows.findOneAndUpdate({ _id }, update, options)))?.count ?? 1;
  }

  /** Removes rows that are older, some thousands at a time; returns their number. */
  async removeBefore(timeMs: number): Promise<number> {
    await this.#ensureIndexes();
    for (let removed = 0; ; ) {
      const old = await this.#rows
        .find({ at: { $lt: new Date(timeMs) } }, { projection: { _id: 1 } })
        .limit(REMOVED_PER_STEP)
        .toArray();
      if (old.length === 0) return removed;
      const { deletedCount } = await this.#rows.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
      removed += deletedCount;
    }
  }
}

/** Acts that strangers can cause, and acts that cost their user nothing to repeat. */
const isRepeatable = ({ action, outcome }: AuditRecord): boolean => outcome === 'refused' || action === 'token.refreshed';

const prefixOf = (userId: string): string => `${userId}:`;

/** Orders like the numbers, up to the year 5138 and beyond. */
const toSortable = (timeMs: number): string => timeMs.toString(36).padStart(11, '0');
