// Every message of the WebSocket as a schema, in both directions. The schemas are those that read subscriptions, and
// those of `info` and `exchange`.
import { type TSchema, Type } from '@sinclair/typebox';
import { Count, exactly, words } from '../contract/answerValues.ts';
import { EitherError } from '../contract/errorResponses.ts';
import { described, named } from '../contract/named.ts';
import { privateChannels, publicChannels } from '../stream/allChannels.ts';
import type { ChannelContract } from '../stream/channel/channel.ts';
import { capitalized, exchangeEndpoint, infoEndpoint, infoVariants } from '../trading/tradingContract.ts';

/** A message as the document names it. */
export interface StreamMessage {
  /** Its `channel`, or `method` of a client's. */
  readonly name: string;
  readonly summary: string;
  readonly payload: TSchema;
  /** Payloads; each is one that a test holds against the schema. */
  readonly examples?: readonly object[];
}

type Messages = Readonly<Record<string, StreamMessage>>;

/** A channel's subscription under its name among the schemas. */
const subscriptionTo = ({ type, subscription }: ChannelContract): TSchema =>
  named(`${capitalized(type)}Subscription`, subscription);

export const subscribeName = ({ type }: ChannelContract): string => `${type}.subscribe`;
export const unsubscribeName = ({ type }: ChannelContract): string => `${type}.unsubscribe`;

const anyOf = (schemas: readonly TSchema[]): TSchema => Type.Unsafe({ anyOf: [...schemas] });

/** The sequence number that a subscription begins after, or that a message is about. */
const Seq = described(Count, 'Sequence number of the entry of the account’s journal that it tells of, or includes.');

const StateHash = Type.String({
  pattern: '^(h[0-9]+:)?[0-9a-f]{64}$',
  description:
    'In snapshots, where it was asked for: names the state of the account at this `seq`. Only hashes with the same name before the colon can be compared.',
});

/** The messages of one channel in both directions. Some channels answer under another name than the subscription's. */
export function messagesOf(contract: ChannelContract): Messages {
  return { ...requestsOf(contract), ...messagesOn(contract) };
}

function requestsOf(contract: ChannelContract): Messages {
  const { type, about, example } = contract;
  const fromSeq = contract.subscription.properties['fromSeq'];
  const subscription = subscriptionTo(contract);
  return {
    [subscribeName(contract)]: {
      name: 'subscribe',
      summary: `Subscribes to ${type}. ${about}`,
      payload: Type.Object({
        method: Type.Literal('subscribe'),
        subscription,
        ...(fromSeq && { fromSeq: described(fromSeq, 'The same as `fromSeq` in the subscription.') }),
      }),
      examples: [{ method: 'subscribe', subscription: example }],
    },
    [unsubscribeName(contract)]: {
      name: 'unsubscribe',
      summary: `Ends a subscription to ${type}: nothing of it comes after the response.`,
      payload: Type.Object({ method: Type.Literal('unsubscribe'), subscription }),
      examples: [{ method: 'unsubscribe', subscription: example }],
    },
  };
}

/** The messages that the server sends on a channel. */
export function messagesOn({ about, messages: says, subscription, hasMessagesWithoutSeq: tellsMore }: ChannelContract): Messages {
  const isPrivate = 'fromSeq' in subscription.properties;
  const numbered = {
    seq: tellsMore ? Type.Optional(Seq) : Seq,
    stateHash: Type.Optional(StateHash),
    more: Type.Optional(Type.Literal(true, { description: 'Another message of the same entry follows on this channel.' })),
  };
  return Object.fromEntries(
    Object.entries(says).map(([channel, data]) => [
      channel,
      {
        name: channel,
        summary: about,
        payload: exactly({ channel: Type.Literal(channel), data, ...(isPrivate && numbered) }),
      },
    ]),
  );
}

const response = (method: TSchema, contracts: readonly ChannelContract[], more: object = {}) =>
  exactly({
    channel: Type.Literal('subscriptionResponse'),
    data: exactly({
      method,
      subscription: described(anyOf(contracts.map(subscriptionTo)), 'As it was understood, with the defaults.'),
    }),
    ...more,
  });

const info = described(
  Type.Union(infoVariants.map(({ type, answer }) => exactly({ type: Type.Literal(type), data: answer }))),
  'What `info` answers over HTTP.',
);

const action = Type.Union([exchangeEndpoint.answer.schema, EitherError], { description: 'The body of HTTP.' });

const request = Type.Union([
  Type.Object({ type: Type.Literal('info'), payload: infoEndpoint.body.schema }),
  Type.Object({ type: Type.Literal('action'), payload: exchangeEndpoint.body.schema }),
]);

const PostId = described(Count, 'The client’s own number: the answer has it.');

/** Messages that belong to no subscription. */
export const commonMessages = {
  ping: {
    name: 'ping',
    summary: 'Keeps the connection open.',
    payload: Type.Object({ method: Type.Literal('ping') }),
    examples: [{ method: 'ping' }],
  },
  pong: { name: 'pong', summary: 'Answers a ping.', payload: exactly({ channel: Type.Literal('pong') }) },
  post: {
    name: 'post',
    summary: 'A request as over HTTP, counted and authorised the same way.',
    payload: Type.Object({ method: Type.Literal('post'), id: PostId, request }),
    examples: [
      { method: 'post', id: 1, request: { type: 'info', payload: { type: 'l2Book', coin: 'BTC' } } },
      {
        method: 'post',
        id: 2,
        request: { type: 'action', payload: { action: { type: 'cancel', cancels: [{ a: 0, o: 16_000_003 }] }, nonce: 1 } },
      },
    ],
  },
  'post.answer': {
    name: 'post',
    summary: 'Answers a post, whatever becomes of it.',
    payload: exactly({
      channel: Type.Literal('post'),
      data: exactly({
        id: PostId,
        response: Type.Union([
          exactly({ type: Type.Literal('info'), payload: info }),
          exactly({ type: Type.Literal('action'), payload: action }),
          exactly({
            type: Type.Literal('error'),
            payload: Type.String({ description: 'The status and text of HTTP.', examples: ['429 Too Many Requests: …'] }),
          }),
        ]),
      }),
    }),
  },
  subscriptionResponse: {
    name: 'subscriptionResponse',
    summary: 'A subscription has begun, or ended. That of a private channel says at which `seq` it begins.',
    payload: Type.Union([
      response(words('subscribe', 'unsubscribe'), publicChannels),
      response(Type.Literal('subscribe'), privateChannels, { seq: Seq }),
      response(Type.Literal('unsubscribe'), privateChannels),
    ]),
  },
  error: {
    name: 'error',
    summary: 'A frame could not be read or done. The socket lives; a subscription is named by its JSON as it was sent.',
    payload: exactly({
      channel: Type.Literal('error'),
      data: Type.String({ examples: ['Already subscribed: {"type":"allMids"}'] }),
    }),
  },
} satisfies Messages;
