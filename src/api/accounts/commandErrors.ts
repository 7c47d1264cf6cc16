// What the sender of a command is told when it has no outcome: what of it is known, and never more.
import type { Failure } from '../../actors/core/messages/envelope.ts';
import { RequestError } from '../../shared/errors.ts';
import { submitted } from '../../shared/redis/submitScript.ts';
import { answersFull, keyReused } from '../http/idempotency.ts';

/** @param answer of the submit script */
export function refusal(answer: number): RequestError {
  switch (answer) {
    case submitted.mailboxFull:
      return new RequestError(429, 'mailbox_full', 'Too many requests of this account are waiting; nothing was done.', {
        'Retry-After': '1',
      });
    case submitted.journalFull:
      return journalFull();
    case submitted.answersFull:
      return answersFull();
    case submitted.keyReused:
      return keyReused();
    default:
      return new RequestError(500, 'internal_error', 'Internal error; nothing was done.');
  }
}

/** Of a command that was consumed without an outcome. */
export function failure(reason: Failure, deadlineMs: number): RequestError {
  switch (reason) {
    case 'expired':
      return new RequestError(503, 'expired', `The request was not begun within ${deadlineMs} ms; nothing was done.`, {
        'Retry-After': '1',
      });
    case 'parked':
      return new RequestError(500, 'internal_error', 'Internal error; nothing was done.');
    case 'quarantined':
      return new RequestError(503, 'account_quarantined', 'The account is halted after an internal error; nothing was done.');
    case 'away':
      return new RequestError(
        503,
        'account_away',
        'The state of this account cannot be read at the moment; nothing was done. Accounts that have traded lately go on.',
        { 'Retry-After': '5' },
      );
    case 'keyReused':
      return keyReused();
    case 'journalFull':
      return journalFull();
    case 'accountJournalFull':
      return new RequestError(
        503,
        'account_journal_full',
        'More of this account waits to be stored than may; nothing was done. Cancels and reduce-only orders are taken longer.',
        { 'Retry-After': '5' },
      );
    case 'answered':
      return answerLost();
  }
}

const journalFull = (): RequestError =>
  new RequestError(503, 'journal_full', 'The journal is full; nothing was done. Try again later.', { 'Retry-After': '5' });

export const upgradeUnderWay = (): RequestError =>
  new RequestError(503, 'store_unavailable', 'This is offered when the upgrade of the service is finished; nothing was done.');

export const storeUnavailable = (): RequestError =>
  new RequestError(503, 'store_unavailable', 'The service cannot take requests at the moment; nothing was done.', {
    'Retry-After': '1',
  });

/** @param settledAtMs from then on the outcome is final */
export const outcomeUnknown = (settledAtMs: number): RequestError =>
  new RequestError(
    504,
    'outcome_unknown',
    `No answer came in time: the outcome is unknown until ${new Date(settledAtMs).toISOString()}; from then on the request has either ` +
      'taken effect or never will. Ask orderStatus with the cloid, openOrders or userFills, or repeat the request with the same Idempotency-Key.',
  );

/** The reply got lost between the actor and this node: that much is final. */
export const answerLost = (): RequestError =>
  new RequestError(
    504,
    'outcome_unknown',
    'The answer was lost on its way: the request has taken effect or was refused, and that is final. Ask orderStatus with the cloid, ' +
      'openOrders or userFills.',
  );
