// `explainOrder`: the last status of an order, each of its fills with its evidence, and, while it is open, the condition it waits for. Beside
// them stand the draws of a failure lab (docs/failure-lab.md). A type of this exchange, not of the venue.
import { Type } from '@sinclair/typebox';
import { statusOfOpen } from '../../actors/core/account/ownOrders.ts';
import type { OrderRow } from '../../actors/core/messages/historyRows.ts';
import type { OrderNote } from '../../actors/core/messages/labNote.ts';
import type { OrderStatus } from '../../actors/core/messages/order.ts';
import type { ExplainOpenOrderView, OpenReason } from '../../actors/core/messages/ownMarket.ts';
import { REJECTIONS } from '../../actors/core/messages/rejection.ts';
import { LAB_FAULTS } from '../../shared/domain/labProfile.ts';
import { ExplainedFill, queueText, toExplainedFill } from '../account/fillEvidence.ts';
import { FillModelWord } from '../account/termsFields.ts';
import { askAccount, pastOf } from '../accounts/services.ts';
import {
  type AnswerFor,
  ApiKeyId,
  Count,
  EpochMs,
  exactly,
  OrderId,
  orNull,
  WireDecimal,
  words,
} from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { StatusChange, UnknownOrder } from '../contract/venueForms.ts';
import { HEAVY_QUESTION } from '../domain/requestPrice.ts';
import { toStatusChange } from '../domain/wireOrders.ts';
import { wireNumber } from '../domain/wireText.ts';
import { rowsBetween } from './accountRows.ts';
import { accountType, askedUser } from './infoType.ts';
import { OidField, toTarget } from './orders.ts';

const Ms = orNull(Count);

const LabDraw = named(
  'LabDraw',
  exactly({
    act: described(named('LabAct', words('place', 'modify', 'cancel')), 'What the request did to the order, or tried to do.'),
    keyId: ApiKeyId,
    number: described(Count, 'Of the request among those that the profile has drawn for, from 1 on.'),
    time: described(EpochMs, 'When the request came.'),
    draw: described(Type.Number(), 'In [0, 1): decides about faults.'),
    fault: orNull(named('LabFault', words(...LAB_FAULTS))),
    delayMs: described(Ms, 'How long the action waited in the account before it was decided.'),
    answerMs: described(Ms, 'How long its answer was held back.'),
    script: orNull(
      named(
        'LabOrderScript',
        exactly({
          cloidPrefix: described(orNull(Type.String()), 'null: `partialFill` was drawn.'),
          draw: described(orNull(Type.Number()), 'The draw of `partialFill`.'),
          refuse: orNull(Type.String()),
          fillPercent: orNull(Count),
          fillAfterMs: Ms,
          neverFill: Type.Boolean(),
        }),
      ),
    ),
  }),
);

const toLabDraw = ({ act, key, number, atMs, draw, fault, delayMs, answerMs, script }: OrderNote): AnswerFor<typeof LabDraw> => ({
  ...{ act, keyId: key, number, time: atMs, draw, fault: fault ?? null, delayMs: delayMs ?? null, answerMs: answerMs ?? null },
  script: script
    ? {
        cloidPrefix: script.prefix ?? null,
        draw: script.draw ?? null,
        refuse: script.refuse ?? null,
        fillPercent: script.fillPercent ?? null,
        fillAfterMs: script.holdMs ?? null,
        neverFill: script.holdMs === null,
      }
    : null,
});

/** How many fills of the account, from the order's placement on, are searched for the order's own. */
const FILLS_LOOKED_AT = 10_000;

const OrNullDecimal = orNull(WireDecimal);

