// Runs an action dry: the action's own code translates it and its outcome, and only its command goes another way, to the account as a
// question. So nothing is done, no Idempotency-Key is remembered, and the answer has the words of the real one.

import { Type } from '@sinclair/typebox';
import type { AccountCommand, TriedCommand } from '../../actors/core/messages/command.ts';
import type { DryRunFigures, DryRunView } from '../../actors/core/messages/commandOutcome.ts';
import { assert } from '../../shared/domain/assert.ts';
import { queueText } from '../account/fillEvidence.ts';
import type { AccountGateway } from '../accounts/accountGateway.ts';
import { type AnswerFor, CoinName, Count, EpochMs, exactly, OrderId, orNull, WireDecimal } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { Position, SideLetter } from '../contract/venueForms.ts';
import { wireNumber, wireSide } from '../domain/wireText.ts';
import { toPosition } from '../info/clearinghouseState.ts';
import { CancelsAnswer, Done, OrdersAnswer, Refused } from './actionAnswers.ts';
import { type ActionAnswer, type ActionContext, refusal } from './actionType.ts';

/** The commands that a question can carry. */
const TRIED: { readonly [Type in TriedCommand['type']]: true } = {
  placeOrders: true,
  cancelOrders: true,
  modifyOrders: true,
  updateLeverage: true,
  updateIsolatedMargin: true,
  topUpIsolatedMargin: true,
};

/** Actions that can be run dry: each becomes one of these commands. */
export const DRY_RUN_TYPES: ReadonlySet<string> = new Set([
  ...['order', 'modify', 'batchModify', 'cancel', 'cancelByCloid'],
  ...['updateLeverage', 'updateIsolatedMargin', 'topUpIsolatedOnlyMargin'],
]);

export const dryRunRefusal = (type: string): ActionAnswer =>
  refusal(`Action ${type} has no dry run. These have one: ${[...DRY_RUN_TYPES].join(', ')}.`);

/** No failure lab has a part in it: it only asks. @throws {RequestError} as the action's `run` does */
export async function runDry(
  run: (context: ActionContext) => Promise<ActionAnswer> | ActionAnswer,
  context: ActionContext,
): Promise<ActionAnswer> {
  const { services } = context;
  let seen: (DryRunView & { readonly seq: number }) | undefined;
  const gateway: AccountGateway = {
    ...services.gateway,
    send: async (accountId, command, { idempotency: _, ...options }) => {
      assert(isTried(command), `${command.type} cannot be run dry`);
      const { answer, seq } = await services.gateway.ask(accountId, { kind: 'dryRun', command }, options);
      seen = { ...answer.dryRun, seq };
      return seen.outcome;
    },
  };
  const { lab: _none, ...call } = context.call;
  const answer = await run({ ...context, call, services: { ...services, gateway } });
  return { status: 'ok', response: { type: 'dryRun', data: { answer, effect: seen ? toEffect(seen) : null } } };
}

const isTried = (command: AccountCommand): command is TriedCommand => Object.hasOwn(TRIED, command.type);

// The answer to a dry run: the answer that the action would get, in the venue's form, and the change that it would make. An addition of
// this exchange.

const Execution = named(
  'DryRunExecution',
  exactly(
    {
      oid: described(OrderId, 'The next free id; it is not reserved.'),
      coin: CoinName,
      side: SideLetter,
      sz: WireDecimal,
      avgPx: WireDecimal,
      ntl: described(WireDecimal, 'Price times size, USD.'),
      fee: described(WireDecimal, 'As a taker, USD.'),
      closedPnl: WireDecimal,
      slippageBps: described(
        orNull(WireDecimal),
        'From the middle of the book to the average price, hundredths of a percent, > 0 to the order’s disadvantage.',
      ),
      levels: Type.Array(
        named(
          'DryRunLevel',
          exactly({
            px: WireDecimal,
            displayedSz: described(WireDecimal, 'What the book shows.'),
            consumedSz: described(WireDecimal, 'What of it the account has taken before and does not find again.'),
            sz: described(WireDecimal, 'What the order would take.'),
          }),
        ),
      ),
    },
    { description: 'All that one order would be filled at once.' },
  ),
);

const Resting = named(
  'DryRunResting',
  exactly({
    oid: OrderId,
    coin: CoinName,
    side: SideLetter,
    limitPx: WireDecimal,
    sz: WireDecimal,
    makerFee: described(WireDecimal, 'When all of it has filled, USD.'),
    queueAhead: described(Type.String({ examples: ['12.5'] }), 'Coins before it at its price, or `unknown`.'),
  }),
);

const Figures = named(
  'DryRunFigures',
  exactly({
    accountValue: WireDecimal,
    totalNtlPos: WireDecimal,
    totalRawUsd: WireDecimal,
    totalMarginUsed: WireDecimal,
    crossMaintenanceMarginUsed: WireDecimal,
    withdrawable: WireDecimal,
    freeMargin: described(WireDecimal, 'What new orders may still use; negative when margin was lost.'),
  }),
);

