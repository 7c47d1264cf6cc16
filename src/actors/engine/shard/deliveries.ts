// The deliveries of a shard: transfers whose API node has not delivered them (ADR 21), and commands of accounts for their what-ifs (ADR 24).
import type { Config } from '../../../shared/config/config.ts';
import type { FormatSource } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { queueCommands } from '../../../shared/redis/submitScript.ts';
import type { AccountCommand } from '../../core/messages/command.ts';
import type { TransfersUnderWay, WhatIfsUnderWay } from '../index/undelivered.ts';

/** Transfers that a shard delivers in one second. */
const DELIVERIES_MAX = 64;

/** The shard, as its deliveries see it. */
interface DeliveryContext {
  readonly pod: { readonly config: Config; readonly redis: Redis; readonly formats: FormatSource; readonly log: Logger };
  readonly accounts: {
    /** `committed`: number of the newest commit that is true. */
    readonly residents: { readonly committed: number };
    readonly transfers: TransfersUnderWay;
    readonly whatIfs: WhatIfsUnderWay;
  };
}

/**
 * Posts what is under way, and tells senders what has arrived here. A command may come twice: the account that it comes to looks at its
 * number.
 */
export class Deliveries {
  readonly #shard: DeliveryContext;

  constructor(shard: DeliveryContext) {
    this.#shard = shard;
  }

  /** Once a second. @param nowAt by a monotonic clock, ms */
  sweep(nowAt: number): void {
    const { transfers, residents } = this.#shard.accounts;
    for (const delivery of transfers.takeDue({ committed: residents.committed, nowAt, limit: DELIVERIES_MAX })) {
      const { to, ...transfer } = delivery;
      this.#postTransfer(to, { type: 'receiveTransfer', ...transfer });
    }
    this.#postCopied(nowAt);
  }

  /** After each commit; without anything under way it costs a look at two lists. @param nowAt by a monotonic clock, ms */
  onCommitted(nowAt: number): void {
    const { transfers, residents } = this.#shard.accounts;
    for (const { from, to, number } of transfers.takeReceipts(residents.committed))
      this.#postTransfer(from, { type: 'settleTransfer', to, number });
    this.#postCopied(nowAt);
  }

  #postCopied(nowAt: number): void {
    const { whatIfs, residents } = this.#shard.accounts;
    for (const { from: of, to, commands } of whatIfs.takeDue({ committed: residents.committed, nowAt })) {
      const copied = commands.map(({ number, command }) => ({ type: 'mirrored' as const, of, number, command }));
      this.#postToCopy(to, copied);
    }
    for (const { from, to, through, ended } of whatIfs.takeReceipts(residents.committed))
      this.#postToCopy(from, [{ type: 'settleMirror', to, through, ...(ended && { ended }) }]);
  }

  #postTransfer(accountId: string, command: AccountCommand & { readonly number: number }): void {
    const requestId = `transfer:${command.number}`;
    this.#post(accountId, { requestId, commands: [command], later: 'a transfer is delivered later' });
  }

  #postToCopy(accountId: string, commands: readonly AccountCommand[]): void {
    const requestId = `mirror:${accountId.slice(0, 10)}`;
    this.#post(accountId, { requestId, commands, later: 'commands for a what-if are delivered later' });
  }

  /** What is refused, or lost on the way, is posted again with a later delivery. */
  #post(
    accountId: string,
    { requestId, commands, later }: { requestId: string; commands: readonly AccountCommand[]; later: string },
  ): void {
    const { config, redis, formats, log } = this.#shard.pod;
    queueCommands(redis, { config, accountId, requestId, commands, format: formats.current }).catch((error: unknown) => {
      log.warn({ err: error, accountId, requestId, type: commands[0]?.type }, later);
    });
  }
}
