// The published contract of the WebSocket, AsyncAPI 3.0: the addresses, every message in either direction, the close
// codes and the limits. It is made from the contracts beside the channels, and its schemas are those of the OpenAPI
// document.
import type { Config } from '../../shared/config/config.ts';
import { VERSION } from '../contract/named.ts';
import { PublishedSchemas } from '../contract/published.ts';
import { notOfferedTypes, privateChannels, publicChannels } from '../stream/allChannels.ts';
import { type ChannelContract, closeCodes } from '../stream/channel/channel.ts';
import { POSTS_MAX, SILENCE_MS_MAX, streamLimits } from '../stream/limits.ts';
import { EXCHANGE } from './openApi.ts';
import { commonMessages, messagesOf, messagesOn, type StreamMessage, subscribeName, unsubscribeName } from './streamMessages.ts';

const ABOUT = `The WebSocket of a paper-trading exchange for perpetual futures. It speaks the protocol of Hyperliquid’s public API;
requests over HTTP are described at \`/v1/openapi.json\`.

**Channels.** All of them share one connection. What is a channel here is what a \`subscription\` names as its \`type\`, and its address
is that name. \`receive\` is what the server receives from a client, \`send\` what it sends. Each frame is text, one JSON object.

**Private channels** are those of the API key’s account. Their messages have \`seq\`, the sequence number of the account’s journal;
who subscribes with \`fromSeq\` is told all that came after it, and so misses nothing over any break.

**Refused by name:** ${notOfferedTypes.map((type) => `\`${type}\``).join(', ')}.

**Upgrading** is refused over HTTP, with the errors of \`GET /v1/exchanges/${EXCHANGE}/ws\`.

**Closing.** \`x-close-codes\` tells why this side closes a socket, \`x-limits\` what a socket may do.`;

const SOCKET = 'socket';

/** Close codes of the WebSocket library, before any frame is read. */
const PROTOCOL_CODES = [
  { code: 1002, reason: 'What came is no WebSocket frame.' },
  { code: 1007, reason: 'Text that is no UTF-8.' },
  { code: 1009, reason: 'The frame is too large.' },
];

export interface AsyncApiDocument {
  readonly asyncapi: string;
  readonly channels: Readonly<Record<string, object>>;
  readonly operations: Readonly<Record<string, object>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly [field: string]: unknown;
}

/** @param config for the limits, which are this deployment's */
export function asyncApi(config: Config): AsyncApiDocument {
  const contracts = [...publicChannels, ...privateChannels];
  const messages = Object.assign({}, commonMessages, ...contracts.map(messagesOf)) as Record<string, StreamMessage>;
  const schemas = PublishedSchemas.ofAsyncApi();
  const messageObjects = mapValues(messages, (message) => toMessageObject(message, schemas));
  return {
    asyncapi: '3.0.0',
    info: { title: 'Paper perpetuals exchange: streams', version: VERSION, description: ABOUT },
    defaultContentType: 'application/json',
    servers: serversOf(config),
    channels: {
      [SOCKET]: socketChannel(),
      ...Object.fromEntries(contracts.map((contract) => [contract.type, channelOf(contract)])),
    },
    operations: Object.assign({}, socketOperations(), ...contracts.map(operationsOf)),
    components: {
      messages: messageObjects,
      schemas: schemas.components(),
      securitySchemes: {
        header: { type: 'httpApiKey', name: 'X-API-Key', in: 'header', description: 'From `POST /v1/auth/api-keys`.' },
        token: {
          ...{ type: 'httpApiKey', name: 'Sec-WebSocket-Protocol', in: 'header' },
          description:
            'For pages, where no key is given: the protocols `perpx.v1` and `bearer.<access token>`; `perpx.v1` is chosen.',
        },
        query: { type: 'httpApiKey', name: 'apiKey', in: 'query', description: 'The same key, for clients without headers.' },
      },
    },
    'x-close-codes': [...Object.values(closeCodes), ...PROTOCOL_CODES].sort((a, b) => a.code - b.code),
    'x-limits': limitsOf(config),
  };
}

