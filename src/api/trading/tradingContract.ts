// `info` and `exchange` in the published contract: one schema for each type and action, told apart by `type`, with
// its answers.

import { type TSchema, Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { words } from '../contract/answerValues.ts';
import { componentOf, described, named, namedOr } from '../contract/named.ts';
import { SCHEMAS } from '../contract/published.ts';
import { ACTION, CHEAP } from '../domain/requestPrice.ts';
import { Refused } from '../exchange/actionAnswers.ts';
import { DryRunAnswer } from '../exchange/dryRun.ts';
import { actionContracts, envelope, priceOfAction, runAction } from '../exchange/runAction.ts';
import { refusedTypes } from '../exchange/withoutEffect.ts';
import { endpoint } from '../http/endpoint.ts';
import { allInfoTypes, answerInfo, priceOfInfo, weightOfRows } from '../info/answerInfo.ts';
import { answering } from './answering.ts';
import { byUse, firstActions } from './orderOfUse.ts';

export const capitalized = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
export const refTo = (name: string) => ({ $ref: SCHEMAS + name });

/** One kind of a request, and what answers it. Both are components, and the former names the latter as `x-answer`. */
interface Variant {
  readonly type: string;
  readonly request: TSchema;
  readonly answer: TSchema;
}

function variant(type: string, { request, answer }: { request: [string, TSchema]; answer: [string, TSchema] }): Variant {
  const [name, schema] = request;
  const told = namedOr(...answer);
  return { type, request: named(name, { ...schema, 'x-answer': refTo(nameOf(told)) }), answer: told };
}

function nameOf(schema: TSchema): string {
  const component = componentOf(schema);
  assert(component, 'requests and answers of trading have names');
  return component.name;
}

export const infoVariants: readonly Variant[] = allInfoTypes().map(({ type, about, schema, answers }) =>
  variant(type, {
    request: [`${capitalized(type)}Request`, described(schema, about)],
    answer: [`${capitalized(type)}Answer`, answers],
  }),
);

const actionVariants: readonly Variant[] = actionContracts().map(({ type, about, schema, published, answers }) =>
  variant(type, {
    request: [`${capitalized(type)}Action`, described(published ?? schema, about)],
    answer: [`${capitalized(type)}ActionAnswer`, answers],
  }),
);

const refused = variant('refused', {
  request: [
    'RefusedAction',
    Type.Object(
      { type: named('RefusedActionType', words(...refusedTypes)) },
      { description: 'Known and never done on a paper account: always refused.' },
    ),
  ],
  answer: ['RefusedActionAnswer', Refused],
});

/** Told apart by `type`. */
function byType(variants: readonly Variant[], more: Readonly<Record<string, Variant>> = {}): TSchema {
  const all = [...variants.map((one) => [one.type, one] as const), ...Object.entries(more)];
  return Type.Unsafe({
    oneOf: [...new Set(all.map(([, { request }]) => request))],
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(all.map(([type, { request }]) => [type, SCHEMAS + nameOf(request)])),
    },
  });
}

/** What takes any fields comes last: generated clients take the first that fits. */
function answersOf(variants: readonly Variant[], ...more: readonly TSchema[]): TSchema {
  const answers = [...new Map(variants.map(({ answer }) => [nameOf(answer), answer])).values(), ...more];
  const takesAnything = ({ type, required }: TSchema): boolean => type === 'object' && required === undefined;
  return Type.Unsafe({ anyOf: [...answers.filter((one) => !takesAnything(one)), ...answers.filter(takesAnything)] });
}

export const infoEndpoint = endpoint({
  id: 'info',
  method: 'post',
  path: '/v1/exchanges/:exchange/info',
  tag: 'Trading',
  summary: 'Market data and the state of the caller’s account.',
  description: 'The answer has no envelope: `x-answer` of each request type says which schema it has.',
  credential: 'either',
  scope: 'read',
  asks: ['trader', 'paid'],
  price: CHEAP,
  body: {
    schema: named('InfoRequest', byType(infoVariants)),
    examples: Object.fromEntries(byUse(allInfoTypes()).map(({ type, example }) => [type, example])),
  },
  answer: { about: 'What the type answers.', schema: named('InfoAnswer', answersOf(infoVariants)) },
  errors: {
    400: ['not_offered', 'unknown_coin', 'unknown_dex', 'unknown_margin_table', 'upstream_refused'],
    429: ['upstream_limited'],
    502: ['bad_gateway'],
    503: ['market_unavailable', 'upstream_unavailable', 'upstream_busy'],
  },
  handle: answering({
    name: 'info',
    scope: 'read',
    priceOf: priceOfInfo,
    weightOf: weightOfRows,
    answer: async (body, call, _services, { answers, tell }) => {
      const { data, first } = await answers.read((reading) => answerInfo(body, call, reading), { withHash: false });
      tell(first);
      return data;
    },
  }),
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
    'batch as `{error}` in its place. `x-answer` of each action says which schema its answer has beside the former. ' +
    'With `dryRun` nothing is done, and the answer is a `DryRunAnswer`.',
  credential: 'either',
  scope: 'trade',
  asks: ['trader', 'paid'],
  price: ACTION,
  body: {
    schema: Type.Object({
      ...envelope.properties,
      action: named('Action', byType(actionVariants, Object.fromEntries(refusedTypes.map((type) => [type, refused])))),
      nonce: described(Type.Optional(Type.Unknown()), 'Accepted and not looked at, as clients send it: milliseconds.'),
      signature: described(Type.Optional(Type.Unknown()), 'Accepted and not looked at: the API key says who is asking.'),
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
    schema: named('ExchangeAnswer', answersOf([refused, ...actionVariants], DryRunAnswer)),
  },
  errors: { 400: ['contradiction'], 502: ['bad_gateway'] },
  handle: answering({
    name: 'exchange',
    scope: 'trade',
    priceOf: priceOfAction,
    answer: runAction,
  }),
  isIdempotent: true,
  reachesAccount: true,
});
