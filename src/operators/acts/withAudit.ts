// Writes an operator's act into the audit log of the user whom it concerns, who can read it there. The row is written first: whatever dies
// in between, no act lacks its row. One that is not done has a second row, `refused`.
import type { AuditAction } from '../../shared/mongo/auditLog.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import type { User } from '../../shared/mongo/userStore.ts';
import type { OperatorParts } from './operatorParts.ts';

export interface ActOnUser {
  readonly userId: string;
  readonly action: AuditAction;
  readonly detail: string;
}

export interface ActOnAccount extends Omit<ActOnUser, 'userId'> {
  readonly accountId: string;
}

interface Doing<Done> {
  readonly act: () => Promise<Done>;
  /** Of what `act` has resolved with; one that throws is not done. */
  readonly isDone?: (done: Done) => boolean;
}

/** @throws what `act` throws, and when MongoDB cannot take the row: then nothing was done */
export async function withAudit<Done>(
  { billing }: Pick<OperatorParts, 'billing'>,
  of: ActOnUser,
  { act, isDone = () => true }: Doing<Done>,
): Promise<Done> {
  const note = (outcome: 'ok' | 'refused'): Promise<void> =>
    billing.audit.write({ ...of, outcome, actor: 'operator', address: null, timeMs: billing.now() });
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
