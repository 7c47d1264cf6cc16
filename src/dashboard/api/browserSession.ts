// The session of the user who is logged in. The access token lives in memory only, for minutes; a cookie that no script can read
// renews it. All tabs share the cookie: one renews it at a time, and a logout in one ends all.
import { signal } from '@preact/signals';
import { ApiError, readAnswer } from './answer.ts';

const SESSION = '/v1/auth/session';
/** The cookie's endpoints take requests of this page only. */
const GUARD = { 'x-requested-with': 'dashboard' };

/** In localStorage while this browser may have the cookie, so that a first visit asks for no session that cannot be. */
const BEGUN = 'sessionBegun';

interface TokenAnswer {
  readonly access_token: string;
}

/** How many sessions of this tab have ended. */
export let ended = 0;

/** Why a tab that was logged in is not any more, when its reader has not done it there. */
export type SessionEnd = 'over' | 'otherTab';

/** The token of this tab; undefined while no user is logged in. */
export const accessToken = signal<string | undefined>(undefined);
/** False until the page knows whether the cookie is good. */
export const isSessionKnown = signal(false);
/** For the login page; undefined when there is nothing to say. */
export const sessionEnd = signal<SessionEnd | undefined>(undefined);

const tabs = new BroadcastChannel('session');
tabs.onmessage = ({ data }) => {
  if (data === 'ended' && accessToken.value !== undefined) forget('otherTab');
  if (data === 'begun' && accessToken.value === undefined) void renewSession(undefined);
};

/**
 * Logs in.
 * @throws {ApiError} `second_factor_required` when a code is asked for
 */
export const beginSession = (credentials: { email: string; password: string; code?: string }): Promise<void> =>
  begin(SESSION, credentials);

/** Logs in by a one-time link of this machine. @throws {ApiError} `invalid_link` for a link that was used or is over */
export const beginLinkedSession = (token: string): Promise<void> => begin(`${SESSION}/link`, { link_token: token });

async function begin(path: string, credentials: object): Promise<void> {
  const { body } = await readAnswer<TokenAnswer>(await send('POST', path, credentials));
  take(body);
  tabs.postMessage('begun');
}

/** Takes the session up that this browser may have from an earlier visit. @throws {TypeError} when there is no connection */
export async function resumeSession(): Promise<void> {
  const kept = storage();
  if (kept === undefined || kept.getItem(BEGUN) !== null) await renewSession(undefined);
  else isSessionKnown.value = true;
}

/** Goes on with the token of an answer that has changed the session, as that of a new password. */
export function take({ access_token: token }: TokenAnswer): void {
  storage()?.setItem(BEGUN, 'yes');
  accessToken.value = token;
  isSessionKnown.value = true;
  sessionEnd.value = undefined;
}

/** Forgets a session that has ended with its user, here and in all tabs. */
export function forgetSession(): void {
  forget(undefined);
  tabs.postMessage('ended');
}

function forget(why: SessionEnd | undefined): void {
  storage()?.removeItem(BEGUN);
  sessionEnd.value = why;
  ended += 1;
  accessToken.value = undefined;
  isSessionKnown.value = true;
}

/**
 * Gets another token for the cookie's session. Tabs take turns.
 * @param known the token that no longer works; when another call has replaced it meanwhile, nothing is asked
 * @returns false when the session has ended, or when there was none
 * @throws {TypeError} when there is no connection
 */
export function renewSession(known: string | undefined): Promise<boolean> {
  return navigator.locks.request('session', async () => {
    if (accessToken.value !== known && accessToken.value !== undefined) return true;
    const response = await send('POST', `${SESSION}/refresh`);
    if (response.status === 401 || response.status === 403) {
      forget('over');
      return false;
    }
    take((await readAnswer<TokenAnswer>(response)).body);
    return true;
  });
}

/** Logs out, here and in all tabs. A session that has ended already is no error. */
export async function endSession(): Promise<void> {
  const response = await send('DELETE', SESSION).finally(() => forget(undefined));
  tabs.postMessage('ended');
  if (!response.ok && response.status !== 401)
    throw new ApiError('The session could not be ended on the server.', {
      status: response.status,
      code: 'not_ended',
      requestId: response.headers.get('x-request-id'),
      retryAfter: null,
    });
}

function send(method: string, path: string, body?: object): Promise<Response> {
  return fetch(path, {
    method,
    cache: 'no-store',
    credentials: 'same-origin',
    headers: { ...GUARD, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/**
 * The storage of this browser. The page keeps no secret in it.
 * @returns undefined where the browser keeps nothing: its storage then throws at the first use
 */
export function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
