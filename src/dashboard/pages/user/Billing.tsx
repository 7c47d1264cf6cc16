// The plan of the user: the end of the paid time, the plans on offer, and the invoices. Payers come back here from the provider.
import { useState } from 'preact/hooks';
import { ApiError } from '../../api/answer.ts';
import type { Discount, Invoice, InvoicePage, Plan, PlanList, Subscription } from '../../api/contract.ts';
import { post } from '../../api/http.ts';
import { grouped, usd } from '../../domain/texts.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { Pager } from '../../parts/DataTable.tsx';
import { Dialog, Field, Form } from '../../parts/Form.tsx';
import { End } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { resumeWhenPaid } from '../../state/expiredAccount.ts';
import { address, navigate } from '../../state/route.ts';
import { InvoiceTable, InvoiceWatch } from './Invoices.tsx';

export default function Billing() {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const query = new URLSearchParams({ limit: '20', ...(cursor && { cursor }) });
  const subscription = useAnswer<Subscription>('/v1/billing/subscription');
  const plans = useAnswer<PlanList>('/v1/billing/plans');
  const invoices = useAnswer<InvoicePage>(`/v1/billing/invoices?${query}`);
  const [period, setPeriod] = useState<Paid>('month');
  const [lesser, setLesser] = useState<Plan>();
  const watched = new URLSearchParams(address.value.replace(/^[^?]*/, '')).get('invoice');

  const order = async (plan: Plan, confirms: boolean): Promise<void> => {
    const wish = { plan: plan.id, period, ...(confirms && { confirm_data_loss: true }) };
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const { body } = await post<Invoice>('/v1/billing/subscribe', wish, { headers });
    invoices.askAgain();
    navigate(`/billing?invoice=${body.id}`);
  };
  const choose = async (plan: Plan): Promise<void> => {
    try {
      await order(plan, false);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'confirm_data_loss') throw error;
      setLesser(plan);
    }
  };
  const onPaid = (): void => {
    subscription.askAgain();
    invoices.askAgain();
    resumeWhenPaid().catch(console.warn);
  };
  return (
    <Shell title="Plan and invoices">
      {watched !== null && <InvoiceWatch key={watched} id={watched} onPaid={onPaid} />}
      <section aria-labelledby="plan">
        <h2 id="plan">Your plan</h2>
        <Shown asked={subscription} lines={2}>
          {(body) => <YourPlan subscription={body} onChanged={subscription.askAgain} />}
        </Shown>
      </section>
      <section aria-labelledby="plans">
        <div class="row">
          <h2 id="plans">Plans</h2>
          <fieldset class="tabs">
            <legend class="unseen">Paid by the</legend>
            {(['month', 'year'] as const).map((one) => (
              <button key={one} type="button" aria-pressed={one === period} onClick={() => setPeriod(one)}>
                by the {one}
              </button>
            ))}
          </fieldset>
        </div>
        <Shown asked={plans}>
          {({ plans: all }) => (
            <div class="cards">
              {all.map((plan) => (
                <PlanCard
                  key={plan.id}
                  plan={plan}
                  period={period}
                  isOwn={subscription.answer?.body.plan === plan.id && subscription.answer.body.current_period_end !== null}
                  onChoose={() => choose(plan)}
                />
              ))}
            </div>
          )}
        </Shown>
        <DiscountForm />
      </section>
      <section aria-labelledby="invoices">
        <h2 id="invoices">Invoices</h2>
        <Shown asked={invoices}>
          {({ items, next_cursor: next }) => (
            <InvoiceTable invoices={items}>
              <Pager
                {...(cursors.length > 0 && { onNewer: () => setCursors(cursors.slice(0, -1)) })}
                {...(next !== null && { onOlder: () => setCursors([...cursors, next]) })}
              />
            </InvoiceTable>
          )}
        </Shown>
      </section>
      {lesser && (
        <Dialog
          title={`Change to ${lesser.id}?`}
          act={`Change to ${lesser.id}`}
          isDangerous
          onAct={() => order(lesser, true)}
          onClose={() => setLesser(undefined)}
        >
          <p>This plan keeps {lesser.history_days} days of history. Older fills, orders and payments are removed, for good.</p>
        </Dialog>
      )}
    </Shell>
  );
}

/** Reserves one use of a code for the next invoice. */
function DiscountForm() {
  const [reserved, setReserved] = useState<Discount>();
  const apply = async (data: FormData): Promise<void> => {
    const { body } = await post<Discount>('/v1/billing/discount/apply', { code: String(data.get('code')).trim() });
    setReserved(body);
  };
  if (reserved !== undefined) {
    const { code, kind, value, applies_to: scope } = reserved;
    return (
      <p class="note" role="status">
        {code}: {value}
        {kind === 'percent' ? ' %' : ' USD'} off{' '}
        {scope === 'first' ? 'your next invoice' : 'your next invoice and all later ones'}.
      </p>
    );
  }
  return (
    <Form act="Apply" onSubmit={apply}>
      <Field name="code" label="Discount code" autocomplete="off" />
    </Form>
  );
}

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
