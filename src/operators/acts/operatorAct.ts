// An act of operators, said once. It has the words of its command and the form of its endpoint; it finds its object, refuses what cannot be
// done, and is done. `bin/admin` makes commands of acts (commands.ts), the API makes endpoints of them (endpoints.ts). An act
// without a command is for the API alone, one without an endpoint for the terminal alone.
import type { TSchema } from '@sinclair/typebox';
import type { RouteContext } from '../../api/access/requestContext.ts';
import type { Endpoint } from '../../api/contract/endpoint.ts';
import type { AuditAction, AuditRecord } from '../../shared/mongo/auditLog.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { AdminCommand, OperatorParts, Report } from './operatorParts.ts';

export interface OperatorAct {
  readonly command?: AdminCommand;
  readonly endpoint?: OperatorEndpoint;
}

/** What an endpoint of operators has of its own; endpoints.ts adds what all have: credential, scope, price, confirmation and audit row. */
export interface OperatorEndpoint
  extends Pick<Endpoint, 'id' | 'path' | 'summary' | 'params' | 'query' | 'body' | 'errors'>,
    Prepared {
  /** `look`: it shows something. `act`: it changes something, for an operator who has confirmed the password. */
  readonly kind: 'look' | 'act';
  readonly answer: TSchema;
}

interface Prepared {
  /** @param body as the schema has read it @returns the request as it is answered: `detail` is for the operators' audit log */
  prepare(ctx: RouteContext, body: unknown): { readonly detail: string | undefined; run(parts: NodeParts): Promise<unknown> };
}

/** What a node gives its operators beside the stores. */
export interface NodeParts {
  readonly operators: OperatorParts;
  readonly health: { report(): Promise<unknown> };
  /** Absent: there is no page for operators. */
  readonly board?: object | undefined;
}

/** The form of an endpoint: how it is asked, and what it answers. */
interface EndpointForm<Asked, Found, Done> extends Omit<OperatorEndpoint, 'prepare' | 'kind'> {
  ask(ctx: RouteContext, body: unknown): Asked;
  /** What is done or looked at, for the operators' audit log; it has no secret. Absent where no user's data is shown. */
  audited?(asked: Asked): string;
  /** @param line about the audit row of an account's user. Absent: the data of the command, and without one all that was done or seen. */
  show?(done: Done, found: Found, line: readonly string[]): unknown;
}

/** The form of a command: its words, and what it prints. */
interface CommandForm<Asked, Found, Done> extends Pick<AdminCommand, 'name' | 'takes' | 'does'> {
  /** Absent: it takes no argument. @throws {UsageError} */
  ask?(args: readonly string[]): Asked;
  /** What doing it means. The command says that first and does it with `--yes` only. Absent: it is done at once. */
  meaning?(found: Found, parts: OperatorParts): readonly string[];
  /** How it is done after all; absent = as the same command with `--yes`. */
  readonly again?: string;
  /** @param done absent = it was not done yet. Absent: all that was done or seen. */
  data?(found: Found, done?: Done): unknown;
  lines(done: Done, found: Found): readonly string[];
}

interface Act<Asked, Found, Done> {
  /** Finds what it is about, and refuses what cannot be done: nothing has happened yet. @throws {Refused} */
  check(parts: OperatorParts, asked: Asked): Found | Promise<Found>;
  /** Row of the audit log of the user whom it concerns; it is written before the act. Absent: the act writes its own, or concerns no user. */
  audit?(found: Found): ActOnUser | ActOnAccount | undefined;
  act(parts: OperatorParts, found: Found): Promise<Done>;
  /** Of what `act` has resolved with; absent = all is done that does not throw. */
  isDone?(done: Done): boolean;
  readonly command?: CommandForm<Asked, Found, Done>;
  readonly endpoint?: EndpointForm<Asked, Found, Done>;
}

/** An act that changes something. */
export const operatorAct = <Asked, Found, Done>(act: Act<Asked, Found, Done>): OperatorAct => ({
  ...(act.command && { command: commandOf(act, act.command) }),
  ...(act.endpoint && { endpoint: endpointOf('act', act, act.endpoint) }),
});

/** An act that shows something. */
export const operatorLook = <Asked, Seen>({
  look,
  command,
  endpoint,
}: {
  look(parts: OperatorParts, asked: Asked): Promise<Seen>;
  readonly command?: CommandForm<Asked, Asked, Seen>;
  readonly endpoint?: EndpointForm<Asked, Asked, Seen>;
}): OperatorAct => {
  const act: Act<Asked, Asked, Seen> = { check: (_parts, asked) => asked, act: look, ...(command && { command }) };
  return {
    ...(command && { command: commandOf(act, command) }),
    ...(endpoint && { endpoint: endpointOf('look', act, endpoint) }),
  };
};

