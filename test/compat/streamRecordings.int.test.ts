// Every recorded message of the venue's WebSocket that can occur here is a test: the response must repeat the
// recorded subscription with every field, and a message with every recorded field, each of its recorded type, must
// follow. The rows of a first message stand in the recorded order.
import { expect } from 'chai';
import { orderAction } from '../support/orderWire.ts';
import { readStreamRecordings } from '../support/recordings.ts';
import type { TestAccount } from '../support/stack.ts';
import { StreamClient } from '../support/streamClient.ts';
import type { StreamMessage } from '../support/streamContract.ts';
import { missingFrom } from '../support/superset.ts';
import { until } from '../support/until.ts';
import { NOT_REPRODUCIBLE } from './notReproducible.ts';
import { COIN, type SharedStack, sharedStack } from './sharedStack.ts';

describe('recorded messages of the venue’s WebSocket', function () {
  this.timeout(600_000);
  let stack: SharedStack['stack'];
  let account: TestAccount;
  let client: StreamClient;

  before(async () => {
    ({ stack } = await sharedStack());
    account = await stack.register();
    client = await StreamClient.connect(stack.baseUrl, { apiKey: account.apiKey });
  });
  after(() => client?.stop());

  /** An order that is filled at once, and a TWAP: something to hear on each private channel. */
  async function trade(): Promise<void> {
    const { universe } = (await stack.info(account.apiKey, { type: 'meta' })).body;
    const asset = universe.findIndex(({ name }: { name: string }) => name === COIN);
    await stack.exchange(account.apiKey, orderAction(asset, { px: '101', sz: '1', tif: 'Ioc' }));
    await stack.exchange(account.apiKey, { type: 'twapOrder', twap: { a: asset, b: true, s: '20', r: false, m: 5, t: false } });
  }

  for (const { name, request, response } of readStreamRecordings()) {
    if (name in NOT_REPRODUCIBLE) continue;
    it(`${name} is matched`, async () => {
      const frames = (Array.isArray(response) ? response : [response]) as StreamMessage[];
      const recorded = frames.at(-1) as StreamMessage;
      const { subscription } = request as { readonly subscription: { readonly user?: string } };
      client.subscribe({ ...subscription, ...('user' in subscription && { user: account.address }) });
      const echo = await client.next('subscriptionResponse', 'error');
      if (frames.length > 1) expect(missingFrom(echo, frames[0])).to.deep.equal([]);
      if ('user' in subscription) await trade();
      const faults = () =>
        client.all(recorded.channel).map((message) => missingFrom(ofListedCoins(message), ofListedCoins(recorded)));
      await until(() => faults().some((found) => found.length === 0)).catch(() => undefined); // what is missing is said below
      expect(faults().find((found) => found.length === 0) ?? faults()).to.deep.equal([]);
      if (recorded.data.isSnapshot === true) await expectOrderOf(recorded, subscription);
    });
  }

  /** Two rows at least, by rising times, as they are recorded. */
  async function expectOrderOf(recorded: StreamMessage, subscription: object): Promise<void> {
    const { channel } = recorded;
    await until(() => client.all(channel).flatMap(timesOf).length > 1);
    const again = await StreamClient.connect(stack.baseUrl, { apiKey: account.apiKey });
    again.subscribe({ ...subscription, user: account.address });
    const times = timesOf(await again.next(channel));
    await again.stop();
    expect(isRising(timesOf(recorded)), 'recorded').to.equal(true);
    expect(times).to.have.length.above(1);
    expect(isRising(times), `${channel}: ${times}`).to.equal(true);
  }

  /** Of each row of a message, in its order. */
  const timesOf = ({ data }: StreamMessage): number[] =>
    Object.values(data as Record<string, unknown>)
      .filter(Array.isArray)
      .flat()
      .map(({ time, fill }) => time ?? fill.time);
  const isRising = (times: readonly number[]): boolean => times.every((time, i) => i === 0 || time >= (times[i - 1] ?? time));

  /** Coins are the keys of mids: those that are listed here, and one of them, at that. */
  const ofListedCoins = (message: StreamMessage): StreamMessage =>
    message.channel === 'allMids' ? { ...message, data: { mids: Object.values(message.data.mids).slice(0, 1) } } : message;
});
