// The record of a caller: its user, the end of the user's paid time, and the rights of its key by scopes, end and addresses. The owner of
// an access token has the same record, of a key without limits and without an id. `KnownKeys` has the records of keys in memory.
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { LabProfile } from '../../shared/domain/labProfile.ts';
import type { KeyGuard } from '../../shared/domain/limits.ts';
import type { Plan } from '../../shared/domain/plan.ts';
import { type KeyScope, USER_SCOPES } from '../../shared/mongo/keyStore.ts';
import type { User } from '../../shared/mongo/userStore.ts';

/** The owner of a valid key or token, and the key's limits. */
export interface KeyRecord extends KeyLimitRecord {
  readonly caller: Caller;
  /** End of the trial and of the paid time (null = never paid), ms since the epoch. */
  readonly trialExpiresAtMs: number;
  readonly subscriptionExpiresAtMs: number | null;
  /** The failure lab of the key. */
  readonly lab?: LabProfile;
}

/**
 * @param keyId of the key that speaks for the user; empty for an access token
 * @param account that the key is bound to
 */
export function ownerRecord(user: User, keyId: string, account?: string): KeyRecord {
  const { _id: userId, address, plan, trialExpiresAt, subscriptionExpiresAt } = user;
  return {
    caller: {
      ...{ userId, accountId: account ?? address, address: account ?? address, master: address, plan, keyId },
      ...(account !== undefined && { isBound: true }),
    },
    trialExpiresAtMs: trialExpiresAt.getTime(),
    subscriptionExpiresAtMs: subscriptionExpiresAt?.getTime() ?? null,
  };
}

// Whether an API key may do what it is used for: its end, the address that it comes from, its scopes. The same checks
// hold for requests and for the sockets of the key.

/** A key's limits as nodes keep them; an absent field is no limit. */
export interface KeyLimitRecord {
  readonly scopes?: readonly KeyScope[];
  /** Milliseconds since the epoch. */
  readonly expiresAtMs?: number;
  readonly addresses?: readonly string[];
  /** When the key was last made anew, ms; a socket that was opened before it had the key before. */
  readonly rotatedAtMs?: number;
}

/** A key that is over is like one that never was. */
export const isOver = ({ expiresAtMs }: KeyLimitRecord, nowMs: number): boolean =>
  expiresAtMs !== undefined && nowMs >= expiresAtMs;

/** @param address of the client, in its usual form */
export const isAllowedFrom = ({ addresses }: KeyLimitRecord, address: string): boolean =>
  addresses === undefined || isListed(addresses, address);

/** A key without a list has what every user may do, and no more. */
export const hasScope = ({ scopes = USER_SCOPES }: KeyLimitRecord, scope: KeyScope): boolean => scopes.includes(scope);

// The addresses that an API key may be used from: single ones and networks (CIDR), IPv4 and IPv6. An IPv4 address that
// is written as IPv6 is the IPv4 address, in the list as in requests.

const MAPPED_PREFIX_BITS = 96;

const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = `(${BYTE}\\.){3}${BYTE}`;
const PART = '[\\da-fA-F]{1,4}';
const IPV6 = [
  `(${PART}:){7}${PART}|::(${PART}(:${PART}){0,6})?|(${PART}:){7}:`,
  ...[1, 2, 3, 4, 5, 6].map((before) => `(${PART}:){${before}}:(${PART}(:${PART}){0,${6 - before}})?`),
  `(${PART}:){6}${IPV4}|::(${PART}:){0,5}${IPV4}`,
  ...[1, 2, 3, 4, 5].map((before) => `(${PART}:){${before}}:(${PART}:){0,${5 - before}}${IPV4}`),
].join('|');
/** Of an entry: an address, or a network with its number of bits. */
export const ADDRESS_ENTRY = `^(${IPV4}(/(3[0-2]|[12]?\\d))?|(${IPV6})(/(12[0-8]|1[01]\\d|[1-9]?\\d))?)$`;
const ENTRY = new RegExp(ADDRESS_ENTRY);

