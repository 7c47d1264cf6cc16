// May the account open anything more, by the limits that features set (docs/agents.md)? Asked of each order before every other check, and again
// where an order opens something later: a trigger that fires, a slice, a resting order that a trade reaches. An account without limits whose
// key has none pays a comparison.
import type { MarketView } from '../../../market/domain/marketView.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import type { Draft } from '../fold/draft.ts';
import type { Context, Opening } from '../fold/pipeline.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { Rejection } from '../messages/rejection.ts';
import type { KnownOrder } from './checkForm.ts';

/** The first limit that the opening is beyond. */
export function openingRefusal(account: Account, opening: Opening, context: Context): Rejection | undefined {
  if (account.house === undefined && context.key === undefined && opening.lossMaxUsd === undefined) return undefined;
  for (const { refusalOf } of context.pipeline.openings) {
    const refusal = refusalOf(account, opening, context);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/**
 * The same of an order that a client sends, asked where its key or the account has limits. Each limit that lets it pass counts it, also when
 * the next one does not.
 */
export function sentRefusal(draft: Draft, order: KnownOrder, context: Context): Rejection | undefined {
  const opening = sentOrder(order, context.market);
  for (const { refusalOf, counted } of context.pipeline.openings) {
    const refusal = refusalOf(draft.account, opening, context);
    if (refusal !== undefined) return refusal;
    const event = counted?.(context);
    if (event !== undefined) draft.record(event);
  }
  return undefined;
}

/** An order of a client as limits see it. */
export function sentOrder({ asset, request, size, limitPrice, triggerPrice }: KnownOrder, market: MarketView): Opening {
  const { side, reduceOnly } = request;
  const bid = side === 'sell' ? market.book(asset.id)?.bids[0]?.price : undefined;
  const prices = [limitPrice, triggerPrice, bid].filter((price) => price !== undefined);
  const highest = prices.length > 0 ? Decimal.max(...prices) : undefined;
  return { asset, reduceOnly, sent: { valueUsd: limitPrice && size && highest?.times(size) } };
}

/** Events that count a TWAP which limits have let pass. */
export const countedBy = (context: Context): AccountEvent[] =>
  context.key === undefined ? [] : context.pipeline.openings.flatMap(({ counted }) => counted?.(context) ?? []);

/** Events that note an opening in the coin. */
export const openedIn = (account: Account, coin: string, { pipeline }: Context): AccountEvent[] =>
  account.house === undefined ? [] : pipeline.openings.flatMap(({ opened }) => opened?.(account, coin) ?? []);

/** Why a key may not set this leverage, in words; undefined where it may. */
export function leverageLimit(leverage: number, context: Pick<Context, 'key' | 'pipeline'>): string | undefined {
  if (context.key === undefined) return undefined;
  for (const { leverageRefusal } of context.pipeline.openings) {
    const text = leverageRefusal?.(leverage, context);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Whether it is a limit of the key that has refused. */
export const isOfKey = ({ reason }: Rejection): boolean => reason.startsWith('key');

/** The limit of its key that an order remembers: the loss of a day at which it may open nothing more. */
export const lossLimitOf = ({ key }: Pick<Context, 'key'>): { readonly lossMaxUsd?: string } =>
  key?.dailyLossUsd === undefined ? {} : { lossMaxUsd: key.dailyLossUsd };
