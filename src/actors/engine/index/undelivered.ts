// Which transfers of a shard's accounts have to be delivered, and which senders have to be told that theirs arrived. It only mirrors the
// accounts' states: after a crash it is filled again from there. What a commit without an answer has decided waits for that answer.
import type { Account } from '../../core/account/account.ts';
import { liveWhatIfs, type WhatIfQueue } from '../../core/account/copies.ts';
import { allUnderWay } from '../../core/account/subAccounts.ts';
import type { CopiedCommand } from '../../core/messages/command.ts';
import type { WhatIfProgress } from '../../core/messages/queryAnswer.ts';

/** An API node delivers most transfers itself, within this time, ms. It is also the pause between two tries. */
const DELIVER_AFTER_MS = 3000;

/** USD that have left `from` for `to`. */
interface TransferUnderWay {
  readonly from: string;
  readonly to: string;
  readonly number: number;
  readonly after: number;
  readonly usd: string;
}

/** A transfer that was received here: its sender is to forget it. */
interface TransferReceipt {
  readonly from: string;
  readonly to: string;
  readonly number: number;
}

interface Waiting {
  readonly delivery: TransferUnderWay;
  /** The transfer is true once this commit is. */
  readonly commit: number;
  dueAt: number;
}

export class TransfersUnderWay {
  /** By sender, then by receiver and number. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();
  #receipts: { readonly receipt: TransferReceipt; readonly commit: number }[] = [];

  /** Transfers that are not known to have been received. */
  get size(): number {
    let size = 0;
    for (const each of this.#waiting.values()) size += each.size;
    return size;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#receipts.length === 0;
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
  noteReceipt(receipt: TransferReceipt, commit: number): void {
    this.#receipts.push({ receipt, commit });
  }

  /** What was received by the commits up to this one, once. */
  takeReceipts(committed: number): TransferReceipt[] {
    const taken = this.#receipts.filter(({ commit }) => commit <= committed);
    this.#receipts = this.#receipts.filter(({ commit }) => commit > committed);
    return taken.map(({ receipt }) => receipt);
  }

  /** At most so many of those that are due, each due again later. */
  takeDue({ committed, nowAt, limit }: { committed: number; nowAt: number; limit: number }): TransferUnderWay[] {
    const due: TransferUnderWay[] = [];
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

/** A what-if from which nothing is heard gets all that it lacks again after this, ms. */
const DELIVER_AGAIN_MS = 3000;
/** Commands of one delivery: a part of a mailbox, which has other senders. */
const COMMANDS_PER_DELIVERY = 32;

/** Commands of `from` for the what-if `to`, in order, by the numbers that it counts. */
interface WhatIfDelivery {
  readonly from: string;
  readonly to: string;
  readonly commands: readonly { readonly number: number; readonly command: CopiedCommand }[];
}

/** What the what-if `to` has had of `from`; with `ended` it takes no more. */
interface WhatIfReceipt {
  readonly from: string;
  readonly to: string;
  readonly through: number;
  readonly ended?: true;
}

interface Source {
  mirrors: WhatIfQueue;
  /** By number of a command: the commit that makes it true. */
  readonly commits: Map<number, number>;
  readonly posted: Map<string, Posted>;
}

interface Posted {
  readonly through: number;
  /** What it had had when it was heard of last. */
  readonly heard: number;
  readonly againAt: number;
}

/** Commands of a shard's accounts that have to go to their what-ifs, and sources that have to be told what arrived here. */
export class WhatIfsUnderWay {
  readonly #sources = new Map<string, Source>();
  readonly #receipts = new Map<string, { readonly receipt: WhatIfReceipt; readonly commit: number }>();

  get isEmpty(): boolean {
    return this.#sources.size === 0 && this.#receipts.size === 0;
  }

  /** The account's state after a commit. @param commit of its newest entry */
  set({ id, mirrors }: Account, commit: number): void {
    if (mirrors === undefined || mirrors.waiting.length === 0) {
      this.#sources.delete(id);
      return;
    }
    const known = this.#sources.get(id) ?? { mirrors, commits: new Map<number, number>(), posted: new Map<string, Posted>() };
    known.mirrors = mirrors;
    const [oldest] = mirrors.waiting;
    for (const number of known.commits.keys()) if (oldest && number < oldest.number) known.commits.delete(number);
    for (const { number } of mirrors.waiting) if (!known.commits.has(number)) known.commits.set(number, commit);
    this.#sources.set(id, known);
  }

  /** The account is not in memory any more. */
  remove(accountId: string): void {
    this.#sources.delete(accountId);
  }

  /** A what-if of this shard was told something, by this commit or before. The newest counts. */
  noteReceipt(receipt: WhatIfReceipt, commit: number): void {
    this.#receipts.set(`${receipt.from} ${receipt.to}`, { receipt, commit });
  }

  /** What was received by the commits up to this one, once. */
  takeReceipts(committed: number): WhatIfReceipt[] {
    const taken: WhatIfReceipt[] = [];
    for (const [key, { receipt, commit }] of this.#receipts) {
      if (commit > committed) continue;
      taken.push(receipt);
      this.#receipts.delete(key);
    }
    return taken;
  }

  /** What is to be delivered now. @param nowAt by a monotonic clock, ms */
  takeDue({ committed, nowAt }: { committed: number; nowAt: number }): WhatIfDelivery[] {
    const due: WhatIfDelivery[] = [];
    for (const [from, source] of this.#sources) {
      for (const mirror of liveWhatIfs(source.mirrors)) {
        const commands = takeFor(mirror, source, { committed, nowAt });
        if (commands.length > 0) due.push({ from, to: mirror.account, commands });
      }
    }
    return due;
  }
}

function takeFor(
  { account, start, through }: WhatIfProgress,
  { mirrors, commits, posted }: Source,
  { committed, nowAt }: { readonly committed: number; readonly nowAt: number },
): WhatIfDelivery['commands'] {
  const before = posted.get(account);
  const isSilent = before === undefined || (before.heard === through && nowAt >= before.againAt);
  const from = isSilent ? through : Math.max(through, before.through);
  const commands = mirrors.waiting
    .filter(({ number }) => number > from && (commits.get(number) ?? Number.POSITIVE_INFINITY) <= committed)
    .slice(0, COMMANDS_PER_DELIVERY);
  const last = commands.at(-1)?.number ?? from;
  const isHeardOf = before !== undefined && through > before.heard;
  const againAt = isSilent || isHeardOf ? nowAt + DELIVER_AGAIN_MS : before.againAt;
  if (commands.length > 0 || isHeardOf) posted.set(account, { through: last, heard: through, againAt });
  return commands.map(({ number, command }) => ({ number: number - start, command }));
}
