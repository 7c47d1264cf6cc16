// The venue's answers to actions as schemas: the published contract shows them, and the code that answers must fit
// them.
import { type TSchema, Type } from '@sinclair/typebox';
import { Cloid, exactly, OrderId, WireDecimal } from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';

/** The answer of an action that succeeded, with its data. */
export const answered = (type: string, data: TSchema) =>
  exactly({ status: Type.Literal('ok'), response: exactly({ type: Type.Literal(type), data }) });

export const Done = exactly({ status: Type.Literal('ok'), response: exactly({ type: Type.Literal('default') }) });

/** The whole action is refused; nothing of it happened. */
export const Refused = exactly({
  status: Type.Literal('err'),
  response: Type.String({ description: 'Why, in the venue’s words.', examples: ['Orders are empty'] }),
});

const ErrorElement = exactly({
  error: Type.String({ description: 'Why, in the venue’s words.', examples: ['Order has zero size.'] }),
});

const ids = { oid: OrderId, cloid: Type.Optional(Cloid) };

export const OrderElement = Type.Union([
  exactly({ resting: exactly(ids) }, { description: 'On the book.' }),
  exactly(
    {
      filled: exactly({
        totalSz: described(WireDecimal, 'Filled, coins; the rest, if any, is on the book or canceled.'),
        avgPx: WireDecimal,
        ...ids,
      }),
    },
    { description: 'Filled, whole or in part.' },
  ),
  Type.Literal('waitingForFill', { description: 'Waits for its parent.' }),
  Type.Literal('waitingForTrigger', { description: 'Waits for the mark price.' }),
  ErrorElement,
]);

/** One element for each order, in their order. */
export const OrdersAnswer = answered('order', exactly({ statuses: Type.Array(OrderElement) }));

export const CancelsAnswer = answered(
  'cancel',
  exactly({ statuses: Type.Array(Type.Union([Type.Literal('success'), ErrorElement])) }),
);

export const TwapStarted = answered(
  'twapOrder',
  exactly({ status: Type.Union([exactly({ running: exactly({ twapId: Type.Integer({ minimum: 0 }) }) }), ErrorElement]) }),
);

export const TwapCanceled = answered('twapCancel', exactly({ status: Type.Union([Type.Literal('success'), ErrorElement]) }));
