// Sends commands to accounts, as endpoints see it.
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import type { KeyGuard } from '../../shared/domain/limits.ts';
import type { Span } from '../../shared/tracing/tracing.ts';

/** Options of one command on its way to the account. */
export interface SendOptions {
  readonly requestId: string;
  /** The user whose request it is, where one asks. */
  readonly user?: string;
  /** What the command belongs to, where that is traced. */
  readonly trace?: Span | undefined;
  /** The account is a sub-account: where it was never opened, it is opened with nothing. */
  readonly opensEmpty?: true;
  /** Limits of the API key that asks, where it has any. */
  readonly key?: KeyGuard;
  readonly idempotency?: { readonly key: string; readonly bodyDigest: string };
}

/** Sends commands to an account. Never answers `unknownAccount`: an account that a crash left unopened is opened first. */
export interface AccountGateway {
  /** @throws {RequestError} 422, 429, 500, 503 or 504 according to the command's outcome */
  send(accountId: string, command: AccountCommand, options: SendOptions): Promise<Outcome>;
}
