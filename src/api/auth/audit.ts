// GET /v1/auth/audit `?limit&cursor`: the security-relevant acts on the caller's account by any actor, newest first.

import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import { type AuditRow, ROWS_PER_HOUR } from '../../shared/mongo/auditLog.ts';
import { Address, type AnswerFor, Cursor, exactly, IsoTime, orNull, words } from '../contract/answerValues.ts';
import { described, named } from '../contract/named.ts';
import { CHEAP } from '../domain/requestPrice.ts';
import { answerJson } from '../http/answers.ts';
import { endpoint } from '../http/endpoint.ts';
import { limitParameter, readLimit } from '../http/requestReader.ts';
import { requireUser } from './acts/userChecks.ts';
import type { AuthParts } from './parts/authParts.ts';

const AuditItem = named(
  'AuditEntry',
  exactly({
    id: Type.String(),
    time: IsoTime,
    action: Type.String({ examples: ['api_key.created'] }),
    actor: described(
      Type.String({ examples: ['user'] }),
      '`user`, `key:<id>`, `operator`, `operator:<user id>`, `job:<name>`, `provider:<name>`, `several` for a count, …',
    ),
    address: described(orNull(Type.String()), 'Network address the request came from.'),
    account: described(
      orNull(Address),
      'The sub-account that it was about, or the account that the key is bound to; null = the master account, or none.',
    ),
    outcome: named('AuditOutcome', words('ok', 'refused')),
    detail: orNull(Type.String()),
  }),
);

/** A page of rows. */
export const AuditPage = named('AuditPage', exactly({ items: Type.Array(AuditItem), next_cursor: Cursor }));

export const auditEndpoint = endpoint({
  id: 'listAuditEntries',
  method: 'get',
  path: '/v1/auth/audit',
  tag: 'Users',
  summary: 'Security-relevant acts on the caller’s account by any actor, newest first.',
  credential: 'token',
  price: CHEAP,
  query: Type.Object({
    limit: limitParameter,
    cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  }),
  answer: {
    about: 'A page of acts.',
    schema: AuditPage,
  },
  errors: { 400: ['invalid_request', 'invalid_cursor'] },
  handle: (parts: AuthParts) => async (ctx) => {
    const { _id: userId } = await requireUser(ctx, parts);
    const limit = readLimit(ctx.query['limit']);
    const before = ctx.query['cursor'] === undefined ? undefined : readCursor(ctx.query['cursor'], userId);
    // One row more than is shown tells whether there is a next page.
    const rows = await parts.audit.page(userId, { limit: limit + 1, ...(before !== undefined && { before }) });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    answerJson(ctx, {
      items: shown.map(toAuditItem),
      next_cursor: rows.length > limit && last !== undefined ? Buffer.from(last._id).toString('base64url') : null,
    });
  },
});

/** @returns the row without its owner */
export function toAuditItem({
  _id,
  at,
  action,
  actor,
  address,
  account,
  outcome,
  detail,
  count,
}: AuditRow): AnswerFor<typeof AuditItem> {
  const id = _id.slice(_id.indexOf(':') + 1);
  const told = count === undefined ? (detail ?? null) : `${count - ROWS_PER_HOUR} more in the hour from then on`;
  return { id, time: at.toISOString(), action, actor, address, account: account ?? null, outcome, detail: told };
}

/** A cursor is the id of a row of the caller's own. */
function readCursor(given: string | string[], userId: string): string {
  const id = typeof given === 'string' ? Buffer.from(given, 'base64url').toString() : '';
  const own = id.startsWith(`${userId}:`) && /^[0-9a-z]{11}:[\w.:-]{1,80}$/.test(id.slice(userId.length + 1));
  if (!own) throw new RequestError(400, 'invalid_cursor', 'cursor must be the next_cursor of a page before.');
  return id;
}
