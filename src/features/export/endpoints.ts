// GET …/account/export: all that an account has done, as a file. Rows of its history, or its journal as a chain of hashes.

import { Type } from '@sinclair/typebox';
import { type HeldBytes, READING_MS_MAX } from '../../api/access/limits/heldBytes.ts';
import type { ReadingTurns } from '../../api/access/limits/readingTurns.ts';
import { createSeldomLog } from '../../api/access/limits/seldomLog.ts';
import { callerOf, type RouteContext } from '../../api/access/requestContext.ts';
import { ACCOUNT_ERRORS, accountParameter, callOfAccount, requireReader } from '../../api/account/owner.ts';
import type { Call, Services } from '../../api/accounts/services.ts';
import { words } from '../../api/contract/answerValues.ts';
import { described, named } from '../../api/contract/named.ts';
import { HEAVY } from '../../api/domain/requestPrice.ts';
import { namesOf, toRequestError } from '../../api/http/answers.ts';
import { endpoint } from '../../api/http/endpoint.ts';
import { choiceOf, choiceParameter } from '../../api/http/listQuery.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { ROW_KINDS } from './exportedRows.ts';
import { exportJournal, type JournalPlace } from './journalExport.ts';
import { exportRows } from './rowExport.ts';
import { type ExportLines, sentLines } from './sentLines.ts';

/** Exports at once on a node, each with a piece of some 100 kB in memory; a user has one. */
const EXPORTS_MAX = 32;
const CHAIN = /^[0-9a-f]{64}$/;
const KINDS = [...ROW_KINDS, 'journal'] as const;
const FORMATS = ['csv', 'jsonl'] as const;
const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' };

export const exportEndpoint = endpoint({
  id: 'exportAccount',
  method: 'get',
  path: '/v1/exchanges/:exchange/account/export',
  tag: 'Dashboard',
  summary: 'All rows of a kind, or the journal, as a file, oldest first.',
  description:
    'Streamed. The last line says whether all is there (`{"end":{"complete":true,…}}`; in CSV a record that begins with `end,complete`), ' +
    'or why not and where to go on; a connection that broke off has no last line. Each row has `next`: `from=` with the `next` of the last ' +
    'whole row goes on behind it. docs/export.md has the columns, the chain of the journal and how to verify it.',
  credential: 'either',
  scope: 'read',
  price: HEAVY,
  reachesAccount: true,
  query: Type.Object({
    kind: described(named('ExportKind', words(...KINDS)), 'What is exported.'),
    format: choiceParameter(
      named('ExportFormat', words(...FORMATS)),
      'Absent = jsonl. A journal in CSV has its lines in the column `line`.',
    ),
    from: Type.Optional(
      Type.String({
        description: '`next` of the last row that is there; of a journal the next entry.',
        examples: ['1024'],
        minLength: 1,
        maxLength: 31,
      }),
    ),
    chain: Type.Optional(
      Type.String({
        pattern: CHAIN.source,
        description: 'With `from`, of a journal: `hash` of the last line that is there.',
      }),
    ),
    account: accountParameter,
  }),
  answer: {
    about: 'Lines of JSON; with `format=csv` records of RFC 4180.',
    schema: Type.String(),
    contentType: ['text/csv', 'application/jsonl'],
  },
  errors: {
    ...ACCOUNT_ERRORS,
    400: ['invalid_request', 'contradiction', 'invalid_cursor', 'seq_forgotten', 'unknown_seq'],
    429: ['too_many_reads'],
    503: ['busy'],
  },
  handle: ({ services, mongo, held, reads, readingMsMax = READING_MS_MAX }: ExportParts) => {
    const { histories: turns } = reads;
    const logs = { log: services.log, seldom: createSeldomLog(services.log, services.now) };
    const exporting = new Set<string>();
    return async (ctx) => {
      const call = await callOfAccount(ctx, requireReader(ctx), services.ownAccounts);
      const { kind, format, begin } = readQuery(ctx);
      const { userId, accountId } = call.caller;
      enter(exporting, userId);
      const onEnd = (): void => void exporting.delete(userId);
      const lines = await turns
        .run(userId, () => begin({ services, mongo, call }))
        .catch((error: unknown) => {
          onEnd();
          throw error;
        });
      const names = namesOf(call.requestId, call.trace);
      const body = await sentLines(lines, {
        ...{ turns, userId, held, holder: callerOf(ctx), onEnd },
        toFailure: (error) => toRequestError(error, logs, names),
        readingMsMax,
        onStuck: () => ctx.req.socket.destroy(),
      });
      ctx.set('Content-Disposition', `attachment; filename="${accountId}-${kind}.${format}"`);
      ctx.set('Content-Type', TYPES[format]);
      ctx.set('X-Market-Source', services.market.status?.source ?? services.config.MARKET_SOURCE);
      ctx.body = body;
    };
  },
});

export interface ExportParts {
  readonly services: Services;
  readonly mongo: MongoConnection;
  readonly held: HeldBytes;
  /** Each piece is a long read. */
  readonly reads: { readonly histories: ReadingTurns };
  /** Absent = a minute, as for every answer. */
  readonly readingMsMax?: number;
}

/** @throws {RequestError} 429 for a user whose export is under way, 503 when there are too many */
function enter(exporting: Set<string>, userId: string): void {
  if (exporting.has(userId))
    throw new RequestError(429, 'too_many_reads', 'An export of yours is under way. Wait for its end.', { 'Retry-After': '5' });
  if (exporting.size >= EXPORTS_MAX)
    throw new RequestError(503, 'busy', 'Too many exports are under way at the moment.', { 'Retry-After': '30' });
  exporting.add(userId);
}

type Begin = (parts: { services: Services; mongo: MongoConnection; call: Call }) => Promise<ExportLines>;

/** @throws {RequestError} 400 for what cannot be read */
function readQuery(ctx: RouteContext): { kind: string; format: (typeof FORMATS)[number]; begin: Begin } {
  const kind = choiceOf(ctx, 'kind', KINDS);
  const format = choiceOf(ctx, 'format', FORMATS) ?? 'jsonl';
  const [from, chain] = [single(ctx, 'from'), single(ctx, 'chain')];
  if (kind === undefined) throw unreadable(`kind must be one of ${KINDS.join(', ')}.`);
  if (chain !== undefined && !CHAIN.test(chain)) throw unreadable('chain must be 64 hex digits.');
  if (kind !== 'journal') {
    if (chain !== undefined) throw contradiction('chain is of a journal.');
    return { kind, format, begin: ({ services, call }) => exportRows(services.history, call, { kind, format, from }) };
  }
  const place = placeOf(from, chain);
  return { kind, format, begin: (parts) => exportJournal(parts, place, format) };
}

function placeOf(from: string | undefined, chain: string | undefined): JournalPlace | undefined {
  if (from === undefined && chain === undefined) return undefined;
  if (from === undefined || chain === undefined || !/^[1-9]\d{0,14}$/.test(from))
    throw contradiction('A journal goes on with from, the number of the next entry, and chain, the hash of the line before it.');
  return { seq: Number(from), hash: chain };
}

function single(ctx: RouteContext, name: string): string | undefined {
  const value = ctx.query[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw unreadable(`${name} must be given once.`);
  return value;
}

const contradiction = (detail: string): RequestError => new RequestError(400, 'contradiction', detail);
const unreadable = (detail: string): RequestError => new RequestError(400, 'invalid_request', detail);
