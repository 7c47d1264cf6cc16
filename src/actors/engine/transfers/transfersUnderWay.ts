// Which transfers of a shard's accounts have to be delivered, and which senders have to be told that theirs arrived. It only mirrors the
// accounts' states: after a crash it is filled again from there. What a commit without an answer has decided waits for that answer.
import type { Account } from '../../core/account/account.ts';
import { allUnderWay } from '../../core/account/group/transfers.ts';

/** An API node delivers most transfers itself, within this time, ms. It is also the pause between two tries. */
const DELIVER_AFTER_MS = 3000;

/** USD that have left `from` for `to`. */
export interface Delivery {
  readonly from: string;
  readonly to: string;
  readonly number: number;
  readonly after: number;
  readonly usd: string;
}

/** A transfer that was received here: its sender is to forget it. */
export interface Receipt {
  readonly from: string;
  readonly to: string;
  readonly number: number;
}

interface Waiting {
  readonly delivery: Delivery;
  /** The transfer is true once this commit is. */
  readonly commit: number;
  dueAt: number;
}

export class TransfersUnderWay {
  /** By sender, then by receiver and number. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();
  #receipts: { readonly receipt: Receipt; readonly commit: number }[] = [];

  /** Transfers that are not known to have been received. */
  get size(): number {
    let size = 0;
    for (const each of this.#waiting.values()) size += each.size;
    return size;
  }

  /** The account's state after a commit. @param commit of its newest entry; @param nowAt by a monotonic clock, ms */
  set(account: Account, commit: number, nowAt: number): void {
    const known = this.#waiting.get(account.id);
    if (account.transfers === undefined && known === undefined) return;
    const now = new Map<string, Waiting>();
    for (const { to, sent } of allUnderWay(account.transfers)) {
      const { number, after, usd } = sent;
      const key = `${to} ${number}`;
      const delivery = { from: account.id, to, number, after, usd: usd.toString() };
      now.set(key, known?.get(key) ?? { delivery, commit, dueAt: nowAt + DELIVER_AFTER_MS });
    }
    if (now.size > 0) this.#waiting.set(account.id, now);
    else this.#waiting.delete(account.id);
  }

  /** The account is not in memory any more. */
  remove(accountId: string): void {
    this.#waiting.delete(accountId);
  }

  /** A transfer that a pod has delivered is received, by this commit or before. */
  noteReceipt(receipt: Receipt, commit: number): void {
    this.#receipts.push({ receipt, commit });
  }

  /** What was received by the commits up to this one, once. */
  takeReceipts(committed: number): Receipt[] {
    if (this.#receipts.length === 0) return [];
    const taken = this.#receipts.filter(({ commit }) => commit <= committed);
    this.#receipts = this.#receipts.filter(({ commit }) => commit > committed);
    return taken.map(({ receipt }) => receipt);
  }

  /** At most so many of those that are due, each due again later. */
  takeDue({ committed, nowAt, limit }: { committed: number; nowAt: number; limit: number }): Delivery[] {
    const due: Delivery[] = [];
    for (const ofSender of this.#waiting.values()) {
      for (const waiting of ofSender.values()) {
        if (due.length >= limit) return due;
        if (waiting.commit > committed || nowAt < waiting.dueAt) continue;
        waiting.dueAt = nowAt + DELIVER_AFTER_MS;
        due.push(waiting.delivery);
      }
    }
    return due;
  }
}
