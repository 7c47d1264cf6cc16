// A traced command at its owner: from its mailbox through the rules to the commit that makes it true and answers it.
import { readTraceparent } from '../../../shared/tracing/traceparent.ts';
import type { Span, Tracing } from '../../../shared/tracing/tracing.ts';
import type { CommandEnvelope } from '../../core/messages/envelope.ts';
import type { WaitingCommand } from '../commit/mailbox.ts';

/** Where a command is run. */
interface Place {
  readonly shard: number;
  readonly accountId: string;
}

/** A command's span, and the part of it in which the rules decide. */
export interface DecidingSpan {
  readonly command: Span;
  readonly decide: Span;
}

/** Begins when the command is run; its time in the mailbox is told then. Undefined for one that is not traced. */
export function beginCommand(
  tracing: Tracing,
  { readAtMs }: WaitingCommand,
  { trace, requestId, command: { type, ...rest } }: CommandEnvelope,
  { shard, accountId }: Place,
): DecidingSpan | undefined {
  const startMs = readAtMs ?? performance.now();
  const kind = 'query' in rest ? rest.query.kind : type;
  const fields = { requestId, accountId, shard, command: kind };
  const command = tracing.follow(trace, 'actor', { kind: 'consumer', fields, startMs });
  if (command === undefined) return undefined;
  command.child('mailbox', { startMs }).end();
  return { command, decide: command.child('decide') };
}

/** What log lines call a command: its request, and its trace where it has one. */
export function namesOf({ requestId, trace }: CommandEnvelope): { readonly requestId: string; readonly traceId?: string } {
  const traceId = readTraceparent(trace)?.traceId;
  return traceId === undefined ? { requestId } : { requestId, traceId };
}
