// The shape of the endpoints below /v1/admin. Each is either a look or an act. All ask for the role first, by the user's document as it is
// now, so that a refusal says the same whatever was asked for, and a role that was taken away ends with the request before. What shows
// data of users, and every act, is a row in the operators' audit log before it is done.
import type { TSchema } from '@sinclair/typebox';
import { type OperatorParts, Refused, Unknown, UsageError } from './acts/operatorParts.ts';
import { RequestError } from '../shared/errors.ts';
import { OPERATORS } from '../shared/mongo/auditLog.ts';
import { ReadingTurns } from '../api/access/limits/readingTurns.ts';
import { addressOf, type RouteContext } from '../api/access/requestContext.ts';
import { type LiveUser, requireConfirmed, requireLiveUser, requireRole } from '../api/auth/acts/whoMay.ts';
import type { AuthParts } from '../api/auth/parts/authParts.ts';
import type { Endpoint, ErrorCodes } from '../api/contract/endpoint.ts';
import { CHEAP } from '../api/domain/requestPrice.ts';
import { answerJson } from '../api/http/answers.ts';
import { endpoint, type MountedEndpoint } from '../api/http/endpoint.ts';
import { unreadable } from '../api/http/requestReader.ts';
import type { Health } from '../api/operations/health.ts';

export interface AdminParts {
  readonly auth: AuthParts;
  readonly operators: OperatorParts;
  readonly health: Pick<Health, 'report'>;
  /** Absent: there is no page for operators. */
  readonly board?: object | undefined;
  readonly operatorTurns: AdminTurns;
}

export type AdminEndpoint = MountedEndpoint<AdminParts>;

/** Who may look and act when: operators have no more of a node than others. */
interface AdminTurns {
  readonly looks: ReadingTurns;
  readonly acts: ReadingTurns;
}

/** An answer is 500 rows at most, and the letters of a page 1 MB and what one read of them adds. */
const LOOKS = { atOnce: 2, atOnceOfUser: 1, waiting: 32, waitingOfUser: 8 };
/** Some wait half a minute for an account's owner, each with a connection to Redis of its own. */
const ACTS = { atOnce: 4, atOnceOfUser: 2, waiting: 16, waitingOfUser: 4 };

export const adminTurns = (): AdminTurns => ({ looks: new ReadingTurns(LOOKS), acts: new ReadingTurns(ACTS) });

type Described = Pick<Endpoint, 'id' | 'path' | 'summary' | 'description' | 'params' | 'query' | 'errors'> & {
  readonly answer: TSchema;
};

interface Look extends Described {
  /** What is looked at, for the audit log; absent where it is of no user. */
  readonly audited?: (ctx: RouteContext) => string;
  read(ctx: RouteContext, parts: AdminParts): Promise<unknown>;
}

interface Act<Body> extends Described {
  readonly body?: {
    readonly read: ((body: unknown) => Body) & { readonly schema: TSchema };
    readonly examples: Readonly<Record<string, unknown>>;
  };
  /** What is done, and to what, for the audit log; it never has a secret. */
  audited(ctx: RouteContext, body: Body): string;
  act(parts: AdminParts, asked: { readonly ctx: RouteContext; readonly body: Body }): Promise<unknown>;
}

const ANY: ErrorCodes = { 403: ['not_operator'], 429: ['too_many_reads'], 503: ['busy'] };

/** An endpoint that shows something. @throws {TypeError} never; its errors are those of the contract */
export function look({ audited, read, answer, errors, ...own }: Look): AdminEndpoint {
  return endpoint({
    ...own,
    ...{ method: 'get', tag: 'Operators', credential: 'either', scope: 'admin:read', price: CHEAP },
    answer: { about: own.summary, schema: answer },
    errors: { ...ANY, ...errors },
    handle: (parts: AdminParts) => async (ctx) => {
      const { name, userId } = await requireOperator(ctx, parts);
      await parts.operatorTurns.looks.run(userId, async () => {
        if (audited !== undefined) await note(ctx, parts, { name, action: 'operator.read', outcome: 'ok', detail: audited(ctx) });
        answerJson(ctx, await translated(() => read(ctx, parts)));
      });
    },
  });
}

