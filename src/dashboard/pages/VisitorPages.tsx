// The pages on the way to a session, by address: a new account, a forgotten password, and the links of mails and of bin/start.

import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/answer.ts';
import { beginLinkedSession, beginSession } from '../api/browserSession.ts';
import { post } from '../api/http.ts';
import { matchRoute } from '../domain/matchRoute.ts';
import { Loading } from '../parts/answers.tsx';
import { Field, Form } from '../parts/Form.tsx';
import { Entrance } from '../parts/shell/Shell.tsx';
import { address, navigate } from '../state/route.ts';

const VIEWS = new Map([
  ['/register', Register],
  ['/forgot-password', ForgotPassword],
  ['/reset-password', ResetPassword],
  ['/verify-email', VerifyEmail],
]);

export default function VisitorPages() {
  // The address loses its token while the page is shown; its path stays.
  const View = matchRoute(address.peek().replace(/\?.*$/, ''), VIEWS)?.page ?? Enter;
  return <View />;
}

/** Makes an account. The next page connects a bot: nothing stands between the two pages. */
export function Register() {
  const register = async (data: FormData): Promise<void> => {
    const credentials = { email: String(data.get('email')), password: String(data.get('password')) };
    await post('/v1/auth/register', credentials);
    await beginSession(credentials);
    navigate('/connect', { replaces: true });
  };
  return (
    <Entrance title="Make an account">
      <p>A trial with virtual money. Nothing is paid and no card is asked for.</p>
      <Form act="Make the account" onSubmit={register}>
        <Field name="email" label="E-mail" type="email" autocomplete="username" />
        <Field name="password" label="Password" type="password" autocomplete="new-password" />
      </Form>
      <p>
        <a href="/login">Log in</a> with an account that you have.
      </p>
    </Entrance>
  );
}

/** Asks for a mail with a link to set a new password. The answer is the same whether the address has an account or not. */
export function ForgotPassword() {
  const [message, setMessage] = useState<string>();
  const ask = async (data: FormData): Promise<void> => {
    const { body } = await post<{ message: string }>('/v1/auth/forgot-password', { email: String(data.get('email')) });
    setMessage(body.message);
  };
  return (
    <Entrance title="Set a new password">
      {message === undefined ? (
        <Form act="Send me a link" onSubmit={ask}>
          <Field name="email" label="E-mail" type="email" autocomplete="username" />
        </Form>
      ) : (
        <p class="note" role="status">
          {message}
        </p>
      )}
      <p>
        <a href="/login">Back to the login</a>
      </p>
    </Entrance>
  );
}

/** Takes the link of a password mail: a new password, once. Every session ends by it. */
export function ResetPassword() {
  const [token] = useState(takeLinkToken);
  const [message, setMessage] = useState<string>();
  const reset = async (data: FormData): Promise<void> => {
    const wish = { token, new_password: String(data.get('password')), revoke_keys: data.has('keys') };
    setMessage((await post<{ message: string }>('/v1/auth/reset-password', wish)).body.message);
  };
  return (
    <Entrance title="Set a new password">
      {token === undefined && (
        <p class="error" role="alert">
          The token of the link is missing. Open the link of the mail as it is, or{' '}
          <a href="/forgot-password">ask for a new mail</a>.
        </p>
      )}
      {token !== undefined && message === undefined && (
        <Form act="Set it" onSubmit={reset}>
          <Field name="password" label="New password, 8 to 128 characters" type="password" autocomplete="new-password" />
          <label class="choice">
            <input name="keys" type="checkbox" /> Revoke all API keys, too
          </label>
        </Form>
      )}
      {message !== undefined && (
        <p class="note" role="status">
          {message}
        </p>
      )}
      <p>
        <a href="/login">To the login</a>
      </p>
    </Entrance>
  );
}

/**
 * Takes the link of a verification mail. The address is verified when the button is pressed, not when the page is opened:
 * programs that open the links of mails must not verify it.
 */
export function VerifyEmail() {
  const [token] = useState(takeLinkToken);
  const [message, setMessage] = useState<string>();
  const verify = async (): Promise<void> => {
    setMessage((await post<{ message: string }>('/v1/auth/verify-email', { token })).body.message);
  };
  return (
    <Entrance title="Verify your e-mail address">
      {token === undefined && (
        <p class="error" role="alert">
          The token of the link is missing. Open the link of the mail as it is, or ask for a new mail on{' '}
          <a href="/account">your account’s page</a>.
        </p>
      )}
      {token !== undefined && message === undefined && (
        <Form act="It is my account" onSubmit={verify}>
          <p>Confirm only if you have registered an account with this address.</p>
        </Form>
      )}
      {message !== undefined && (
        <p class="note" role="status">
          {message}
        </p>
      )}
      <p>
        <a href="/overview">To the account</a>
      </p>
    </Entrance>
  );
}

/**
 * The token of a mail's link. It is in the fragment of the address, which no browser sends; the page takes it out of the
 * address, so that it is in no history either.
 * @returns undefined when the link was not opened as it is
 */
export function takeLinkToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? new URLSearchParams(location.search).get('token');
  history.replaceState(null, '', location.pathname);
  return token || undefined;
}

/**
 * Logging in by a one-time link of bin/start. Its token is in the fragment, which no browser sends anywhere by itself; the
 * address loses it at once.
 */
export function Enter() {
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
    history.replaceState(null, '', location.pathname);
    if (token === '') {
      setProblem('The address has no token: open the whole link.');
      return;
    }
    beginLinkedSession(token).then(
      () => navigate('/overview', { replaces: true }),
      (failure: Error) => setProblem(failure instanceof ApiError ? failure.message : 'The server cannot be reached.'),
    );
  }, []);
  return (
    <Entrance title={problem === undefined ? 'Logging in' : 'This link does not open the account'}>
      {problem === undefined ? (
        <Loading lines={2} />
      ) : (
        <>
          <p class="error" role="status">
            {problem}
          </p>
          <p>
            <code>bin/start</code> prints a new one at each start. <a href="/login">Log in</a> with the password instead: that of
            the demo account is in <code>demo.json</code> in the data folder.
          </p>
        </>
      )}
    </Entrance>
  );
}
