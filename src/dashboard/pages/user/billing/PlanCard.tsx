// A plan with its price and what is in it.
import type { Plan } from '../../../api/contract.ts';
import { grouped, usd } from '../../../domain/numberText.ts';
import { Form } from '../../../parts/Form.tsx';

/** How long a payment lasts. */
export type Paid = 'month' | 'year';

interface Props {
  readonly plan: Plan;
  readonly period: Paid;
  /** The user has this one. */
  readonly isOwn: boolean;
  readonly onChoose: () => Promise<void>;
}

export function PlanCard({ plan, period, isOwn, onChoose }: Props) {
  const {
    id,
    price_usd: price,
    requests_per_minute: requests,
    max_api_keys: keys,
    balance_usd: balance,
    history_days: days,
  } = plan;
  return (
    <article class={isOwn ? 'card own' : 'card'} aria-label={`Plan ${id}`}>
      <h3 class="name">
        {id}
        {isOwn && <span class="quiet"> · your plan</span>}
      </h3>
      <p class="price">
        <b class="number">{usd(period === 'month' ? price : ofYear(price))} USD</b> a {period}
      </p>
      <ul>
        <li>{grouped(String(requests))} requests a minute</li>
        <li>
          {keys} API {keys === 1 ? 'key' : 'keys'}
        </li>
        <li>{usd(balance)} USD to begin with</li>
        <li>{days} days of history</li>
      </ul>
      <Form act={isOwn ? `Pay the next ${period}` : `Choose ${id}`} onSubmit={onChoose}>
        {null}
      </Form>
    </article>
  );
}

/** A year is twelve months, to the cent. A computed number; the invoice has the amount. */
const ofYear = (monthUsd: string): string => ((Math.round(Number(monthUsd) * 100) * 12) / 100).toFixed(2);