/** An endpoint that changes something: it asks for a session that was confirmed a moment ago, or for a key that may act. */
export function act<Body = undefined>({ body, audited, act: run, answer, errors, ...own }: Act<Body>): AdminEndpoint {
  return endpoint({
    ...own,
    ...{ method: 'post', tag: 'Operators', credential: 'either', scope: 'admin:write', price: CHEAP },
    ...(body && { body: { schema: body.read.schema, examples: body.examples } }),
    answer: { about: own.summary, schema: answer },
    errors: { ...ANY, ...errors, 403: [...(ANY[403] ?? []), 'confirmation_required'], 409: ['act_refused'] },
    handle: (parts: AdminParts) => async (ctx) => {
      const { name, userId, live } = await requireOperator(ctx, parts);
      if (live !== undefined) requireConfirmed(live.session, parts.auth.now());
      const given = body === undefined ? (undefined as Body) : body.read(await parts.auth.readBody(ctx));
      const noted = { name, action: 'operator.act', detail: audited(ctx, given) } as const;
      await parts.operatorTurns.acts.run(userId, async () => {
        await note(ctx, parts, { ...noted, outcome: 'ok' });
        try {
          answerJson(ctx, await translated(() => run(parts, { ctx, body: given })));
        } catch (error) {
          if (error instanceof RequestError) await note(ctx, parts, { ...noted, outcome: 'refused' });
          throw error;
        }
      });
    },
  });
}

/** Who asks. `live` is absent where a key does. */
interface Operator {
  /** As the audit log has it. */
  readonly name: string;
  readonly userId: string;
  readonly live?: LiveUser;
}

/** @throws {RequestError} 401 without a credential, 403 when its user is no operator at this moment */
export async function requireOperator(ctx: RouteContext, { auth }: Pick<AdminParts, 'auth'>): Promise<Operator> {
  const { key, token } = ctx.state.request;
  if (key !== undefined) {
    const { userId, keyId } = key.caller;
    requireRole((await auth.users.findById(userId)) ?? {});
    return { name: `operator:${userId}:${keyId}`, userId };
  }
  if (token === undefined) throw new RequestError(401, 'invalid_credential', 'A valid API key or access token is required.');
  const live = await requireLive(ctx, auth);
  requireRole(live.user);
  return { name: `operator:${live.user._id}`, userId: live.user._id, live };
}

/** The token's user as the store has it now. @throws {RequestError} 401 */
async function requireLive(ctx: RouteContext, auth: AuthParts): Promise<LiveUser> {
  try {
    return await requireLiveUser(ctx, auth);
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 401) throw error;
    throw new RequestError(401, 'invalid_credential', error.message);
  }
}

/** Writes a row of the operators' own log. Where it cannot be written, nothing is shown and nothing is done. */
async function note(
  ctx: RouteContext,
  { auth }: Pick<AdminParts, 'auth'>,
  row: {
    readonly name: string;
    readonly action: 'operator.read' | 'operator.act';
    readonly outcome: 'ok' | 'refused';
    readonly detail: string;
  },
): Promise<void> {
  const { name: actor, detail, ...what } = row;
  const where = { userId: OPERATORS, actor, address: addressOf(ctx), timeMs: auth.now() };
  await auth.audit.write({ ...what, ...where, detail: detail.slice(0, DETAIL_MAX) });
}

/** Characters of a row's detail: a search may be long. */
const DETAIL_MAX = 200;

/** What operators' functions refuse, as the API says it. */
async function translated<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Unknown) throw new RequestError(404, 'unknown_target', error.message);
    if (error instanceof Refused) throw new RequestError(409, 'act_refused', error.message);
    if (error instanceof UsageError) throw unreadable(error.message);
    throw error;
  }
}

/** For an endpoint with the name of its object in the path. */
export const MAY_BE_UNKNOWN: ErrorCodes = { 404: ['unknown_target', 'not_found'], 405: ['method_not_allowed'] };
