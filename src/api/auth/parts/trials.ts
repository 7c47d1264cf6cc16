// The trial that each mailbox has once.

import { createHmac } from 'node:crypto';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import type { Taken, TrialStore } from '../../../shared/mongo/trialStore.ts';
import type { User, UserStore } from '../../../shared/mongo/userStore.ts';

// The mailbox behind an e-mail address: addresses that differ only in what their provider ignores are one. Only providers that
// document this are listed; elsewhere a tag may be another person's.

/** Everything from a plus sign on is a tag of the user's own. */
const WITH_TAGS = new Set([
  ...['gmail.com', 'outlook.com', 'hotmail.com', 'live.com', 'icloud.com', 'me.com', 'mac.com', 'fastmail.com'],
  ...['proton.me', 'protonmail.com', 'pm.me', 'zoho.com', 'yandex.com'],
]);
/** Dots in the local part mean nothing. */
const WITHOUT_DOTS = new Set(['gmail.com']);
/** Names of one provider. */
const SAME: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' };

/** @param email in lower case */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@');
  const given = email.slice(at + 1);
  const host = SAME[given] ?? given;
  let local = email.slice(0, at);
  const plus = local.indexOf('+');
  if (WITH_TAGS.has(host) && plus > 0) local = local.slice(0, plus);
  if (WITHOUT_DOTS.has(host)) local = local.replaceAll('.', '');
  return `${local}@${host}`;
}

// Whether an e-mail address gets a trial: each mailbox once. What is kept of it is a hash that only the deployment's secret can
// make.

interface TrialParts {
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
