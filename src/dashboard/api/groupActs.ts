// What the page does to the accounts of a user: makes one, renames one, moves USD between two. They are the master's acts, whichever
// account is shown.
import { sendAction } from './sendAction.ts';

/** Hears until when the outcome of an act is not known, ms since the epoch. */
type OnUnknown = (untilMs: number) => void;

/** @throws {ApiError} with the refusal */
export async function createSubAccount(name: string): Promise<void> {
  await sendAction({ type: 'createSubAccount', name });
}

/** @throws {ApiError} with the refusal */
export async function renameSubAccount(subAccountUser: string, name: string): Promise<void> {
  await sendAction({ type: 'subAccountModify', subAccountUser, name });
}

export interface TransferWish {
  readonly subAccountUser: string;
  /** From the master account to the sub-account. */
  readonly isDeposit: boolean;
  /** Millionths of a USD. */
  readonly usd: number;
}

/**
 * Moves USD. Sent again under the same key it is the same transfer.
 * @throws {ApiError} with the refusal, or while its outcome stays unknown
 */
export async function transfer(wish: TransferWish, idempotencyKey: string, onUnknown: OnUnknown): Promise<void> {
  await sendAction({ type: 'subAccountTransfer', ...wish }, { idempotencyKey, onUnknown });
}
