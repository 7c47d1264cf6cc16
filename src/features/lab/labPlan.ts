// What a failure lab does to one request: drawn when it comes, and completed when it has become a command to the account.

import type { OwnersCommand } from '../../actors/core/messages/command.ts';
import type { LabNote, OrderScript } from '../../actors/core/messages/labNote.ts';
import type { OrderRequest } from '../../actors/core/messages/order.ts';
import {
  type CloidScript,
  type Drawn,
  drawOf,
  faultOf,
  type LabFault,
  type LabProfile,
  latencyOf,
} from '../../shared/domain/labProfile.ts';

/** Faults that a request meets before it has had any effect. */
const BEFORE: ReadonlySet<LabFault> = new Set(['429', '500', '502', 'timeoutBefore']);

/** A request under a profile. */
export interface LabRequest {
  readonly profile: LabProfile;
  readonly note: LabNote;
  /** It ends before it has any effect. */
  readonly endsBefore: boolean;
}

/** @param key id of the key */
export function planRequest(
  profile: LabProfile,
  { key, on, number, atMs }: Pick<LabNote, 'key' | 'on' | 'number' | 'atMs'>,
): LabRequest {
  const drawn = drawnOf(profile, { on, number });
  const draw = drawOf(drawn, 'fault');
  const fault = faultOf(draw, profile.faults);
  const answerMs = latencyOf(profile.latency?.answer, drawn, 'answer');
  const note = { key, on, number, atMs, draw, ...(fault !== undefined && { fault }), ...(answerMs > 0 && { answerMs }) };
  const dropsBefore = fault === 'dropSocket' && drawOf(drawn, 'dropBefore') < 0.5;
  return { profile, note, endsBefore: dropsBefore || (fault !== undefined && BEFORE.has(fault)) };
}

/** The command as it goes to the account: with its latency, and with what is scripted or drawn for its orders. */
export function inLab(
  { profile, note }: Pick<LabRequest, 'profile' | 'note'>,
  command: OwnersCommand,
): { note: LabNote; command: OwnersCommand } {
  const drawn = drawnOf(profile, note);
  const { latency = {} } = profile;
  switch (command.type) {
    case 'placeOrders': {
      const orders = command.orders.map((order, index) => scripted(order, index, profile, { drawn }));
      const withLoss = command.orders.some((order) => scriptOf(order, profile)?.loseAnswer) ? losing(note) : note;
      return { note: waiting(withLoss, latencyOf(latency.submit, drawn, 'submit')), command: { ...command, orders } };
    }
    case 'modifyOrders': {
      const modifies = command.modifies.map((modify, index) => {
        return { ...modify, order: scripted(modify.order, index, profile, { drawn, gtcRests: !command.alwaysPlace }) };
      });
      const withLoss = command.modifies.some(({ order }) => scriptOf(order, profile)?.loseAnswer) ? losing(note) : note;
      return { note: waiting(withLoss, latencyOf(latency.submit, drawn, 'submit')), command: { ...command, modifies } };
    }
    case 'cancelOrders':
      return { note: waiting(note, latencyOf(latency.cancel, drawn, 'cancel')), command };
    default:
      return { note, command };
  }
}

const drawnOf = ({ seed }: LabProfile, { on, number }: Pick<LabNote, 'on' | 'number'>): Drawn => ({ seed, on, number });

const waiting = (note: LabNote, delayMs: number): LabNote => (delayMs > 0 ? { ...note, delayMs } : note);

/** A script comes before a draw: of the draws that a request survives, a second answer would be one. */
const losing = (note: LabNote): LabNote =>
  note.fault === undefined || note.fault === 'duplicateAnswer' ? { ...note, fault: 'timeoutAfterEffect' } : note;

const scriptOf = ({ cloid }: OrderRequest, { scripts = [] }: LabProfile): CloidScript | undefined =>
  cloid === undefined ? undefined : scripts.find(({ cloidPrefix }) => cloid.startsWith(cloidPrefix));

/**
 * What holds for all orders comes before a script of its cloid, and that before a draw.
 * @param gtcRests a Gtc comes as a post-only order, as in a modify
 */
function scripted(
  order: OrderRequest,
  index: number,
  profile: LabProfile,
  { drawn, gtcRests = false }: { readonly drawn: Drawn; readonly gtcRests?: boolean },
): OrderRequest {
  if (profile.postOnly && !isPostOnly(order, gtcRests)) return { ...order, script: { refuse: 'postOnlyAfterUpgrade' } };
  const own = scriptOf(order, profile);
  if (own !== undefined) return { ...order, script: toScript(own) };
  const probability = profile.faults?.partialFill;
  if (probability === undefined) return order;
  const draw = drawOf(drawn, 'partialFill', index);
  if (draw >= probability) return order;
  return { ...order, script: { draw, fillPercent: Math.floor(drawOf(drawn, 'fillPercent', index) * 99) + 1 } };
}

const isPostOnly = ({ type }: OrderRequest, gtcRests: boolean): boolean =>
  type.kind === 'limit' && (type.timeInForce === 'alo' || (gtcRests && type.timeInForce === 'gtc'));

function toScript({ cloidPrefix: prefix, refuse, fillPercent, fillAfterMs, neverFill }: CloidScript): OrderScript {
  const holdMs = neverFill ? null : fillAfterMs;
  const percent = holdMs === undefined ? fillPercent : 0;
  return {
    prefix,
    ...(refuse !== undefined && { refuse }),
    ...(percent !== undefined && { fillPercent: percent }),
    ...(holdMs !== undefined && { holdMs }),
  };
}
