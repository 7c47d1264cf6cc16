// The factors of a login: the second factor with its recovery codes, the e-mail address and the password.

import { useState } from 'preact/hooks';
import { failureText } from '../../api/answer.ts';
import { take } from '../../api/browserSession.ts';
import type { SecondFactor as Factor, RecoveryCodes, TotpSecret } from '../../api/contract.ts';
import { post, remove } from '../../api/http.ts';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { Dialog, Field, Form } from '../../parts/Form.tsx';
import { Moment } from '../../parts/numbers.tsx';
import { user } from '../../state/chosenAccount.ts';

interface Props {
  readonly factor: Factor;
  readonly onChanged: () => void;
}

export function SecondFactor({ factor, onChanged }: Props) {
  const [codes, setCodes] = useState<readonly string[]>();
  return (
    <>
      {codes !== undefined && <Codes codes={codes} />}
      {factor.enabled ? (
        <IsOn factor={factor} onChanged={onChanged} onCodes={setCodes} />
      ) : (
        <IsOff onChanged={onChanged} onCodes={setCodes} />
      )}
    </>
  );
}

/** Recovery codes, shown this one time. */
function Codes({ codes }: { readonly codes: readonly string[] }) {
  return (
    <div class="once" role="status">
      <p>Recovery codes. They are shown this once; each is good once in place of a code of the app:</p>
      <pre>{codes.join('\n')}</pre> <CopyButton text={codes.join('\n')} label="Copy all" />
    </div>
  );
}

interface PartProps {
  readonly onChanged: () => void;
  readonly onCodes: (codes: readonly string[] | undefined) => void;
}

function IsOff({ onChanged, onCodes }: PartProps) {
  const [begun, setBegun] = useState<TotpSecret>();
  const begin = async (data: FormData): Promise<void> => {
    setBegun((await post<TotpSecret>('/v1/auth/totp', { password: String(data.get('password')) })).body);
  };
  const confirm = async (data: FormData): Promise<void> => {
    const { body } = await post<RecoveryCodes>('/v1/auth/totp/confirm', { code: codeIn(data) });
    onCodes(body.recovery_codes);
    onChanged();
  };
  if (begun === undefined) {
    return (
      <Form act="Turn it on" onSubmit={begin}>
        <p>Logins then ask for a code of an authenticator app, too. All other sessions end.</p>
        <Field name="password" label="Password" type="password" autocomplete="current-password" />
      </Form>
    );
  }
  return (
    <>
      <p>
        Add this key to your authenticator app, or <a href={begun.uri}>open the app with it</a>:
      </p>
      <p>
        <code>{begun.secret}</code> <CopyButton text={begun.secret} />
      </p>
      <Form act="Confirm" onSubmit={confirm}>
        <Field name="code" label="Six digits that the app shows" autocomplete="one-time-code" />
      </Form>
    </>
  );
}

function IsOn({ factor, onChanged, onCodes }: PartProps & { readonly factor: Factor }) {
  const [asked, setAsked] = useState<'codes' | 'off'>();
  const { enabled_at: since, recovery_codes_left: left } = factor;
  const act = async (data: FormData): Promise<void> => {
    const body = { password: String(data.get('password')), code: codeIn(data) };
    if (asked === 'codes') onCodes((await post<RecoveryCodes>('/v1/auth/totp/recovery-codes', body)).body.recovery_codes);
    else {
      await remove('/v1/auth/totp', { body });
      onCodes(undefined);
    }
    onChanged();
  };
  return (
    <>
      <p>
        On{since !== null && ' since '}
        {since !== null && <Moment at={since} />}. {left} recovery codes are left.
      </p>
      <p class="ways">
        <button type="button" onClick={() => setAsked('codes')}>
          New recovery codes
        </button>
        <button type="button" class="danger" onClick={() => setAsked('off')}>
          Turn it off
        </button>
      </p>
      {asked !== undefined && (
        <Dialog
          title={asked === 'off' ? 'Turn the second factor off?' : 'Make new recovery codes?'}
          act={asked === 'off' ? 'Turn it off' : 'Make them'}
          isDangerous={asked === 'off'}
          onAct={act}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {asked === 'off'
              ? 'Logins then ask for the password alone. The key in your app and all recovery codes become useless.'
              : 'All earlier recovery codes become useless.'}
          </p>
          <Field name="password" label="Password" type="password" autocomplete="current-password" />
          <Field name="code" label="Code of your app, or a recovery code" autocomplete="one-time-code" />
        </Dialog>
      )}
    </>
  );
}

const codeIn = (data: FormData): string => String(data.get('code')).replace(/\s/g, '');

/** The e-mail address, and whether it was shown to be the user's. */
export function EmailAddress() {
  const [message, setMessage] = useState<string>();
  const now = user.value;
  if (now === undefined) return null;
  const resend = (): void => {
    post<{ message: string }>('/v1/auth/resend-verification', undefined).then(
      ({ body }) => setMessage(body.message),
      (failure: unknown) => setMessage(failureText(failure)),
    );
  };
  return (
    <>
      <p>
        <bdi>{now.email}</bdi> <span class="quiet">{now.email_verified ? 'verified' : 'not verified yet'}</span>
      </p>
      {!now.email_verified && (
        <p>
          <button type="button" onClick={resend}>
            Send the mail to verify it again
          </button>
        </p>
      )}
      {message !== undefined && (
        <p class="note" role="status">
          {message}
        </p>
      )}
    </>
  );
}

/** Sets a new password. All other sessions end by it; this one goes on. */
export function Password({ onChanged }: { readonly onChanged: () => void }) {
  const [changes, setChanges] = useState(0);
  const change = async (data: FormData): Promise<void> => {
    const [current, next] = [String(data.get('current')), String(data.get('next'))];
    const wish = { current_password: current, new_password: next };
    take((await post<{ access_token: string }>('/v1/auth/change-password', wish)).body);
    setChanges(changes + 1);
    onChanged();
  };
  return (
    <>
      {changes > 0 && (
        <p class="note" role="status">
          The new password holds. All other sessions have ended; API keys work on.
        </p>
      )}
      <Form key={changes} act="Change the password" onSubmit={change}>
        <Field name="current" label="Password now" type="password" autocomplete="current-password" />
        <Field name="next" label="New password, 8 to 128 characters" type="password" autocomplete="new-password" />
      </Form>
    </>
  );
}
