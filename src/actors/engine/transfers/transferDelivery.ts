// Completes the transfers of a shard whose API node has not: it delivers what is under way to its receivers, and tells senders what has
// arrived here. Both may come twice, and both are looked at by the account that they come to (ADR 21).
import type { Config } from '../../../shared/config.ts';
import type { FormatSource } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import { queueCommands } from '../../../shared/redis/queueCommands.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { AccountCommand } from '../../core/messages/command.ts';
import type { TransfersUnderWay } from './transfersUnderWay.ts';

/** Deliveries of a shard in one second. */
const DELIVERIES_MAX = 64;

export interface TransferDeliveryParts {
  readonly config: Config;
  readonly redis: Redis;
  readonly formats: FormatSource;
  readonly log: Logger;
  readonly underWay: TransfersUnderWay;
  /** Number of the newest commit that is true. */
  readonly committed: () => number;
}

export class TransferDelivery {
  readonly #parts: TransferDeliveryParts;

  constructor(parts: TransferDeliveryParts) {
    this.#parts = parts;
  }

  /** Once a second. @param nowAt by a monotonic clock, ms */
  sweep(nowAt: number): void {
    const { underWay, committed } = this.#parts;
    for (const delivery of underWay.takeDue({ committed: committed(), nowAt, limit: DELIVERIES_MAX })) {
      const { to, ...transfer } = delivery;
      this.#post(to, { type: 'receiveTransfer', ...transfer });
    }
  }

  onCommitted(): void {
    const { underWay, committed } = this.#parts;
    for (const { from, to, number } of underWay.takeReceipts(committed()))
      this.#post(from, { type: 'settleTransfer', to, number });
  }

  /** One that is refused, or lost on the way, is posted again with the next delivery. */
  #post(accountId: string, command: AccountCommand & { readonly number: number }): void {
    const { config, redis, formats, log } = this.#parts;
    const requestId = `transfer:${command.number}`;
    queueCommands(redis, { config, accountId, requestId, commands: [command], format: formats.current }).catch(
      (error: unknown) => {
        log.warn({ err: error, accountId, requestId, type: command.type }, 'a transfer is delivered later');
      },
    );
  }
}
