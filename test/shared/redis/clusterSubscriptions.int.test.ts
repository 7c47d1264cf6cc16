import { expect } from 'chai';
import { createLogger } from '../../../src/shared/logger.ts';
import { openSubscriber, openSubscriptions, publish } from '../../../src/shared/redis/channels.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { Script } from '../../../src/shared/redis/script.ts';
import type { ChannelSubscriptions } from '../../../src/shared/redis/subscriptions.ts';
import { type RedisCluster, startRedisCluster } from '../../support/redisCluster.ts';
import { until } from '../../support/until.ts';

const log = createLogger({ level: 'silent', role: 'test' });
const CHANNELS = Array.from({ length: 9 }, (_, i) => `{s0${i}}:channel`);

describe('channels of a Redis Cluster', function () {
  this.timeout(600_000);
  let cluster: RedisCluster;
  let redis: Redis;
  let subscriber: Redis;
  let subscriptions: ChannelSubscriptions;
  const heard: string[] = [];
  const away = new Set<string>();

  before(async () => {
    cluster = await startRedisCluster();
    redis = connectRedis({ url: cluster.url, name: 'test', log });
    // The connection that sends commands knows where channels are: no other connection has to.
    subscriber = openSubscriber(redis, () => expect.fail('one more connection')).connection;
    subscriptions = openSubscriptions(subscriber, {
      onMessage: (channel, text) => heard.push(`${channel} ${text}`),
      onAway: (channels) => {
        for (const channel of channels) away.add(channel);
      },
      onBack: (channels) => {
        for (const channel of channels) away.delete(channel);
      },
    });
    await Promise.all(CHANNELS.map((channel) => subscriptions.subscribe(channel)));
  });

  beforeEach(() => heard.splice(0));

  after(async () => {
    await subscriptions.stop();
    redis.disconnect();
    await cluster.stop();
  });

  /** Each channel is heard once for each message. */
  async function allHeard(text: string): Promise<void> {
    for (const channel of CHANNELS) await publish(redis, channel, text);
    const ofThem = (): string[] => heard.filter((line) => line.endsWith(` ${text}`)).sort();
    await until(() => ofThem().length >= CHANNELS.length);
    expect(ofThem()).to.deep.equal(CHANNELS.map((channel) => `${channel} ${text}`));
  }

  it('are heard, whichever node has them', async () => {
    expect(new Set(await Promise.all(CHANNELS.map((channel) => cluster.ownerOf(channel)))).size).to.equal(3);
    await allHeard('one');
  });

  it('a script publishes on those of its keys', async () => {
    const script = new Script('script', `redis.call(PUBLISH, TAG .. 'channel', ARGV[1])`);
    await script.run(redis, ['{s03}:journal'], ['from a script']);
    await until(() => heard.length > 0);
    expect(heard).to.deep.equal(['{s03}:channel from a script']);
  });

  it('one whose slot moves is said to be away, and is heard at its new node', async () => {
    const [channel = ''] = CHANNELS;
    const to = ((await cluster.ownerOf(channel)) + 1) % cluster.nodes.length;
    const told: string[] = [];
    const watched = openSubscriptions(subscriber, {
      onMessage: () => undefined,
      onAway: (channels) => told.push(`away ${channels.join()}`),
      onBack: (channels) => told.push(`back ${channels.join()}`),
    });
    await watched.subscribe(channel);
    await cluster.moveSlotOf(channel, to);
    await until(() => told.length >= 2);
    expect(told).to.deep.equal([`away ${channel}`, `back ${channel}`]);
    await watched.stop();
    await until(() => away.size === 0);
    // Its message comes on another connection than the answer to who publishes.
    await until(async () => {
      await publish(redis, channel, 'moved');
      return heard.includes(`${channel} moved`);
    });
    await allHeard('after');
  });

  it('are heard again when the connections of a subscriber end', async () => {
    const node = await cluster.ownerOf(CHANNELS[1] ?? '');
    await cluster.connections[node]?.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await until(() => away.size > 0 || heard.length > 0);
    await until(() => away.size === 0);
    await allHeard('again');
  });

  it('one that was left is heard no more', async () => {
    const left = CHANNELS[2] ?? '';
    await subscriptions.unsubscribe(left);
    await until(async () => {
      const node = cluster.connections[await cluster.ownerOf(left)];
      const channels = (await node?.call('PUBSUB', 'SHARDCHANNELS', left)) as string[] | undefined;
      return channels?.includes(left) === false;
    });
    await subscriptions.subscribe(left);
    await allHeard('all');
  });
});
