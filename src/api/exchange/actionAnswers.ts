// The venue's answers to actions as schemas: the published contract shows them, and the code that answers must fit
// them.
import { type TSchema, Type } from '@sinclair/typebox';
import { Address, Cloid, exactly, OrderId, WireDecimal, words } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';

/** The answer of an action that succeeded, with its data. */
const answered = <T extends TSchema>(name: string, type: string, data: T) =>
  ok(name, exactly({ type: Type.Literal(type), data: named(`${name}Data`, data) }));

const ok = <T extends TSchema>(name: string, response: T) =>
  named(`${name}Answer`, exactly({ status: Type.Literal('ok'), response: named(`${name}Response`, response) }));

export const Done = ok('Done', exactly({ type: Type.Literal('default') }));

/** The whole action is refused; nothing of it happened. */
export const Refused = named(
  'RefusedAnswer',
  exactly({
    status: Type.Literal('err'),
    response: Type.String({ description: 'Why, in the venue’s words.', examples: ['Orders are empty'] }),
  }),
);

const ErrorElement = named(
  'ElementError',
  exactly({
    error: Type.String({ description: 'Why, in the venue’s words.', examples: ['Order has zero size.'] }),
  }),
);

const ids = { oid: OrderId, cloid: Type.Optional(Cloid) };

/** Generators of clients read one of some words more surely than one of some constants. */
const WaitingOrder = named(
  'WaitingOrder',
  described(
    words('waitingForFill', 'waitingForTrigger'),
    '`waitingForFill`: waits for its parent. `waitingForTrigger`: waits for the mark price.',
  ),
);

export const OrderElement = named(
  'OrderResult',
  Type.Union([
    named('OrderResting', exactly({ resting: named('RestingOrder', exactly(ids)) }, { description: 'On the book.' })),
    named(
      'OrderFilled',
      exactly(
        {
          filled: named(
            'FilledOrder',
            exactly({
              totalSz: described(WireDecimal, 'Filled, coins; the rest, if any, is on the book or canceled.'),
              avgPx: WireDecimal,
              ...ids,
            }),
          ),
        },
        { description: 'Filled, whole or in part.' },
      ),
    ),
    WaitingOrder,
    ErrorElement,
  ]),
);

/** One element for each order, in their order. */
export const OrdersAnswer = answered('Orders', 'order', exactly({ statuses: Type.Array(OrderElement) }));

const CancelResult = named('CancelResult', Type.Union([named('Success', words('success')), ErrorElement]));

export const CancelsAnswer = answered('Cancels', 'cancel', exactly({ statuses: Type.Array(CancelResult) }));

export const TwapStarted = answered(
  'TwapOrder',
  'twapOrder',
  exactly({
    status: Type.Union([
      named('TwapRunning', exactly({ running: named('RunningTwap', exactly({ twapId: Type.Integer({ minimum: 0 }) })) })),
      ErrorElement,
    ]),
  }),
);

export const SubAccountCreated = answered(
  'SubAccount',
  'createSubAccount',
  described(Address, 'Address of the new sub-account.'),
);

export const TwapCanceled = answered('TwapCancel', 'twapCancel', exactly({ status: CancelResult }));
