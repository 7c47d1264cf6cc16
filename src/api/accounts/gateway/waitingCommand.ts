// A command that its sender waits for.
import type { Outcome } from '../../../actors/core/messages/queryAnswer.ts';
import type { RequestError } from '../../../shared/errors.ts';
import type { Span } from '../../../shared/tracing/tracing.ts';
import type { SendOptions } from '../accountGateway.ts';

export interface WaitingCommand {
  readonly counter: number;
  readonly shard: number;
  readonly accountId: string;
  readonly envelope: string;
  readonly idempotency: SendOptions['idempotency'];
  /** Of the command, where it is traced. */
  readonly trace: Span | undefined;
  readonly submitByMs: number;
  /** From this time on the outcome is final; a reply that has not come by then will not come. */
  readonly finalAtMs: number;
  handedOver: boolean;
  /** It is sent a second time: whether the first one had an effect is not known from what the second one meets on its way. */
  isResent: boolean;
  /** Its reply has come and is being taken from where it lies. */
  isAnswered: boolean;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: RequestError) => void;
}
