// The endpoints below /v1/admin, made of the list of acts: each is either a look or an act. All ask for the role first, by the user's document
// as it is now, so that a refusal says the same whatever was asked for, and a role that was taken away ends with the request before. What
// shows data of users, and every act, is a row in the operators' audit log before it is done.

import type { OperatorTurns } from '../api/access/limits/readingTurns.ts';
import { addressOf, type RouteContext } from '../api/access/requestContext.ts';
import { type LiveUser, requireConfirmed, requireLiveUser, requireRole } from '../api/auth/acts/userChecks.ts';
import type { AuthParts } from '../api/auth/parts/authParts.ts';
import type { ErrorCodes } from '../api/contract/endpoint.ts';
import { mayNot } from '../api/contract/whoMay.ts';
import { CHEAP } from '../api/domain/requestPrice.ts';
import { answerJson } from '../api/http/answers.ts';
import { endpoint, type MountedEndpoint } from '../api/http/endpoint.ts';
import { compileReader, unreadable } from '../api/http/requestReader.ts';
import { RequestError } from '../shared/errors.ts';
import { OPERATORS } from '../shared/mongo/auditLog.ts';
import type { NodeParts, OperatorEndpoint } from './acts/operatorAct.ts';
import { Refused, Unknown, UsageError } from './acts/operatorParts.ts';
import { OPERATOR_ACTS } from './acts.ts';
import { confirm } from './confirm.ts';

interface AdminParts extends NodeParts, AuthParts {
  readonly operatorTurns: OperatorTurns;
}

type AdminEndpoint = MountedEndpoint<AdminParts>;

const ANY: ErrorCodes = { 429: ['too_many_reads'], 503: ['busy'] };
const WHO = { tag: 'Operators', credential: 'either', price: CHEAP } as const;

const toEndpoint = ({ kind, ...own }: OperatorEndpoint): AdminEndpoint => (kind === 'look' ? toLook(own) : toAct(own));

/** An endpoint that shows something. */
function toLook({ prepare, answer, errors, ...own }: Omit<OperatorEndpoint, 'kind'>): AdminEndpoint {
  return endpoint({
    ...own,
    ...{ ...WHO, method: 'get', scope: 'admin:read', asks: ['operator'] },
    answer: { about: own.summary, schema: answer },
    errors: { ...ANY, ...errors },
    handle: (parts: AdminParts) => async (ctx) => {
      const { name, userId } = await requireOperator(ctx, parts);
      await parts.operatorTurns.looks.run(userId, async () => {
        const { detail, run } = prepare(ctx, undefined);
        if (detail !== undefined) await note(ctx, parts, { name, action: 'operator.read', outcome: 'ok', detail });
        answerJson(ctx, await translated(() => run(parts)));
      });
    },
  });
}

/** An endpoint that changes something: it asks for a session that was confirmed a moment ago, or for a key that may act. */
function toAct({ prepare, answer, errors, ...own }: Omit<OperatorEndpoint, 'kind'>): AdminEndpoint {
  const read = own.body && compileReader(own.body.schema);
  return endpoint({
    ...own,
    ...{ ...WHO, method: 'post', scope: 'admin:write', asks: ['operator', 'confirmed'] },
    answer: { about: own.summary, schema: answer },
    errors: { ...ANY, ...errors, 409: ['act_refused'] },
    handle: (parts: AdminParts) => async (ctx) => {
      const { name, userId, live } = await requireOperator(ctx, parts);
      if (live !== undefined) requireConfirmed(live.session, parts.now());
      const { detail = '', run } = prepare(ctx, read?.(await parts.readBody(ctx)));
      const noted = { name, action: 'operator.act', detail } as const;
      await parts.operatorTurns.acts.run(userId, async () => {
        await note(ctx, parts, { ...noted, outcome: 'ok' });
        try {
          answerJson(ctx, await translated(() => run(parts)));
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
async function requireOperator(ctx: RouteContext, parts: AuthParts): Promise<Operator> {
  const { key, token } = ctx.state.request;
  if (key !== undefined) {
    const { userId, keyId } = key.caller;
    requireRole((await parts.users.findById(userId)) ?? {});
    return { name: `operator:${userId}:${keyId}`, userId };
  }
  if (token === undefined) throw mayNot('invalid_credential', 'A valid API key or access token is required.');
  const live = await requireLive(ctx, parts);
  requireRole(live.user);
  return { name: `operator:${live.user._id}`, userId: live.user._id, live };
}

/** The token's user as the store has it now. @throws {RequestError} 401 */
async function requireLive(ctx: RouteContext, parts: AuthParts): Promise<LiveUser> {
  try {
    return await requireLiveUser(ctx, parts);
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 401) throw error;
    throw mayNot('invalid_credential', error.message);
  }
}

/** Writes a row of the operators' own log. Where it cannot be written, nothing is shown and nothing is done. */
async function note(
  ctx: RouteContext,
  { audit, now }: AuthParts,
  row: {
    readonly name: string;
    readonly action: 'operator.read' | 'operator.act';
    readonly outcome: 'ok' | 'refused';
    readonly detail: string;
  },
): Promise<void> {
  const { name: actor, detail, ...what } = row;
  const where = { userId: OPERATORS, actor, address: addressOf(ctx), timeMs: now() };
  await audit.write({ ...what, ...where, detail: detail.slice(0, DETAIL_MAX) });
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

/** The endpoints that the contract has always begun with, in its order; a newer one comes after them, in the order of the list of acts. */
const FIRST = [
  ...['listUsers', 'showUser', 'grantPlan', 'endSessionsOfUser', 'listInvoicesOfAll', 'payInvoiceOfUser', 'refundInvoice'],
  ...['listDiscountCodes', 'makeDiscountCode', 'endDiscountCode', 'showOperatorOverview', 'listShards', 'listJobQueues'],
  ...['listHaltedAccounts', 'liftQuarantine', 'listDeadLetters', 'showDeadLetter', 'requeueDeadLetter', 'dropDeadLetter'],
  'listOperatorActs',
];

const placeOf = ({ id }: OperatorEndpoint): number => (FIRST.includes(id) ? FIRST.indexOf(id) : FIRST.length);

export const adminEndpoints: readonly AdminEndpoint[] = [
  confirm,
  ...OPERATOR_ACTS.flatMap(({ endpoint: own = [] }) => own)
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map(toEndpoint),
];