const WhyOpen = named(
  'WhyOpen',
  exactly({
    reason: named(
      'OpenReason',
      words<OpenReason>(
        'staleMarket',
        'alreadyTaken',
        'outOfSight',
        'inQueue',
        'frontOfQueue',
        'waitsForBeyond',
        'waitsForMark',
        'waitsForParent',
        'firedIntoTaken',
        'firedBeyondShown',
        'heldByLab',
      ),
    ),
    text: Type.String(),
    queueAhead: orNull(Type.String()),
    fillModel: described(orNull(FillModelWord), 'Under which it was accepted (rule 3.6); null: it does not rest.'),
    acceptedTime: orNull(EpochMs),
    acceptedTick: orNull(Type.String()),
    oppositeAtLimit: orNull(named('OppositeAtLimit', exactly({ displayedSz: WireDecimal, consumedBefore: WireDecimal }))),
    trigger: orNull(
      named(
        'PendingTrigger',
        exactly({
          triggerPx: WireDecimal,
          firesWhenMark: named('TriggerDirection', words('above', 'below')),
          parentOid: orNull(OrderId),
        }),
      ),
    ),
    bookTime: orNull(EpochMs),
    bookVersion: orNull(Count),
    bbo: Type.Array(OrNullDecimal, { minItems: 2, maxItems: 2 }),
    markPx: OrNullDecimal,
  }),
);

const WhyEnded = named('WhyEnded', exactly({ text: Type.String(), gaveWayTo: orNull(OrderId) }));

const CONTRACT = {
  about:
    'What became of an order, each of its fills with its evidence, what it waits for while it is open, and why the exchange ended it.',
  price: HEAVY_QUESTION,
  fields: { oid: OidField },
  answers: Type.Union([
    UnknownOrder,
    named(
      'ExplainedOrder',
      exactly({
        status: Type.Literal('order'),
        order: StatusChange,
        requestedSz: described(WireDecimal, 'As asked for. `origSz` is less where a reduce-only order was cut to the position.'),
        fills: Type.Array(ExplainedFill),
        open: orNull(WhyOpen),
        ended: orNull(WhyEnded),
        lab: described(
          Type.Array(LabDraw),
          'Draws of the failure lab of a key that concern it, in the order in which they came.',
        ),
      }),
    ),
  ]),
  example: { oid: 16_000_003 },
};

export const explainOrder = accountType('explainOrder', CONTRACT, async (request, call, services) => {
  const target = toTarget(request.oid);
  const { why } = await askAccount(call, services, { kind: 'whyOpen', target });
  const row: OrderRow | undefined = why
    ? { order: why.order, status: statusOfOpen(why.order), timeMs: why.fired?.timeMs ?? why.order.placedAtMs }
    : await services.history.findOrder(pastOf(call), target);
  if (row === undefined) return { status: 'unknownOid' as const };

  const { order, timeMs } = row;
  const period = { startMs: order.placedAtMs, endMs: why ? Number.MAX_SAFE_INTEGER : timeMs, limit: FILLS_LOOKED_AT };
  const [fills, sliceFills] = await Promise.all([
    rowsBetween(call, services, { kind: 'fills', ...period }),
    rowsBetween(call, services, { kind: 'twapFills', ...period }),
  ]);
  return {
    status: 'order' as const,
    order: toStatusChange(row),
    requestedSz: wireNumber(order.requestedSize ?? order.originalSize),
    fills: [...fills, ...sliceFills]
      .filter((fill) => fill.oid === order.oid)
      .map((fill) => toExplainedFill(fill, askedUser(request, call))),
    open: why ? toOpen(why) : null,
    ended: toEnded(row),
    lab: (order.lab ?? []).map(toLabDraw),
  };
});

/** Why the exchange ended an order that was open; other ends say enough by their status. */
const END_TEXTS: Partial<Readonly<Record<OrderStatus, string>>> = {
  marginCanceled: 'The free margin did not carry its fill when the market reached it.',
  openInterestCapCanceled:
    'The coin’s open interest was at its cap, and the fill would have opened a position beyond the oracle price.',
  selfTradeCanceled: 'Another order of the account would have traded with it.',
  reduceOnlyCanceled:
    'Nothing was left for it to reduce: the position was closed or turned, or newer reduce-only orders hold what is left of it.',
  siblingFilledCanceled: 'Another order of its TP/SL group has filled.',
  scheduledCancel: 'The scheduled cancel has fired.',
  liquidatedCanceled: 'The account was liquidated.',
  delistedCanceled: 'The venue has taken the coin off its list.',
};

