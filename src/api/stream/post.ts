// Requests over the socket, handled by the same code as over HTTP and counted and authorised in the same way. Every
// answer carries the request's id, because the socket's other requests must not fail with this one.
import { STATUS_CODES } from 'node:http';
import { graceMsOf } from '../../shared/access/subscription.ts';
import type { RequestError } from '../../shared/errors.ts';
import type { Span, Tracing } from '../../shared/tracing/tracing.ts';
import type { Admission } from '../access/admission.ts';
import { requirePaid, requireScope } from '../access/callerChecks.ts';
import type { KeyRecord } from '../access/keyRecord.ts';
import type { HeldBytes } from '../access/limits/heldBytes.ts';
import type { Call, ClientConnection, Services } from '../accounts/services.ts';
import type { PostFrame, PostHead } from '../domain/frame.ts';
import { priceOfAction, runAction } from '../exchange/runAction.ts';
import { DrawnRefusal, errorBody, type FailureLogs, namesOf, toRequestError, WithheldAnswer } from '../http/answers.ts';
import { refuseOddValues } from '../http/readJson.ts';
import { answerInfo, priceOfInfo, weightOfRows } from '../info/answerInfo.ts';
import type { CountedCall } from '../trading/answering.ts';
import { toMessage } from './channel/message.ts';

export interface PostParts {
  readonly now: () => number;
  readonly services: Services;
  readonly admission: Admission;
  readonly nextRequestId: () => string;
  /** Counts a frame until it is answered. */
  readonly held: HeldBytes;
  readonly logs: FailureLogs;
  readonly tracing: Pick<Tracing, 'request'>;
}

/** A post as it came over a socket. */
export interface SentPost {
  readonly frame: PostFrame;
  readonly key: KeyRecord;
  /** Length of the frame, bytes. */
  readonly bytes: number;
  /** True where the frame may hold a number that JavaScript cannot (jsonBounds.ts). */
  readonly isOdd: boolean;
  /** Of the socket. */
  readonly closing: ClientConnection;
}

/** The messages that answer a post, mostly one; `closes`: the socket ends without an answer. */
export type Post = (sent: SentPost) => Promise<readonly Buffer[] | 'closes'>;

/** @returns a function that answers a post and never throws */
export function createPost({ now, services, admission, nextRequestId, held, logs, tracing }: PostParts): Post {
  const graceMs = graceMsOf(services.config);

  const answer = async ({ frame, key, bytes, isOdd, closing }: SentPost, requestId: string, trace: Span | undefined) => {
    const { type, payload } = frame.request;
    const receivedAtMs = now();
    const price = type === 'action' ? priceOfAction(payload, bytes) : priceOfInfo(payload, bytes);
    const { limit, budget } = await admission.admitPost(key, price, receivedAtMs);
    requirePaid({ ...key, graceMs }, receivedAtMs);
    requireScope(key, type === 'action' ? 'trade' : 'read');
    if (isOdd) refuseOddValues(payload);
    const call: CountedCall = { caller: key.caller, requestId, trace, receivedAtMs, limit };
    const answered = async (made: Call) => {
      if (type === 'action') return { lab: made.lab, response: { type, payload: await runAction(payload, made, services) } };
      const data = await answerInfo(payload, made, services);
      admission.addWeight({ budget }, weightOfRows(payload, data));
      return { lab: made.lab, response: { type, payload: { type: (payload as { readonly type: string }).type, data } } };
    };
    const { lab: profile } = key;
    if (profile === undefined) return await answered(call);
    return await services.lab.run(call, { profile, on: type === 'action' ? 'exchange' : 'info', closing }, answered);
  };

  return async (sent) => {
    const { frame, key, bytes } = sent;
    const requestId = nextRequestId();
    const trace = tracing.request(undefined);
    let error: string | undefined;
    const counted = held.open({ subject: `user:${key.caller.userId}`, isKnown: true });
    try {
      counted.add(bytes);
      const { response, lab } = await answer(sent, requestId, trace);
      const message = toMessage('post', { id: frame.id, response });
      return lab?.isAnsweredTwice ? [message, message] : [message];
    } catch (failure) {
      if (failure instanceof WithheldAnswer) return failure.closes ? 'closes' : [];
      const isDrawn = failure instanceof DrawnRefusal;
      const refusal = isDrawn ? failure : toRequestError(failure, logs, namesOf(requestId, trace));
      if (refusal.status >= 500) error = refusal.code;
      return [refusedPost(frame, refusal)];
    } finally {
      const { keyId, accountId } = key.caller;
      trace?.end({ name: `post ${frame.request.type}`, fields: { requestId, keyId, accountId }, error });
      counted.close();
    }
  };
}

/** The answer to a post that was not read. */
export const refusedPost = (head: PostHead, error: RequestError): Buffer =>
  toMessage('post', { id: head.id, response: toResponse(head, error) });

/** A refused action is answered like an action, as over HTTP; every other failure mirrors the HTTP status. */
function toResponse({ request: { type } }: PostHead, error: RequestError): object {
  const { status, message } = error;
  const body = errorBody(error, { isTrading: true });
  if (type === 'action' && body.status === 'err') return { type, payload: body };
  return { type: 'error', payload: `${status} ${STATUS_CODES[status] ?? ''}: ${message}` };
}
