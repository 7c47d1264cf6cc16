// Mirrors of addresses: starts them, says how they are, and ends them. The account begins with an import of the address and follows it then. A
// mirror is a document and what its account knows; whichever of the two a process that died has left behind, the next request,
// or the node that follows, completes it.
import { randomBytes } from 'node:crypto';
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import type { FollowingView } from '../../actors/core/messages/importReport.ts';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import type { AccountGateway } from '../../api/accounts/accountGateway.ts';
import type { Call } from '../../api/accounts/services.ts';
import type { Config } from '../../shared/config/config.ts';
import { plans } from '../../shared/domain/plan.ts';
import { RequestError } from '../../shared/errors.ts';
import type { AuditLog } from '../../shared/mongo/auditLog.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import type { Facts } from './factTeller.ts';
import type { Imports } from './imports.ts';
import { type Hearing, type MirrorDocument, type MirrorStore, readHearing } from './mirrorStore.ts';

/** An import that is younger is where the mirror goes on from; from an older one, only what comes from now on counts. */
const FRESH_MS = 60_000;
/** Only a mirror that has begun comes to this end: what its account knew of it is gone. */
const FORGOTTEN = 'the account follows no address any more: it was reset, or has lost entries of its journal';
const OPTIONS = { requestId: 'mirror', opensEmpty: true } as const;

export interface Mirror {
  readonly document: MirrorDocument;
  /** Undefined until the account has begun. */
  readonly following: FollowingView | undefined;
  readonly hearing: Hearing;
}

interface MirrorsParts {
  readonly gateway: AccountGateway;
  readonly store: MirrorStore;
  readonly audit: Pick<AuditLog, 'write'>;
  readonly redis: Redis;
  readonly imports: Imports;
  readonly config: Pick<Config, 'MIRRORS_MAX'>;
  readonly now: () => number;
}

export class Mirrors {
  readonly #parts: MirrorsParts;

  constructor(parts: MirrorsParts) {
    this.#parts = parts;
  }

  all(): Promise<MirrorDocument[]> {
    return this.#parts.store.all();
  }

  /**
   * Imports the address into the call's account where it is empty, and follows it from then on. The same once more is answered the same.
   * @throws {RequestError} 409 `mirror_exists`, `mirror_limit`, 400 `mirror_refused`, and as an import
   */
  async start(call: Call, wish: { readonly source: string; readonly scale: string }): Promise<Mirror> {
    const { store, imports, config, now } = this.#parts;
    const { accountId: account, userId, plan } = call.caller;
    const { source, scale } = wish;
    const before = await this.#known(account);
    if (before !== undefined && !isOver(before)) return this.#sameAs(before, wish);
    if (before !== undefined) await this.endBecause(before.document, before.document.ending?.why ?? FORGOTTEN);
    const limits = { max: config.MIRRORS_MAX, maxOfUser: plans[plan].mirrorsMax };
    const all = await store.all();
    if (all.length >= limits.max) throw full('service', limits);
    if (all.filter((each) => each.userId === userId).length >= limits.maxOfUser) throw full('plan', limits);
    const { report } = await imports.make(call, { ...wish, isDryRun: false });
    const left = await this.#followingOf(account);
    // A request that died after it had removed the document.
    if (left !== undefined) await this.#unfollow(account, left.id);
    const isFresh = now() - report.takenAtMs < FRESH_MS;
    const document = {
      ...{ _id: `mir_${randomBytes(12).toString('base64url')}`, account, userId, source, scale },
      ...{ sinceMs: isFresh ? report.takenAtMs : now(), orders: report.orders },
      ...{ hasBegun: false, createdAt: new Date(now()), schema: 1 as const },
    };
    const missing = await store.add(document, limits);
    if (missing !== undefined) throw full(missing, limits);
    const added = await store.ofAccount(account);
    if (added === null) throw refused('It was ended while it began.');
    const following = await this.begin(added);
    if (typeof following === 'string') throw refused('The account cannot follow the address.');
    return this.#sameAs(await this.#heard(added, following), wish);
  }

  /** The mirror of the account, if it has one. */
  async find(account: string): Promise<Mirror | undefined> {
    const mirror = await this.#known(account);
    return mirror === undefined || isOver(mirror) ? undefined : mirror;
  }