function toEnded({ status, gaveWayTo }: OrderRow) {
  if (gaveWayTo !== undefined) {
    const text = `Resting reduce-only orders hold no more than the position together: it gave way to the newer order ${gaveWayTo}.`;
    return { text, gaveWayTo };
  }
  const text = END_TEXTS[status] ?? refusalText(status);
  return text === undefined ? null : { text, gaveWayTo: null };
}

/** What the bot was told, without the numbers, which are not kept; undefined where one status stands for several reasons. */
function refusalText(status: OrderStatus): string | undefined {
  const [text, other] = Object.values(REJECTIONS).flatMap((reason) => (reason.status === status ? [reason.text] : []));
  return other === undefined ? text?.replace(', bbo was {bid}@{ask}', '').replace(' asset={asset}', '') : undefined;
}

const TEXTS: Readonly<Record<OpenReason, string>> = {
  staleMarket: 'The market data of this coin is too old: nothing fills until it is heard of again.',
  alreadyTaken:
    'The book displays size at the limit, but not for this order: the account has taken it already, or it is not newer than the order. What was taken comes back as the level grows, as others trade at its price, and by half each 30 s at newer books.',
  outOfSight: 'The limit is beyond the visible levels: the queue there counts once its price is shown.',
  inQueue:
    'Others stand before the order at its price: trades there fill them first. A trade beyond the limit fills the order at once.',
  frontOfQueue: 'Nobody stands before the order: the next trade at its limit or beyond fills it.',
  waitsForBeyond: 'Its fill model is pessimistic: a trade or a book beyond the limit fills the order, and none at it.',
  waitsForMark: 'The mark price has not reached the trigger. Trades and the mid price do not fire it.',
  heldByLab: 'A script of the failure lab holds it: nothing fills it meanwhile.',
  waitsForParent: 'The order that it protects has not filled completely.',
  firedIntoTaken:
    'It has fired, and the book showed size inside its limit that the account had taken before. It tries each newer book with what is left, and ends at the first without any size inside its limit.',
  firedBeyondShown:
    'It has fired, and its limit lies beyond the levels that are shown, where there may be more. It tries each newer book with what is left, and ends at the first without any size inside its limit.',
};

function toOpposite(queue: ExplainOpenOrderView['queue'], fired: ExplainOpenOrderView['fired']) {
  if (queue) return { displayedSz: wireNumber(queue.displayedAtLimit), consumedBefore: wireNumber(queue.consumedAtLimit) };
  return fired ? { displayedSz: wireNumber(fired.displayed), consumedBefore: wireNumber(fired.consumed) } : null;
}

const toOpen = ({ reason, age, queue, trigger, ...why }: ExplainOpenOrderView) => ({
  reason,
  text: age === undefined ? TEXTS[reason] : `${TEXTS[reason]} (${age})`,
  queueAhead: queue ? queueText(queue.ahead) : null,
  fillModel: queue?.model ?? null,
  acceptedTime: queue?.acceptedFeedTimeMs ?? null,
  acceptedTick: queue?.acceptedTick ?? null,
  oppositeAtLimit: toOpposite(queue, why.fired),
  trigger: trigger
    ? { triggerPx: wireNumber(trigger.price), firesWhenMark: trigger.firesWhen, parentOid: trigger.parentOid ?? null }
    : null,
  bookTime: why.bookTimeMs ?? null,
  bookVersion: why.bookVersion ?? null,
  bbo: [why.bestBid, why.bestAsk].map((price) => (price === null ? null : wireNumber(price))),
  markPx: why.markPrice === null ? null : wireNumber(why.markPrice),
});
