// Sends commands to an account that may not be open yet. A user is stored before the account is opened, so a crash
// between the two leaves a user without an account. The next command finds that out here, opens the account and is
// sent again.
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../shared/domain/assert.ts';
import { OPENING_BALANCE_USD } from '../../shared/domain/plan.ts';
import type { AccountGateway, SendOptions } from './accountGateway.ts';

export class AccountCommands implements AccountGateway {
  readonly #gateway: AccountGateway;

  /** @param gateway may answer `unknownAccount` */
  constructor(gateway: AccountGateway) {
    this.#gateway = gateway;
  }

  async send(accountId: string, command: AccountCommand, options: SendOptions): Promise<Outcome> {
    const outcome = await this.#gateway.send(accountId, command, options);
    if (outcome.type !== 'unknownAccount') return outcome;
    await this.open(accountId, options);
    const second = await this.#gateway.send(accountId, command, options);
    assert(second.type !== 'unknownAccount', 'an account that was opened is known');
    return second;
  }

  /** The same, but leaves an account that was never opened as it is: `unknownAccount`. */
  sendToOpen(accountId: string, command: AccountCommand, options: SendOptions): Promise<Outcome> {
    return this.#gateway.send(accountId, command, options);
  }

  /** Opens the account with its first deposit, which a sub-account does not get; an open account stays as it is. */
  async open(accountId: string, { requestId, trace, opensEmpty }: Omit<SendOptions, 'idempotency'>): Promise<void> {
    const command = { type: 'openAccount', depositUsd: opensEmpty ? '0' : OPENING_BALANCE_USD } as const;
    const outcome = await this.#gateway.send(accountId, command, { requestId, trace });
    assert(outcome.type === 'accountOpened', `openAccount is answered by accountOpened, not ${outcome.type}`);
  }
}
