// Requests over the socket, handled by the same code as over HTTP and counted and authorised in the same way. Every
// answer carries the request's id, because the socket's other requests must not fail with this one.
import { STATUS_CODES } from 'node:http';
import type { RequestError } from '../../shared/errors.ts';
import { graceMsOf } from '../../shared/subscription.ts';
import type { Admission } from '../access/admission.ts';
import type { KeyRecord } from '../access/credentials.ts';
import { requirePaid } from '../access/requirePaid.ts';
import type { Services } from '../accounts/services.ts';
import type { PostFrame } from '../domain/stream/frame.ts';
import { runAction } from '../exchange/runAction.ts';
import { refuseUnsafeJson } from '../http/body.ts';
import { errorBody, toRequestError } from '../http/errorAnswer.ts';
import { answerInfo } from '../info/answerInfo.ts';
import type { CountedCall } from '../trading.ts';
import { toMessage } from './message.ts';

export interface PostParts {
  readonly now: () => number;
  readonly services: Services;
  readonly admission: Admission;
  readonly nextRequestId: () => string;
}

/** @returns a function that answers a post and never throws */
export function createPost({
  now,
  services,
  admission,
  nextRequestId,
}: PostParts): (frame: PostFrame, key: KeyRecord) => Promise<Buffer> {
  const { config, log } = services;
  const graceMs = graceMsOf(config);

  const answer = async ({ request: { type, payload }, text }: PostFrame, key: KeyRecord, requestId: string) => {
    const receivedAtMs = now();
    const limit = await admission.admitPost(key, receivedAtMs);
    requirePaid({ ...key, graceMs }, receivedAtMs);
    refuseUnsafeJson(payload, text);
    const call: CountedCall = { caller: key.caller, requestId, receivedAtMs, limit };
    if (type === 'action') return { type, payload: await runAction(payload, call, services) };
    const data = await answerInfo(payload, call, services);
    return { type, payload: { type: (payload as { readonly type: string }).type, data } };
  };

  return async (frame, key) => {
    const requestId = nextRequestId();
    const response = await answer(frame, key, requestId).catch((error: unknown) =>
      toResponse(frame, toRequestError(error, log, requestId)),
    );
    return toMessage('post', { id: frame.id, response });
  };
}

/** A refused action is answered like an action, as over HTTP; every other failure mirrors the HTTP status. */
function toResponse({ request: { type } }: PostFrame, error: RequestError): object {
  const { status, message } = error;
  const body = errorBody(error, { isTrading: true });
  if (type === 'action' && body.status === 'err') return { type, payload: body };
  return { type: 'error', payload: `${status} ${STATUS_CODES[status] ?? ''}: ${message}` };
}
