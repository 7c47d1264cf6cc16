// The plan that holds, how far it is paid for, and the way to end it.
import { useState } from 'preact/hooks';
import type { Plan, Subscription } from '../../api/contract.ts';
import { post } from '../../api/http.ts';
import { grouped, usd } from '../../domain/texts.ts';
import { Dialog, Form } from '../../parts/Form.tsx';
import { End } from '../../parts/numbers.tsx';

const STATES: Readonly<Record<Subscription['status'], string>> = {
  trial: 'on trial',
  active: 'active',
  past_due: 'not paid, in its grace',
  expired: 'over: the account is read only',
};

export function YourPlan({ subscription, onChanged }: { readonly subscription: Subscription; readonly onChanged: () => void }) {
  const [isAsked, setIsAsked] = useState(false);
  const { plan, status, trial_expires_at: trialEnd, current_period_end: paidEnd, cancel_at_period_end: isEnding } = subscription;
  const cancel = async (): Promise<void> => {
    await post('/v1/billing/cancel', undefined);
    onChanged();
  };
  return (
    <>
      <dl class="figures">
        <div>
          <dt>Plan</dt>
          <dd class="name">{plan}</dd>
        </div>
        <div>
          <dt>State</dt>
          <dd>{STATES[status]}</dd>
        </div>
        <div>
          <dt>{paidEnd === null ? 'Trial until' : 'Paid until'}</dt>
          <dd>
            <End at={paidEnd ?? trialEnd} />
          </dd>
        </div>
      </dl>
      {isEnding && <p class="note">The subscription is canceled: it ends with what is paid for. Any payment renews it.</p>}
      {status === 'active' && !isEnding && (
        <p class="ways">
          <button type="button" onClick={() => setIsAsked(true)}>
            Cancel the subscription
          </button>
        </p>
      )}
      {isAsked && (
        <Dialog title="Cancel the subscription?" act="Cancel it" isDangerous onAct={cancel} onClose={() => setIsAsked(false)}>
          <p>
            You trade on until the end of what is paid for (<End at={paidEnd ?? trialEnd} />
            ). Then there is no further invoice, and the account is read only.
          </p>
        </Dialog>
      )}
    </>
  );
}

/** How long a payment lasts. */
export type Paid = 'month' | 'year';

interface Props {
  readonly plan: Plan;
  readonly period: Paid;
  /** The user has this one. */
  readonly isOwn: boolean;
  readonly onChoose: () => Promise<void>;
}

/** A plan with its price and what is in it. */
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
