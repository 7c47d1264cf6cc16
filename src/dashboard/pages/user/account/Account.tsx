// The account as its owner governs it: its money, who may enter it, what was done to it, and its end.

import type { SecondFactor as Factor, SessionList } from '../../../api/contract.ts';
import { Shell } from '../../../parts/Shell.tsx';
import { Shown } from '../../../parts/states.tsx';
import { useAnswer } from '../../../parts/useAnswer.ts';
import { AuditList } from './AuditList.tsx';
import { DeleteAccount } from './DeleteAccount.tsx';
import { EmailAddress } from './EmailAddress.tsx';
import { HouseRules } from './HouseRules.tsx';
import { Money } from './Money.tsx';
import { Password } from './Password.tsx';
import { SecondFactor } from './SecondFactor.tsx';
import { Sessions } from './Sessions.tsx';
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
        <HouseRules />
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
