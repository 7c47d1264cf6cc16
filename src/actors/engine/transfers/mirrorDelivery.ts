// Delivers commands of a shard's accounts to their what-ifs, and tells sources what has arrived here. Both may come twice, and both are
// looked at by the account that they come to (ADR 24).
import type { Config } from '../../../shared/config.ts';
import type { FormatSource } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import { queueCommands } from '../../../shared/redis/queueCommands.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { AccountCommand } from '../../core/messages/command.ts';
import type { MirrorsWaiting } from './mirrorsWaiting.ts';

export interface MirrorDeliveryParts {
  readonly config: Config;
  readonly redis: Redis;
  readonly formats: FormatSource;
  readonly log: Logger;
  readonly waiting: MirrorsWaiting;
  /** Number of the newest commit that is true. */
  readonly committed: () => number;
}

export class MirrorDelivery {
  readonly #parts: MirrorDeliveryParts;

  constructor(parts: MirrorDeliveryParts) {
    this.#parts = parts;
  }

  /** After each commit, and once a second. @param nowAt by a monotonic clock, ms */
  work(nowAt: number): void {
    const { waiting, committed } = this.#parts;
    for (const { from: of, to, commands } of waiting.takeDue({ committed: committed(), nowAt }))
      this.#post(
        to,
        commands.map(({ number, command }) => ({ type: 'mirrored', of, number, command })),
      );
    for (const { from, to, through, ended } of waiting.takeReceipts(committed()))
      this.#post(from, [{ type: 'settleMirror', to, through, ...(ended && { ended }) }]);
  }

  /** What is refused, or lost on the way, is posted again later. */
  #post(accountId: string, commands: readonly AccountCommand[]): void {
    const { config, redis, formats, log } = this.#parts;
    const requestId = `mirror:${accountId.slice(0, 10)}`;
    queueCommands(redis, { config, accountId, requestId, commands, format: formats.current }).catch((error: unknown) => {
      log.warn({ err: error, accountId, requestId }, 'commands for a what-if are delivered later');
    });
  }
}
