// Which commands of a shard's accounts have to go to their what-ifs, and which sources have to be told what arrived here. It only mirrors
// the accounts' states: after a crash it is filled again from there. What a commit without an answer has decided waits for that answer.
import type { Account } from '../../core/account/account.ts';
import { liveMirrors, type Mirror, type Mirrors } from '../../core/account/group/mirrors.ts';
import type { MirroredCommand } from '../../core/messages/command.ts';

/** A what-if from which nothing is heard gets all that it lacks again after this, ms. */
const DELIVER_AGAIN_MS = 3000;
/** Commands of one delivery: a part of a mailbox, which has other senders. */
const COMMANDS_PER_DELIVERY = 32;

/** Commands of `from` for the what-if `to`, in order, by the numbers that it counts. */
export interface MirrorDelivery {
  readonly from: string;
  readonly to: string;
  readonly commands: readonly { readonly number: number; readonly command: MirroredCommand }[];
}

/** What the what-if `to` has had of `from`; with `ended` it takes no more. */
export interface MirrorReceipt {
  readonly from: string;
  readonly to: string;
  readonly through: number;
  readonly ended?: true;
}

interface Source {
  mirrors: Mirrors;
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

export class MirrorsWaiting {
  readonly #sources = new Map<string, Source>();
  readonly #receipts = new Map<string, { readonly receipt: MirrorReceipt; readonly commit: number }>();

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
  noteReceipt(receipt: MirrorReceipt, commit: number): void {
    this.#receipts.set(`${receipt.from} ${receipt.to}`, { receipt, commit });
  }

  /** What was received by the commits up to this one, once. */
  takeReceipts(committed: number): MirrorReceipt[] {
    const taken: MirrorReceipt[] = [];
    for (const [key, { receipt, commit }] of this.#receipts) {
      if (commit > committed) continue;
      taken.push(receipt);
      this.#receipts.delete(key);
    }
    return taken;
  }

  /** What is to be delivered now. @param nowAt by a monotonic clock, ms */
  takeDue({ committed, nowAt }: { committed: number; nowAt: number }): MirrorDelivery[] {
    const due: MirrorDelivery[] = [];
    for (const [from, source] of this.#sources) {
      for (const mirror of liveMirrors(source.mirrors)) {
        const commands = takeFor(mirror, source, { committed, nowAt });
        if (commands.length > 0) due.push({ from, to: mirror.account, commands });
      }
    }
    return due;
  }
}

function takeFor(
  { account, start, through }: Mirror,
  { mirrors, commits, posted }: Source,
  { committed, nowAt }: { readonly committed: number; readonly nowAt: number },
): MirrorDelivery['commands'] {
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
