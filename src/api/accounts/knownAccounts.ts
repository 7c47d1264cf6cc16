// Which account a request means: `vaultAddress`, `user` or `account` name the user's master account or one of its sub-accounts. The
// addresses follow from the master's, so another user's address is never looked for; that a sub-account exists, the master's journal
// says. It stays then for ever, so a node asks once.
import type { ForkOrigin } from '../../actors/core/messages/command.ts';
import { subAccountAddress, subAccountAddresses } from '../../shared/access/subAccountAddress.ts';
import { plans, SUB_ACCOUNTS_MAX } from '../../shared/domain/plan.ts';
import type { UserStore } from '../../shared/mongo/userStore.ts';
import type { Caller } from '../access/keyRecord.ts';
import { mayNot } from '../contract/whoMay.ts';
import type { AccountGateway } from './accountGateway.ts';
import { askAccount, type Call, type ListedSubAccount, type OwnAccounts } from './services.ts';

/** Users whose addresses are in memory, some 5 kB each; of others they are computed again, in 0.1 ms. */
const USERS_MAX = 2000;
/** Sub-accounts that are known to exist, some 100 bytes each. */
const EXISTING_MAX = 100_000;

const LIST = { kind: 'subAccounts' } as const;

export interface KnownAccountsParts {
  readonly gateway: AccountGateway;
  readonly users: Pick<UserStore, 'noteSubAccount'>;
  /** Begins the call's account, which was made as a fork, unless it has begun. */
  readonly forks: { begin(call: Call, origin: ForkOrigin): Promise<boolean> };
}

export class KnownAccounts implements OwnAccounts {
  readonly #parts: KnownAccountsParts;
  /** Addresses that sub-accounts of a master may have, the masters that were used last at the end. */
  readonly #addresses = new Map<string, ReadonlySet<string>>();
  /** Addresses of sub-accounts that exist. */
  readonly #existing = new Set<string>();

  constructor(parts: KnownAccountsParts) {
    this.#parts = parts;
  }

  named(call: Call, address: string | null | undefined): Caller | undefined | Promise<Caller | undefined> {
    const { caller } = call;
    if (address == null || caller.isBound) return caller;
    const wanted = address.toLowerCase();
    if (wanted === caller.accountId) return caller;
    if (wanted === caller.master) return ofAccount(caller, wanted);
    if (!this.#addressesOf(caller.master).has(wanted)) return undefined;
    return this.#existing.has(wanted) ? ofAccount(caller, wanted) : this.#ask(call, wanted);
  }

  shown<C extends Call>(call: C, address: string | null | undefined): C | Promise<C> {
    const named = this.named(call, address);
    const shownAs = (caller: Caller | undefined): C =>
      caller === undefined || caller === call.caller ? call : { ...call, caller };
    return named instanceof Promise ? named.then(shownAs) : shownAs(named);
  }

  isOwn({ master }: Caller, address: string): boolean {
    const own = address.toLowerCase();
    return own === master || this.#addressesOf(master).has(own);
  }

  async list(call: Call): Promise<readonly ListedSubAccount[]> {
    const { gateway } = this.#parts;
    const { caller } = call;
    if (caller.isBound) return [];
    const { master } = caller;
    const { subAccounts } = await askAccount({ ...call, caller: ofAccount(caller, master) }, { gateway }, LIST);
    const known = subAccounts.map(({ number, name, fork }) => ({
      number,
      name,
      fork,
      address: subAccountAddress(master, number),
    }));
    await this.#beginForks(call, known);
    for (const { address } of known) this.#note(address);
    return known;
  }

  async makeRoom({ userId }: Caller): Promise<number> {
    const user = await this.#parts.users.noteSubAccount(userId);
    if (user === null) throw mayNot('invalid_api_key', 'The user of this API key no longer exists.');
    return plans[user.plan].subAccountsMax;
  }

  /** A node that made a fork may have died before it had begun: whoever lists it first at a node sees to it. */
  async #beginForks(call: Call, known: readonly ListedSubAccount[]): Promise<void> {
    for (const { address, fork } of known) {
      if (fork === undefined || this.#existing.has(address)) continue;
      await this.#parts.forks.begin({ ...call, caller: ofAccount(call.caller, address) }, fork);
      this.#note(address);
    }
  }

  async #ask(call: Call, address: string): Promise<Caller | undefined> {
    const subAccounts = await this.list(call);
    return subAccounts.some((one) => one.address === address) ? ofAccount(call.caller, address) : undefined;
  }

  #note(address: string): void {
    if (this.#existing.has(address)) return;
    const [oldest] = this.#existing;
    if (oldest !== undefined && this.#existing.size >= EXISTING_MAX) this.#existing.delete(oldest);
    this.#existing.add(address);
  }

  #addressesOf(master: string): ReadonlySet<string> {
    const known = this.#addresses.get(master);
    const addresses = known ?? new Set(subAccountAddresses(master, SUB_ACCOUNTS_MAX));
    this.#addresses.delete(master);
    const [oldest] = this.#addresses.keys();
    if (oldest !== undefined && this.#addresses.size >= USERS_MAX) this.#addresses.delete(oldest);
    this.#addresses.set(master, addresses);
    return addresses;
  }
}

const ofAccount = (caller: Caller, address: string): Caller => ({ ...caller, accountId: address, address });