/** @param config where users see this deployment */
function serversOf({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): object {
  const { protocol, host, pathname } = new URL(PUBLIC_URL);
  const place = {
    host: '{host}',
    protocol: protocol === 'https:' ? 'wss' : 'ws',
    variables: {
      host: { default: host, description: 'Where users see this deployment; `wss` where a proxy before it ends TLS.' },
    },
  };
  const path = `${pathname.replace(/\/+$/, '')}/v1/exchanges/${EXCHANGE}`;
  return {
    withKeyInPath: {
      ...place,
      pathname: `${path}/key/{api_key}/ws`,
      description: 'The key is in the path: all that stock clients need.',
      variables: { ...place.variables, api_key: { description: 'An API key. Without a valid one the upgrade is a 401.' } },
    },
    withKeyOutside: {
      ...place,
      pathname: `${path}/ws`,
      description: 'The key is in a header or in the query; without one the upgrade is a 401, for public channels too.',
      security: ['header', 'query', 'token'].map((name) => ({ $ref: `#/components/securitySchemes/${name}` })),
    },
  };
}

const limitsOf = (config: Config): object => ({
  plans: { basic: streamLimits('basic', config), pro: streamLimits('pro', config) },
  postsPendingMax: POSTS_MAX,
  frameBytesMax: config.BODY_LIMIT_BYTES,
  unsentBytesMax: config.STREAM_BUFFER_BYTES,
  silenceMsMax: SILENCE_MS_MAX,
});

const toMessageObject = ({ name, summary, payload, examples }: StreamMessage, schemas: PublishedSchemas): object => ({
  name,
  title: name,
  summary,
  payload: schemas.publish(payload),
  ...(examples && { examples: examples.map((example) => ({ payload: example })) }),
});

const refs = (names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));

const socketChannel = (): object => ({
  address: '/',
  title: 'The socket',
  description: 'What belongs to no subscription.',
  messages: refs(['ping', 'pong', 'post', 'post.answer', 'error']),
  bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
});

const channelOf = (contract: ChannelContract): object => ({
  address: contract.type,
  title: contract.type,
  description: contract.about,
  messages: refs([...Object.keys(messagesOf(contract)), 'subscriptionResponse', 'error']),
});

/** What is received or sent on a channel, and what answers it there. */
function operation(
  channel: string,
  { action, summary, messages, reply }: { action: string; summary: string; messages: string[]; reply?: string[] },
): object {
  const inChannel = (names: readonly string[]) => names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
  const place = { $ref: `#/channels/${channel}` };
  return {
    action,
    channel: place,
    summary,
    messages: inChannel(messages),
    ...(reply && { reply: { channel: place, messages: inChannel(reply) } }),
  };
}

const socketOperations = (): Record<string, object> => ({
  ping: operation(SOCKET, { action: 'receive', summary: 'A ping.', messages: ['ping'], reply: ['pong'] }),
  post: operation(SOCKET, {
    action: 'receive',
    summary: 'A request; `x-answer` of each info type and action says which schema its answer has.',
    messages: ['post'],
    reply: ['post.answer', 'error'],
  }),
  sayError: operation(SOCKET, { action: 'send', summary: 'A frame that cannot be read.', messages: ['error'] }),
});

function operationsOf(contract: ChannelContract): Record<string, object> {
  const { type, about } = contract;
  const reply = ['subscriptionResponse', 'error'];
  return {
    [subscribeName(contract)]: operation(type, {
      action: 'receive',
      summary: `A client subscribes to ${type}.`,
      messages: [subscribeName(contract)],
      reply,
    }),
    [unsubscribeName(contract)]: operation(type, {
      action: 'receive',
      summary: `A client ends its subscription to ${type}.`,
      messages: [unsubscribeName(contract)],
      reply,
    }),
    [type]: operation(type, { action: 'send', summary: about, messages: Object.keys(messagesOn(contract)) }),
  };
}

const mapValues = <T>(record: Readonly<Record<string, T>>, map: (value: T) => object): Record<string, object> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