interface Lists {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

/** A list is compiled once for each record of a key. */
const compiled = new WeakMap<readonly string[], Lists>();

/**
 * Reads an entry of a list.
 * @returns its usual form, such as `10.0.0.0/8` for `10.1.2.3/8`; undefined for text that is no address or network
 */
export function toAddressEntry(text: string): string | undefined {
  if (!ENTRY.test(text)) return undefined;
  const [ip = '', bitsText] = text.split('/');
  const family = isIP(ip);
  const given = Number(bitsText ?? (family === 4 ? 32 : 128));
  // A network that reaches beyond the mapped addresses holds IPv6 ones.
  const address = given < MAPPED_PREFIX_BITS ? ipaddr.parse(ip) : ipaddr.process(ip);
  const isMapped = family === 6 && address.kind() === 'ipv4';
  const bits = isMapped ? given - MAPPED_PREFIX_BITS : given;
  const [kind, all] = address.kind() === 'ipv4' ? ([ipaddr.IPv4, 32] as const) : ([ipaddr.IPv6, 128] as const);
  return bits === all ? address.toString() : `${kind.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
}

/**
 * Whether an address is in a list.
 * @param entries as `toAddressEntry` gives them
 * @param address in its usual form (requestContext.ts); empty is in no list
 */
export function isListed(entries: readonly string[], address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  let lists = compiled.get(entries);
  if (lists === undefined) {
    lists = compile(entries);
    compiled.set(entries, lists);
  }
  return family === 4 ? lists.ipv4.check(address, 'ipv4') : lists.ipv6.check(address, 'ipv6');
}

/** One list for each family: Node would find an IPv4 address in `::/0`, where its IPv6 form would be. */
function compile(entries: readonly string[]): Lists {
  const lists: Lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const entry of entries) {
    const [ip = '', bits] = entry.split('/');
    const family = isIP(ip) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) lists[family].addAddress(ip, family);
    else lists[family].addSubnet(ip, Number(bits), family);
  }
  return lists;
}

/** The caller of a request: the owner of the API key, or else of the access token, that came with it, and the account of the request. */
export interface Caller {
  readonly userId: string;
  /** The account's 0x address, 40 hex digits in lower case; equal to `address`. */
  readonly accountId: string;
  readonly address: string;
  /** The user's master account: the same, or that of which the account is a sub-account. */
  readonly master: string;
  /** The key reaches this account alone, whatever a request says. */
  readonly isBound?: true;
  readonly plan: Plan;
  /** Id of the key; the key itself never leaves the request pipeline. Empty where a token came. */
  readonly keyId: string;
  /** How far the key may trade, where it is limited. */
  readonly guard?: KeyGuard;
}

export const isSubAccount = ({ accountId, master }: Pick<Caller, 'accountId' | 'master'>): boolean => accountId !== master;

/** Records in memory, some 500 bytes each; past it the oldest are dropped and looked up again. */
const RECORDS_MAX = 100_000;

type Owned = { readonly caller: Pick<Caller, 'userId'> };

export interface KnownKey<Rec extends Owned> {
  readonly record: Rec;
  /** When it is read again in the background, ms since the epoch. */
  readonly refreshAtMs: number;
}

/**
 * The records of API keys that a node has in memory, by the key's digest, and by user: what a change of one user costs depends on
 * that user's keys, not on how many keys the node knows.
 */
export class KnownKeys<Rec extends Owned> {
  readonly #keys = new Map<string, KnownKey<Rec>>();
  readonly #digests = new Map<string, Set<string>>();

  get(digest: string): KnownKey<Rec> | undefined {
    return this.#keys.get(digest);
  }

  set(digest: string, key: KnownKey<Rec>): void {
    this.delete(digest);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size >= RECORDS_MAX && oldest !== undefined) this.delete(oldest);
    this.#keys.set(digest, key);
    const { userId } = key.record.caller;
    const own = this.#digests.get(userId);
    if (own === undefined) this.#digests.set(userId, new Set([digest]));
    else own.add(digest);
  }

  delete(digest: string): void {
    const userId = this.#keys.get(digest)?.record.caller.userId;
    if (userId === undefined) return;
    this.#keys.delete(digest);
    const own = this.#digests.get(userId);
    own?.delete(digest);
    if (own?.size === 0) this.#digests.delete(userId);
  }

  /** Removes all keys of a user. @returns their digests */
  deleteAllOf(userId: string): readonly string[] {
    const digests = [...(this.#digests.get(userId) ?? [])];
    for (const digest of digests) this.#keys.delete(digest);
    this.#digests.delete(userId);
    return digests;
  }

  clear(): void {
    this.#keys.clear();
    this.#digests.clear();
  }
}
