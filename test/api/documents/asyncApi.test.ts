import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { type ChannelParts, createChannels, notOffered } from '../../../src/api/stream/allChannels.ts';
import { closeCodes } from '../../../src/api/stream/channel/channel.ts';
import { frameFaults, streamContract, streamFaults } from '../../support/streamContract.ts';

const require = createRequire(import.meta.url);
const OFFICIAL = require.resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json');

/** No channel is opened, so the parts behind them are not there. */
const parts = { accounts: { answers: { services: {} } } } as unknown as ChannelParts;

interface Reference {
  readonly $ref: string;
}

describe('the published contract of the streams', () => {
  const { channels, operations, components } = streamContract;

  it('is AsyncAPI 3.0, by its official schema', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false });
    const validate = ajv.compile(JSON.parse(readFileSync(OFFICIAL, 'utf8')));
    expect(validate(streamContract), JSON.stringify(validate.errors?.slice(0, 5), null, 1)).to.equal(true);
    expect(validate({ ...streamContract, asyncapi: '2.0.0' })).to.equal(false);
  });

  it('has the channels that can be subscribed to and no other', () => {
    const refused = notOffered.map(({ type }) => type);
    const offered = [...createChannels(parts).keys()].filter((type) => !refused.includes(type));
    expect(Object.keys(channels)).to.have.members([...offered, 'socket']);
    for (const type of refused) expect(streamContract.info.description).to.include(`\`${type}\``);
  });

  it('refers to nothing that is not there', () => {
    const missing: string[] = [];
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const { $ref } = node as Partial<Reference>;
      if (typeof $ref === 'string' && at($ref) === undefined) missing.push($ref);
      for (const part of Object.values(node)) walk(part);
    };
    walk(streamContract);
    expect(missing).to.deep.equal([]);
  });

  it('sends and receives every message that it has', () => {
    const used = Object.values<{ messages: Reference[]; reply?: { messages: Reference[] } }>(operations).flatMap(
      ({ messages, reply }) => [...messages, ...(reply?.messages ?? [])].map(({ $ref }) => $ref.split('/').at(-1)),
    );
    expect([...new Set(used)]).to.have.members(Object.keys(components.messages));
  });

  it('describes each field of a subscription', () => {
    for (const [name, schema] of Object.entries<{ properties: Record<string, object> }>(components.schemas)) {
      if (!name.endsWith('Subscription')) continue;
      for (const [field, told] of Object.entries(schema.properties)) {
        expect(told, `${name}.${field}`).to.have.any.keys('description', 'const');
      }
    }
  });

  it('gives examples that its own schemas accept, one at least of each frame of a client', () => {
    for (const { action, messages } of Object.values<{ action: string; messages: Reference[] }>(operations)) {
      if (action !== 'receive') continue;
      for (const { $ref } of messages) {
        const name = $ref.split('/').at(-1) ?? '';
        const examples: { payload: unknown }[] = components.messages[name].examples;
        expect(examples, name).not.to.have.length(0);
        for (const { payload } of examples) expect(frameFaults(name, payload), name).to.deep.equal([]);
      }
    }
  });

  it('tells of every code that a socket is closed with, and of the limits', () => {
    const codes = streamContract['x-close-codes'].map(({ code }: { code: number }) => code);
    expect(codes).to.include.members(Object.values(closeCodes).map(({ code }) => code));
    expect(streamContract['x-limits'].plans.basic).to.have.keys(
      'socketsMax',
      'subscriptionsMax',
      'messagesPerMinute',
      'bytesPerMinute',
    );
  });

  it('needs a key at both addresses, or a token at one', () => {
    const { withKeyOutside, withKeyInPath } = streamContract.servers;
    expect(withKeyOutside.security.map(({ $ref }: Reference) => at($ref))).to.have.length(3);
    expect(withKeyInPath.pathname).to.equal('/v1/exchanges/perpx/key/{api_key}/ws');
  });

  it('has each schema of the HTTP contract’s trading types, as draft 07', () => {
    expect(components.schemas.Book.properties.levels.items).to.be.an('array');
    expect(JSON.stringify(streamContract)).not.to.include('prefixItems').and.not.to.include('"expected"');
  });
});

describe('messages that are not as published are found', () => {
  const level = { px: '1.0', sz: '2.0', n: 1 };
  const bbo = { channel: 'bbo', data: { coin: 'BTC', time: 1, bbo: [level, null] } };
  const event = { channel: 'orderUpdates', data: [], seq: 1 };

  it('none in good ones', () => {
    expect(streamFaults(bbo)).to.deep.equal([]);
    expect(streamFaults(event)).to.deep.equal([]);
  });
  it('a field too much', () => expect(streamFaults({ ...bbo, data: { ...bbo.data, more: 1 } } as never)).not.to.deep.equal([]));
  it('a field too few', () => expect(streamFaults({ channel: 'bbo', data: { coin: 'BTC' } } as never)).not.to.deep.equal([]));
  it('a tuple of another length', () =>
    expect(streamFaults({ ...bbo, data: { ...bbo.data, bbo: [level] } } as never)).not.to.deep.equal([]));
  it('a number of a public message', () => expect(streamFaults({ ...bbo, seq: 1 } as never)).not.to.deep.equal([]));
  it('a private message without its number', () => {
    const { seq: _seq, ...without } = event;
    expect(streamFaults(without)).not.to.deep.equal([]);
  });
  it('a channel that nobody told of', () => expect(streamFaults({ channel: 'ghost' })).not.to.deep.equal([]));
  it('a client’s frame sent back', () => expect(streamFaults({ channel: 'ping' })).not.to.deep.equal([]));
  it('a response to no subscription', () =>
    expect(
      streamFaults({ channel: 'subscriptionResponse', data: { method: 'subscribe', subscription: { type: 'ghost' } } } as never),
    ).not.to.deep.equal([]));
});

function at(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], streamContract);
}