function commandOf<Asked, Found, Done>(
  act: Act<Asked, Found, Done>,
  { name, takes, does, ask, meaning, again, lines }: CommandForm<Asked, Found, Done>,
): AdminCommand {
  const data = dataOf(act);
  const run = async (args: readonly string[], parts: OperatorParts): Promise<Report> => {
    const asked = ask?.(meaning === undefined ? args : args.filter((word) => word !== '--yes')) as Asked;
    const found = await act.check(parts, asked);
    const said = meaning?.(found, parts) ?? [];
    if (meaning !== undefined && !args.includes('--yes'))
      return { data: data(found), lines: [...said, `Nothing was done. ${again ?? 'The same with --yes does it.'}`] };
    const { done, line } = await doneWithAudit(act, parts, found);
    return { data: data(found, done), lines: [...said, ...lines(done, found), ...line] };
  };
  return { name, takes, does, run };
}

const dataOf = <Asked, Found, Done>({ command }: Act<Asked, Found, Done>): ((found: Found, done?: Done) => unknown) =>
  command?.data ?? ((_found, done) => done);

function endpointOf<Asked, Found, Done>(
  kind: OperatorEndpoint['kind'],
  act: Act<Asked, Found, Done>,
  { ask, audited, show, ...own }: EndpointForm<Asked, Found, Done>,
): OperatorEndpoint {
  const prepare: OperatorEndpoint['prepare'] = (ctx, body) => {
    const asked = ask(ctx, body);
    const run = async ({ operators }: NodeParts): Promise<unknown> => {
      const found = await act.check(operators, asked);
      const { done, line } = await doneWithAudit(act, operators, found);
      return show === undefined ? dataOf(act)(found, done) : show(done, found, line);
    };
    return { detail: audited?.(asked), run };
  };
  return { ...own, kind, prepare };
}

/** @returns what was done, and a line about the audit row of an account's user */
async function doneWithAudit<Asked, Found, Done>(
  { audit, act, isDone = () => true }: Act<Asked, Found, Done>,
  parts: OperatorParts,
  found: Found,
): Promise<{ readonly done: Done; readonly line: readonly string[] }> {
  const of = audit?.(found);
  const doing = { act: () => act(parts, found), isDone };
  if (of === undefined) return { done: await doing.act(), line: [] };
  if ('userId' in of) return { done: await withAudit(parts, of, doing), line: [] };
  const { done, line } = await withAccountAudit(parts, of, doing);
  return { done, line: isDone(done) ? [line] : [] };
}

interface ActOnUser {
  readonly userId: string;
  readonly action: AuditAction;
  readonly detail: string;
}

export interface ActOnAccount extends Omit<ActOnUser, 'userId'> {
  readonly accountId: string;
}

/** Writes a row of what an operator does at the terminal. */
export const writeOperatorRow = (
  { audit, now }: OperatorParts['billing'],
  row: Pick<AuditRecord, 'userId' | 'action' | 'outcome' | 'detail'>,
): Promise<void> => audit.write({ ...row, actor: 'operator', address: null, timeMs: now() });

interface Doing<Done> {
  readonly act: () => Promise<Done>;
  /** Of what `act` has resolved with; one that throws is not done. */
  readonly isDone?: (done: Done) => boolean;
}

/**
 * Writes an operator's act into the audit log of the user whom it concerns, who can read it there. The row is written first: whatever dies
 * in between, no act lacks its row. An act that is not done has a second row, `refused`.
 * @throws what `act` throws, and when MongoDB cannot take the row: then nothing was done
 */
async function withAudit<Done>(
  { billing }: Pick<OperatorParts, 'billing'>,
  of: ActOnUser,
  { act, isDone = () => true }: Doing<Done>,
): Promise<Done> {
  const note = (outcome: 'ok' | 'refused'): Promise<void> => writeOperatorRow(billing, { ...of, outcome });
  await note('ok');
  let done: Done;
  try {
    done = await act();
  } catch (error) {
    await note('refused');
    throw error;
  }
  if (!isDone(done)) await note('refused');
  return done;
}

/** Done, and a line for the operator: in whose log it stands, or that the account has no user any more. */
interface Audited<Done> {
  readonly done: Done;
  readonly line: string;
}

/** The same for the user of an account. @throws as `withAudit` does */
export async function withAccountAudit<Done>(
  parts: OperatorParts,
  { accountId, ...of }: ActOnAccount,
  doing: Doing<Done>,
): Promise<Audited<Done>> {
  const user = await parts.mongo.db.collection<User>(collections.users).findOne({ address: accountId });
  if (user === null) return { done: await doing.act(), line: `No user has the account ${accountId}: no audit row was written.` };
  const done = await withAudit(parts, { ...of, userId: user._id }, doing);
  return { done, line: `The audit log of ${user.email} has it as ${of.action}.` };
}
