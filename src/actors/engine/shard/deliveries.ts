// Completes the transfers of a shard whose API node has not: it delivers what is under way to its receivers, and tells senders what has
// arrived here. Both may come twice, and both are looked at by the account that they come to (ADR 21).
import type { Config } from '../../../shared/config/config.ts';
import type { FormatSource } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { queueCommands } from '../../../shared/redis/submitScript.ts';
import type { AccountCommand } from '../../core/messages/command.ts';
import type { TransfersUnderWay, WhatIfsUnderWay } from '../index/undelivered.ts';

/** Deliveries of a shard in one second. */
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

export class TransferDelivery {
  readonly #shard: DeliveryContext;

  constructor(shard: DeliveryContext) {
    this.#shard = shard;
  }

  /** Once a second. @param nowAt by a monotonic clock, ms */
  sweep(nowAt: number): void {
    const { transfers, residents } = this.#shard.accounts;
    for (const delivery of transfers.takeDue({ committed: residents.committed, nowAt, limit: DELIVERIES_MAX })) {
      const { to, ...transfer } = delivery;
      this.#post(to, { type: 'receiveTransfer', ...transfer });
    }
  }

  onCommitted(): void {
    const { transfers, residents } = this.#shard.accounts;
    for (const { from, to, number } of transfers.takeReceipts(residents.committed))
      this.#post(from, { type: 'settleTransfer', to, number });
  }

  /** One that is refused, or lost on the way, is posted again with the next delivery. */
  #post(accountId: string, command: AccountCommand & { readonly number: number }): void {
    const { config, redis, formats, log } = this.#shard.pod;
    const requestId = `transfer:${command.number}`;
    queueCommands(redis, { config, accountId, requestId, commands: [command], format: formats.current }).catch(
      (error: unknown) => {
        log.warn({ err: error, accountId, requestId, type: command.type }, 'a transfer is delivered later');
      },
    );
  }
}

/** Delivers commands of a shard's accounts to their what-ifs, and tells sources what has arrived here (ADR 24). */
export class WhatIfDelivery {
  readonly #shard: DeliveryContext;

  constructor(shard: DeliveryContext) {
    this.#shard = shard;
  }

  /** After each commit, and once a second. @param nowAt by a monotonic clock, ms */
  work(nowAt: number): void {
    const { whatIfs, residents } = this.#shard.accounts;
    for (const { from: of, to, commands } of whatIfs.takeDue({ committed: residents.committed, nowAt }))
      this.#post(
        to,
        commands.map(({ number, command }) => ({ type: 'mirrored', of, number, command })),
      );
    for (const { from, to, through, ended } of whatIfs.takeReceipts(residents.committed))
      this.#post(from, [{ type: 'settleMirror', to, through, ...(ended && { ended }) }]);
  }

  /** What is refused, or lost on the way, is posted again later. */
  #post(accountId: string, commands: readonly AccountCommand[]): void {
    const { config, redis, formats, log } = this.#shard.pod;
    const requestId = `mirror:${accountId.slice(0, 10)}`;
    queueCommands(redis, { config, accountId, requestId, commands, format: formats.current }).catch((error: unknown) => {
      log.warn({ err: error, accountId, requestId }, 'commands for a what-if are delivered later');
    });
  }
}
