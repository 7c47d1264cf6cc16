// The small pages of the first script: the root, the login, the way to the last market, and an address without a page. The root
// explains the exchange to a visitor and leads a user to the account.
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../api/answer.ts';
import { accessToken, beginSession, isSessionKnown, type SessionEnd, sessionEnd } from '../api/browserSession.ts';
import { Loading } from '../parts/answers.tsx';
import { Field, Form } from '../parts/Form.tsx';
import { Entrance } from '../parts/shell/Shell.tsx';
import { navigate } from '../state/route.ts';
import { lastCoin } from '../state/settings.ts';

export function Welcome() {
  const isIn = accessToken.value !== undefined;
  useEffect(() => {
    if (isIn) navigate('/overview', { replaces: true });
  }, [isIn]);
  if (isIn || !isSessionKnown.value) return <Loading lines={6} />;
  return (
    <Entrance title="Trade perpetual futures on paper">
      <p>
        Bots that are written for Hyperliquid’s API trade here with virtual money, against its order book. They change the base
        address, nothing else.
      </p>
      <p>
        What they do is shown here while it happens: what the account is worth, what it holds, and what each fill was made of.
      </p>
      <p class="ways">
        <a class="button main" href="/register">
          Make an account
        </a>
        <a class="button" href="/login">
          Log in
        </a>
      </p>
      <p>
        <a href="/docs">API documentation</a> · <a href="/llms.txt">For language models</a> · <a href="/status">Status</a>
      </p>
    </Entrance>
  );
}

const ENDS: Readonly<Record<SessionEnd, string>> = {
  over: 'Your session has ended. Log in again.',
  otherTab: 'You have logged out in another tab.',
};

/** Logging in, with a second factor where the account has one. */
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

/** Leads an address without a coin to the market that was shown last. */
export function LastMarket() {
  useEffect(() => navigate(`/markets/${encodeURIComponent(lastCoin.value)}`, { replaces: true }), []);
  return <Loading lines={6} />;
}

/** An address without a page. */
export function NotFound() {
  return (
    <Entrance title="There is no such page">
      <p>
        <a href="/overview">To the overview</a>
      </p>
    </Entrance>
  );
}