  async #known(account: string): Promise<Mirror | undefined> {
    const document = await this.#parts.store.ofAccount(account);
    if (document === null) return undefined;
    const following = await this.#followingOf(account);
    return await this.#heard(document, following?.id === document._id ? following : undefined);
  }

  async #heard(document: MirrorDocument, following: FollowingView | undefined): Promise<Mirror> {
    return { document, following, hearing: await readHearing(this.#parts.redis, document._id) };
  }

  /** @returns false when there was none */
  async stop(account: string): Promise<boolean> {
    const document = await this.#parts.store.ofAccount(account);
    if (document !== null) {
      await this.#parts.store.remove(document._id);
      await this.#unfollow(account, document._id);
    }
    const left = await this.#followingOf(account);
    if (left !== undefined) await this.#unfollow(account, left.id);
    return document !== null || left !== undefined;
  }

  /**
   * Ends it without a wish of its user, whose audit log says why. The end is noted first, and the mirror goes last: a process that dies on
   * the way leaves what another completes, with one row.
   */
  async endBecause({ _id, account, userId, source, scale }: MirrorDocument, why: string): Promise<void> {
    const { audit, now, store } = this.#parts;
    const ending = await store.noteEnding(_id, { why, at: new Date(now()) });
    // Its user has ended it meanwhile.
    if (ending === undefined) return;
    await audit.write({
      ...{ userId, account, action: 'mirror.ended', outcome: 'ok', actor: 'job:mirrors', address: null },
      ...{ timeMs: ending.at.getTime(), once: `${_id}.ended`, detail: `${source}, times ${scale}: ${ending.why}` },
    });
    await this.#unfollow(account, _id);
    await store.remove(_id);
  }

  /**
   * Has the account follow, unless it does.
   * @returns how it follows; a text: why it does not any more, or cannot. The mirror is over then.
   */
  async begin(document: MirrorDocument): Promise<FollowingView | string> {
    const { store } = this.#parts;
    const { _id: id, account, source, sinceMs, orders } = document;
    const known = await this.#followingOf(account);
    if (known?.id === id) {
      if (!document.hasBegun) await store.noteBegun(id);
      return known;
    }
    let why = FORGOTTEN;
    if (!document.hasBegun) {
      const outcome = await this.#send(account, { type: 'followAddress', id, source, sinceMs, orders });
      const begun = outcome.type === 'done' ? await this.#followingOf(account) : undefined;
      if (begun?.id === id) {
        await store.noteBegun(id);
        return begun;
      }
      why = outcome.type === 'refused' ? outcome.text : 'it was ended while it began';
    }
    await this.endBecause(document, why);
    return why;
  }

  /** @returns false when the account listens no more, or to another process @throws {RequestError} while it cannot be reached */
  async tell({ _id: id, account }: MirrorDocument, facts: Facts & { readonly term: number }): Promise<boolean> {
    return (await this.#send(account, { type: 'followSource', id, ...facts })).type === 'done';
  }

  #sameAs(mirror: Mirror, { source, scale }: { readonly source: string; readonly scale: string }): Mirror {
    const { document } = mirror;
    if (document.source === source && document.scale === scale) return mirror;
    throw new RequestError(409, 'mirror_exists', `The account mirrors ${document.source}, times ${document.scale}.`);
  }

  async #followingOf(account: string): Promise<FollowingView | undefined> {
    return (await this.#parts.gateway.ask(account, { kind: 'groupMember' }, OPTIONS)).answer.following;
  }

  async #unfollow(account: string, id: string): Promise<void> {
    await this.#send(account, { type: 'unfollowAddress', id });
  }

  #send(account: string, command: AccountCommand): Promise<Outcome> {
    return this.#parts.gateway.send(account, command, OPTIONS);
  }
}

/** Its end was noted, or it has begun and its account knows of it no more. */
const isOver = ({ document, following }: Mirror): boolean =>
  document.ending !== undefined || (document.hasBegun && following === undefined);

const refused = (text: string): RequestError => new RequestError(400, 'mirror_refused', text);

const full = (what: 'service' | 'plan', { max, maxOfUser }: { readonly max: number; readonly maxOfUser: number }): RequestError =>
  new RequestError(
    ...([409, 'mirror_limit'] as const),
    what === 'plan' ? `The plan allows ${maxOfUser} mirrors.` : `The service follows ${max} addresses, and no more.`,
  );
