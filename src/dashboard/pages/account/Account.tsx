// The page of the account: its money and terms, its limits, its logins and sessions, and its end.

import { useState } from 'preact/hooks';
import { forgetSession } from '../../api/browserSession.ts';
import type { SecondFactor as Factor, SessionList } from '../../api/contract.ts';
import { remove } from '../../api/http.ts';
import { Shown, useAnswer } from '../../parts/answers.tsx';
import { Dialog, Field } from '../../parts/Form.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { navigate } from '../../state/route.ts';
import { Limits } from './Limits.tsx';
import { EmailAddress, Password, SecondFactor } from './LoginFactors.tsx';
import { Money } from './Money.tsx';
import { AuditList, Sessions } from './Sessions.tsx';
import { Terms } from './Terms.tsx';

export default function Account() {
  const factor = useAnswer<Factor>('/v1/auth/totp');
  const sessions = useAnswer<SessionList>('/v1/auth/sessions');
  return (
    <Shell title="Account and security">
      <div class="columns">
        <section aria-labelledby="money">
          <h2 id="money">Money</h2>
          <Money />
        </section>
        <section aria-labelledby="email">
          <h2 id="email">E-mail address</h2>
          <EmailAddress />
          <h2>Password</h2>
          <Password onChanged={sessions.askAgain} />
        </section>
        <section aria-labelledby="factor">
          <h2 id="factor">Second factor</h2>
          <Shown asked={factor} lines={2}>
            {(body) => (
              <SecondFactor
                factor={body}
                onChanged={() => {
                  factor.askAgain();
                  sessions.askAgain();
                }}
              />
            )}
          </Shown>
        </section>
      </div>
      <section aria-labelledby="terms">
        <h2 id="terms">Fees and fills</h2>
        <Terms />
      </section>
      <section aria-labelledby="rules">
        <h2 id="rules">House rules</h2>
        <Limits />
      </section>
      <section aria-labelledby="sessions">
        <h2 id="sessions">Where you are logged in</h2>
        <Shown asked={sessions}>{({ sessions: all }) => <Sessions sessions={all} onChanged={sessions.askAgain} />}</Shown>
      </section>
      <section aria-labelledby="audit">
        <h2 id="audit">What was done to the account</h2>
        <AuditList />
      </section>
      <section aria-labelledby="end">
        <h2 id="end">Delete the account</h2>
        <DeleteAccount hasFactor={factor.answer?.body.enabled ?? false} />
      </section>
    </Shell>
  );
}

/** Deletes the user with all that is theirs. */
export function DeleteAccount({ hasFactor }: { readonly hasFactor: boolean }) {
  const [isAsked, setIsAsked] = useState(false);
  const deleteIt = async (data: FormData): Promise<void> => {
    const code = String(data.get('code') ?? '').replace(/\s/g, '');
    await remove('/v1/auth/account', { body: { password: String(data.get('password')), ...(code && { code }) } });
    forgetSession();
    navigate('/', { replaces: true });
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => setIsAsked(true)}>
        Delete the account
      </button>
      {isAsked && (
        <Dialog title="Delete the account?" act="Delete it" isDangerous onAct={deleteIt} onClose={() => setIsAsked(false)}>
          <p>
            Your login, all API keys, all positions, orders and history are deleted. What is paid for is lost. The e-mail address
            may register again, without a trial. This cannot be undone.
          </p>
          <Field name="password" label="Password" type="password" autocomplete="current-password" />
          {hasFactor && (
            <Field name="code" label="Code of your app, or a recovery code" autocomplete="one-time-code" isOptional />
          )}
        </Dialog>
      )}
    </>
  );
}
