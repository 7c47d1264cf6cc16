// `info` and `exchange` in the published contract: one schema for each type and action, told apart by `type`, with
// its answers.
import { type TSchema, Type } from '@sinclair/typebox';
import { described } from '../contract/described.ts';
import { type Endpoint, endpoint } from '../contract/endpoint.ts';
import { Refused } from '../exchange/actionAnswers.ts';
import { refusedTypes } from '../exchange/refusedActions.ts';
import { actionContracts, envelope } from '../exchange/runAction.ts';
import { allInfoTypes } from '../info/answerInfo.ts';
import { byUse, firstActions } from './orderOfUse.ts';

const PLACE = '#/components/schemas/';

const nameOf = (type: string): string => type.slice(0, 1).toUpperCase() + type.slice(1);
export const refTo = (name: string) => ({ $ref: PLACE + name });

/** One variant of a request: its schema is a component, and says which component answers it. */
interface Variant {
  readonly type: string;
  readonly request: string;
  readonly answer: string;
}

export const infoVariants: readonly Variant[] = allInfoTypes().map(({ type }) => ({
  type,
  request: `${nameOf(type)}Request`,
  answer: `${nameOf(type)}Answer`,
}));

const actionVariants: readonly Variant[] = actionContracts().map(({ type }) => ({
  type,
  request: `${nameOf(type)}Action`,
  answer: `${nameOf(type)}ActionAnswer`,
}));

const REFUSED_ACTION = 'RefusedAction';
const REFUSED_ANSWER = 'RefusedActionAnswer';

/** Schemas by their names in the contract. */
export const tradingComponents: Readonly<Record<string, TSchema>> = {
  ...Object.fromEntries(
    allInfoTypes().flatMap(({ type, about, schema, answers }) => [
      [`${nameOf(type)}Request`, { ...schema, description: about, 'x-answer': refTo(`${nameOf(type)}Answer`) }],
      [`${nameOf(type)}Answer`, answers],
    ]),
  ),
  ...Object.fromEntries(
    actionContracts().flatMap(({ type, about, schema, published, answers }) => [
      [
        `${nameOf(type)}Action`,
        { ...(published ?? schema), description: about, 'x-answer': refTo(`${nameOf(type)}ActionAnswer`) },
      ],
      [`${nameOf(type)}ActionAnswer`, answers],
    ]),
  ),
  [REFUSED_ACTION]: {
    ...Type.Object({ type: Type.Unsafe<string>({ type: 'string', enum: [...refusedTypes] }) }),
    description: 'Known and never done on a paper account: always refused.',
    'x-answer': refTo(REFUSED_ANSWER),
  },
  [REFUSED_ANSWER]: Refused,
};

function byType(variants: readonly Variant[], more: Readonly<Record<string, string>> = {}): TSchema {
  const mapping = Object.fromEntries(variants.map(({ type, request }) => [type, PLACE + request]));
  const requests = [...variants.map(({ request }) => request), ...new Set(Object.values(more))];
  return Type.Unsafe({
    oneOf: requests.map(refTo),
    discriminator: {
      propertyName: 'type',
      mapping: { ...mapping, ...Object.fromEntries(Object.entries(more).map(([type, name]) => [type, PLACE + name])) },
    },
  });
}

const anyOf = (names: readonly string[]): TSchema => Type.Unsafe({ anyOf: [...new Set(names)].map(refTo) });

export const infoEndpoint = endpoint({
  id: 'info',
  method: 'post',
  path: '/v1/exchanges/:exchange/info',
  tag: 'Trading',
  summary: 'Market data and the state of the caller’s account.',
  description: 'The answer has no envelope: `x-answer` of each request type says which schema it has.',
  credential: 'either',
  body: {
    schema: byType(infoVariants),
    examples: Object.fromEntries(byUse(allInfoTypes()).map(({ type, example }) => [type, example])),
  },
  answer: { about: 'What the type answers.', schema: anyOf(infoVariants.map(({ answer }) => answer)) },
  errors: {
    401: ['invalid_api_key'],
    400: ['not_offered', 'unknown_coin', 'unknown_dex', 'unknown_margin_table', 'upstream_refused'],
    429: ['upstream_limited'],
    503: ['market_unavailable', 'upstream_unavailable', 'upstream_busy'],
  },
  isForPayers: true,
  reachesAccount: true,
});

export const exchangeEndpoint = endpoint({
  id: 'exchange',
  method: 'post',
  path: '/v1/exchanges/:exchange/exchange',
  tag: 'Trading',
  summary: 'Places, changes and cancels orders, and sets leverage and margin.',
  description:
    'What the rules refuse is an answer with status 200: the whole action as `{status: "err", response}`, one element of a ' +
    'batch as `{error}` in its place. `x-answer` of each action says which schema its answer has beside the former.',
  credential: 'either',
  body: {
    schema: Type.Object({
      ...envelope.properties,
      action: byType(actionVariants, Object.fromEntries(refusedTypes.map((type) => [type, REFUSED_ACTION]))),
      nonce: described(Type.Optional(Type.Unknown()), 'Accepted and not looked at, as clients send it: milliseconds.'),
      signature: described(Type.Optional(Type.Unknown()), 'Accepted and not looked at: the API key says who is asking.'),
      vaultAddress: described(Type.Optional(Type.Unknown()), 'Accepted and not looked at.'),
    }),
    examples: Object.fromEntries(
      Object.entries({
        ...firstActions,
        ...Object.fromEntries(actionContracts().map(({ type, example }) => [type, example])),
      }).map(([name, action]) => [name, { action, nonce: 1_795_262_400_000 }]),
    ),
  },
  answer: {
    about: 'What became of the action.',
    schema: anyOf([REFUSED_ANSWER, ...actionVariants.map(({ answer }) => answer)]),
  },
  errors: { 401: ['invalid_api_key'] },
  isIdempotent: true,
  isForPayers: true,
  reachesAccount: true,
});

export const tradingEndpoints: readonly Endpoint[] = [infoEndpoint, exchangeEndpoint];
