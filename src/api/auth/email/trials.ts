// Whether an e-mail address gets a trial: each mailbox once. What is kept of it is a hash that only the deployment's
// secret can make.
import { createHmac } from 'node:crypto';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import type { Taken, TrialStore } from '../../../shared/mongo/trialStore.ts';
import type { User, UserStore } from '../../../shared/mongo/userStore.ts';
import { mailboxOf } from './mailbox.ts';

export interface TrialParts {
  readonly secrets: Pick<DeploymentSecrets, 'keyFor'>;
  readonly store: TrialStore;
  readonly users: Pick<UserStore, 'findById'>;
}

export class Trials {
  readonly #parts: TrialParts;

  constructor(parts: TrialParts) {
    this.#parts = parts;
  }

  /** Takes the trial of a user who is about to be made. */
  async take({ _id, email }: Pick<User, '_id' | 'email'>, at: Date): Promise<Taken> {
    const { store, users } = this.#parts;
    const hasUser = async (id: string): Promise<boolean> => (await users.findById(id)) !== null;
    return store.take({ _id: await this.#digest(email), userId: _id, at }, hasUser);
  }

  /** Notes that a user who is about to be removed had a trial. */
  async keep({ _id, email }: Pick<User, '_id' | 'email'>, at: Date): Promise<void> {
    await this.#parts.store.keep({ _id: await this.#digest(email), userId: _id, at });
  }

  async #digest(email: string): Promise<string> {
    const key = await this.#parts.secrets.keyFor('e-mail digests');
    return createHmac('sha256', key).update(mailboxOf(email)).digest('base64url');
  }
}
