// An API node's reading of accounts on an ActorBench: the real way to the owners, views and history, and a count of what the
// owners are asked. Its market stands still unless a test loads it again.
import { Registry } from 'prom-client';
import type { AccountCommand, AccountQuery } from '../../src/actors/core/messages/command.ts';
import type { FollowedEntry } from '../../src/actors/core/messages/envelope.ts';
import type { Outcome } from '../../src/actors/core/messages/queryAnswer.ts';
import type { Answered } from '../../src/api/accounts/accountGateway.ts';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import {
  type AccountReading,
  type AccountReadingParts,
  createAccountReading,
} from '../../src/api/accounts/views/accountReading.ts';
import { tradingRules } from '../../src/features/rules.ts';
import { LiveMarket } from '../../src/market/domain/liveMarket.ts';
import { marketKeys } from '../../src/shared/redis/keys.ts';
import type { Redis } from '../../src/shared/redis/redis.ts';
import type { ActorBench } from './actorBench.ts';
import { newestFormats } from './formats.ts';
import { gatewayOf } from './gatewayOf.ts';

export interface NodeOptions {
  readonly now?: () => number;
  readonly clock?: () => number;
  readonly market?: LiveMarket;
  readonly viewsMaxBytes?: number;
  readonly redis?: Redis;
  /** Entries that get lost on their way to this node. */
  readonly loses?: (followed: FollowedEntry) => boolean;
}

export class ReadingNode {
  readonly reading: AccountReading;
  readonly registry = new Registry();
  readonly #commands: CommandGateway;
  /** Questions that reached owners, by kind, in their order. */
  readonly asked: string[] = [];
  /** The requests for which they were. */
  readonly askedFor: string[] = [];

  private constructor(bench: ActorBench, commands: CommandGateway, market: LiveMarket, options: NodeOptions) {
    this.#commands = commands;
    const counting = gatewayOf((accountId, command, sent) => {
      if (command.type === 'query') {
        this.asked.push(command.query.kind);
        this.askedFor.push(sent.requestId);
      }
      return commands.send(accountId, command, sent);
    });
    const { now = Date.now, clock, viewsMaxBytes = 1e8, redis = bench.redis, loses = () => false } = options;
    const replies: AccountReadingParts['replies'] = {
      follow: (onFollowed) => commands.replies.follow((followed) => (loses(followed) ? undefined : onFollowed(followed))),
    };
    const config = { SHARDS: bench.config.SHARDS, VIEWS_MAX_BYTES: viewsMaxBytes };
    this.reading = createAccountReading({
      ...{
        rules: tradingRules,
        gateway: counting,
        replies,
        redis,
        mongo: bench.mongo,
        market,
        formats: newestFormats,
        config,
        now,
      },
      ...{ log: bench.log, registry: this.registry },
      ...(clock && { clock }),
    });
  }

  static async start(bench: ActorBench, options: NodeOptions = {}): Promise<ReadingNode> {
    const market = options.market ?? new LiveMarket({ maxAgeMs: 600_000 });
    if (options.market === undefined) market.load(await bench.redis.hgetall(marketKeys.state), '0-0');
    return new ReadingNode(bench, await bench.startGateway(), market, options);
  }

  /** Sends a command as endpoints do. */
  send(accountId: string, command: AccountCommand): Promise<Outcome> {
    this.reading.views.onCommand(accountId);
    return this.#commands.send(accountId, command, { requestId: 'test' });
  }

  /** Asks as endpoints do. */
  ask<K extends AccountQuery['kind']>(
    accountId: string,
    query: Extract<AccountQuery, { kind: K }>,
    more: { withHash?: true } = {},
  ): Promise<Answered<K>> {
    return this.reading.views.ask(accountId, query, { requestId: 'test', ...more });
  }

  /** Asks until views answer. */
  async warm(accountId: string): Promise<void> {
    for (let i = 0; i < 3; i++) await this.ask(accountId, { kind: 'summary' });
    this.asked.length = 0;
  }

  get figures(): AccountReading['views']['figures'] {
    return this.reading.views.figures;
  }
}
