// A command on its way to its account and back, as a span of the request that it belongs to.
import type { AccountCommand } from '../../../actors/core/messages/command.ts';
import type { Outcome } from '../../../actors/core/messages/queryAnswer.ts';
import type { RequestError } from '../../../shared/errors.ts';
import type { Span } from '../../../shared/tracing/tracing.ts';
import type { SendOptions } from '../accountGateway.ts';

interface Sent {
  readonly accountId: string;
  readonly shard: number;
  readonly command: AccountCommand;
}

interface Settling {
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: RequestError) => void;
}

/** Undefined where the request is not traced. */
export function spanOfCommand({ trace, requestId }: SendOptions, { accountId, shard, command }: Sent): Span | undefined {
  if (trace === undefined) return undefined;
  const kind = command.type === 'query' ? command.query.kind : command.type;
  return trace.child('command', { kind: 'producer', fields: { requestId, accountId, shard, command: kind } });
}

/** Ends the span when the reply has come, or it is known that none will. */
export function endingWith(span: Span | undefined, settling: Settling): Settling {
  if (span === undefined) return settling;
  return {
    resolve: (outcome) => {
      span.end();
      settling.resolve(outcome);
    },
    reject: (error) => {
      span.end({ error: error.code });
      settling.reject(error);
    },
  };
}
