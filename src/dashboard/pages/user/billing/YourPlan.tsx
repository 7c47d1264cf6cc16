// The plan that holds, how far it is paid for, and the way to end it.
import { useState } from 'preact/hooks';
import type { Subscription } from '../../../api/contract.ts';
import { post } from '../../../api/http.ts';
import { Dialog } from '../../../parts/Dialog.tsx';
import { End } from '../../../parts/numbers.tsx';

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