const Coin = named(
  'DryRunCoin',
  exactly({
    coin: CoinName,
    leverage: described(
      named('DryRunLeverage', exactly({ type: Type.Union([Type.Literal('cross'), Type.Literal('isolated')]), value: Count })),
      'In force after.',
    ),
    before: orNull(Position),
    after: orNull(Position),
    markPx: orNull(WireDecimal),
    markTime: orNull(EpochMs),
    midPx: described(orNull(WireDecimal), 'Middle of the best bid and ask.'),
    bookTime: orNull(EpochMs),
    bookVersion: orNull(Count),
    stale: described(orNull(Type.String()), 'How old the data is, where it is too old to trade on.'),
  }),
);

const Effect = named(
  'DryRunEffect',
  exactly({
    seq: described(Count, 'Journal entry of the account that it starts from.'),
    time: EpochMs,
    executions: Type.Array(Execution),
    resting: described(Type.Array(Resting), 'Orders that would come to rest on the book.'),
    ends: described(
      Type.Array(
        named('DryRunEnd', exactly({ oid: OrderId, coin: CoinName, status: Type.String({ examples: ['reduceOnlyCanceled'] }) })),
      ),
      'Open orders that would end.',
    ),
    liquidated: described(Type.Boolean(), 'The action would end in a liquidation.'),
    before: Figures,
    after: Figures,
    coins: described(Type.Array(Coin), 'The coins that the action names, and those whose position would change.'),
  }),
);

export const DryRunAnswer = named(
  'DryRunAnswer',
  exactly({
    status: Type.Literal('ok'),
    response: named(
      'DryRunResponse',
      exactly({
        type: Type.Literal('dryRun'),
        data: named(
          'DryRunData',
          exactly({
            answer: described(
              named('DryRunActionAnswer', Type.Union([OrdersAnswer, CancelsAnswer, Done, Refused])),
              'What the action would be answered.',
            ),
            effect: described(orNull(Effect), 'null where the action is refused before the account has looked at it.'),
          }),
        ),
      }),
    ),
  }),
);

/** @param dryRun.seq the account's newest entry */
function toEffect({ seq, ...dryRun }: DryRunView & { readonly seq: number }): AnswerFor<typeof Effect> {
  const { timeMs, executions, resting, ends, isLiquidated, before, after, coins } = dryRun;
  return {
    seq,
    time: timeMs,
    executions: executions.map(({ oid, coin, side, size, averagePrice, notional, fee, closedPnl, slippageBps, levels }) => ({
      oid,
      coin,
      side: wireSide(side),
      sz: wireNumber(size),
      avgPx: wireNumber(averagePrice),
      ntl: wireNumber(notional),
      fee: wireNumber(fee),
      closedPnl: wireNumber(closedPnl),
      slippageBps: slippageBps === null ? null : wireNumber(slippageBps),
      levels: levels.map(({ price, displayed, consumed, size: taken }) => ({
        px: wireNumber(price),
        displayedSz: wireNumber(displayed),
        consumedSz: wireNumber(consumed),
        sz: wireNumber(taken),
      })),
    })),
    resting: resting.map(({ oid, coin, side, limitPrice, size, makerFee, ahead }) => ({
      oid,
      coin,
      side: wireSide(side),
      limitPx: wireNumber(limitPrice),
      sz: wireNumber(size),
      makerFee: wireNumber(makerFee),
      queueAhead: queueText(ahead),
    })),
    ends,
    liquidated: isLiquidated,
    before: toFigures(before),
    after: toFigures(after),
    coins: coins.map((one) => ({
      coin: one.coin,
      leverage: one.leverage,
      before: one.before === undefined ? null : toPosition(one.before),
      after: one.after === undefined ? null : toPosition(one.after),
      markPx: numberOrNull(one.markPrice),
      markTime: one.markTimeMs,
      midPx: numberOrNull(one.midPrice),
      bookTime: one.bookTimeMs,
      bookVersion: one.bookVersion,
      stale: one.staleAge ?? null,
    })),
  };
}

const toFigures = ({ marginSummary, crossMaintenanceMarginUsed, withdrawable, freeMargin }: DryRunFigures) => ({
  accountValue: wireNumber(marginSummary.accountValue),
  totalNtlPos: wireNumber(marginSummary.totalNotional),
  totalRawUsd: wireNumber(marginSummary.totalRawUsd),
  totalMarginUsed: wireNumber(marginSummary.totalMarginUsed),
  crossMaintenanceMarginUsed: wireNumber(crossMaintenanceMarginUsed),
  withdrawable: wireNumber(withdrawable),
  freeMargin: wireNumber(freeMargin),
});

const numberOrNull = (text: string | null): string | null => (text === null ? null : wireNumber(text));
