// Sends an action once. When no answer comes, the outcome is unknown for some seconds: an order is then looked for by its cloid,
// anything else is sent again under its Idempotency-Key, which has its effect once.

import { ApiError, serverNow, unknownUntil } from '../api/answer.ts';
import { post } from '../api/http.ts';
import { refusalIn } from '../domain/account/ticket.ts';
import { aboutAccount, actingAccount, exchangePath } from './chosenAccount.ts';

const LOOK_EVERY_MS = 1_000;

/** An element of a batch's answer, as far as the page reads it. */
export type ActionStatus =
  | string
  | {
      readonly filled?: { readonly oid: number; readonly totalSz: string; readonly avgPx: string };
      readonly resting?: { readonly oid: number };
      readonly error?: string;
    };

interface ActionAnswer {
  readonly status: 'ok' | 'err';
  readonly response: string | { readonly data?: { readonly statuses: readonly ActionStatus[] } };
}

interface SendOptions {
  /** Of the action's first order. */
  readonly cloid?: string;
  /** Hears until when the outcome is not known, ms since the epoch. */
  readonly onUnknown?: ((untilMs: number) => void) | undefined;
  /** Of an earlier try of the same action, whose outcome is not known: it has its effect once. */
  readonly idempotencyKey?: string;
}

/** @returns the statuses of a batch; none where the action has none, or where the order was found by its cloid @throws {ApiError} with the refusal */
export async function sendAction(
  action: object,
  { cloid, onUnknown, idempotencyKey = crypto.randomUUID() }: SendOptions = {},
): Promise<readonly ActionStatus[]> {
  const headers = { 'idempotency-key': idempotencyKey };
  // The acting account is the account that was shown when the action began, whatever the page shows when the outcome comes.
  const body = { action, nonce: Date.now(), ...actingAccount() };
  const lookUp = cloid === undefined ? undefined : aboutAccount({ type: 'orderStatus', oid: cloid });
  const send = async (): Promise<readonly ActionStatus[]> =>
    accepted((await post<ActionAnswer>(exchangePath('exchange'), body, { headers })).body);
  try {
    return await send();
  } catch (failure) {
    const untilMs = unknownUntil(failure instanceof ApiError ? failure : undefined, serverNow());
    if (untilMs === undefined) throw failure;
    onUnknown?.(untilMs);
    if (lookUp !== undefined) return await found(lookUp, untilMs);
    await waitUntil(untilMs);
    return await send();
  }
}

/** @throws {ApiError} with the whole action's refusal, or its first element's */
function accepted(answer: ActionAnswer): readonly ActionStatus[] {
  const refusal = refusalIn(answer);
  if (refusal !== undefined) throw refused(refusal);
  return typeof answer.response === 'string' ? [] : (answer.response.data?.statuses ?? []);
}

const refused = (text: string): ApiError =>
  new ApiError(text, { status: 200, code: 'refused', requestId: null, retryAfter: null });

/** Asks for the order until it is there, or is known never to be. */
async function found(lookUp: object, untilMs: number): Promise<readonly ActionStatus[]> {
  for (;;) {
    const isLast = serverNow() > untilMs;
    const status = await statusOf(lookUp);
    if (status === 'order') return [];
    if (isLast && status !== undefined) throw refused('No answer came, and the order was not placed.');
    await waitUntil(serverNow() + LOOK_EVERY_MS);
  }
}

/** undefined while the server does not answer that either. */
async function statusOf(lookUp: object): Promise<string | undefined> {
  try {
    return (await post<{ readonly status: string }>(exchangePath('info'), lookUp)).body.status;
  } catch (failure) {
    if (failure instanceof ApiError && failure.status < 500) throw failure;
    return undefined;
  }
}

const waitUntil = (timeMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, timeMs - serverNow())));
