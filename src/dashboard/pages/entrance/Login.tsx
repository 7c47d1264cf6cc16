// Logging in, with a second factor where the account has one.
import { useState } from 'preact/hooks';
import { ApiError } from '../../api/answer.ts';
import { beginSession, type SessionEnd, sessionEnd } from '../../api/browserSession.ts';
import { Entrance } from '../../parts/Entrance.tsx';
import { Field, Form } from '../../parts/Form.tsx';
import { navigate } from '../../state/route.ts';

const ENDS: Readonly<Record<SessionEnd, string>> = {
  over: 'Your session has ended. Log in again.',
  otherTab: 'You have logged out in another tab.',
};

export function Login() {
  const [asksCode, setAsksCode] = useState(false);
  const logIn = async (data: FormData): Promise<void> => {
    const [email, password, code] = ['email', 'password', 'code'].map((name) => String(data.get(name) ?? ''));
    try {
      await beginSession({ email: email as string, password: password as string, ...(code && { code }) });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'second_factor_required' && !asksCode) {
        setAsksCode(true);
        return;
      }
      throw error;
    }
    navigate(wayBack(), { replaces: true });
  };
  return (
    <Entrance title="Log in">
      {sessionEnd.value !== undefined && (
        <p class="note" role="alert">
          {ENDS[sessionEnd.value]}
        </p>
      )}
      <Form act="Log in" onSubmit={logIn}>
        <Field name="email" label="E-mail" type="email" autocomplete="username" />
        <Field name="password" label="Password" type="password" autocomplete="current-password" />
        {asksCode && (
          <Field name="code" label="Code of your authenticator app, or a recovery code" autocomplete="one-time-code" />
        )}
      </Form>
      <p>
        <a href="/register">Make an account</a> · <a href="/forgot-password">Forgot the password?</a>
      </p>
    </Entrance>
  );
}

/** Where the reader came from; another server's address is none of it. */
function wayBack(): string {
  const back = new URLSearchParams(location.search).get('back') ?? '';
  return /^\/(?![/\\])/.test(back) ? back : '/overview';
}
