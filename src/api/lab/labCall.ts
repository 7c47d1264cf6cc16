// A request under a failure lab, as the parts that handle it see it.
import type { LabNote } from '../../actors/core/messages/labNote.ts';
import type { LabProfile } from '../../shared/domain/labProfile.ts';
import type { LabRequest } from '../domain/labPlan.ts';
import type { SeenMarket } from './feed/pastMarkets.ts';

/** A call under a lab; what of its draw the account has been told. */
export interface LabCall extends Omit<LabRequest, 'note'> {
  /** Completed when the request becomes a command. */
  note: LabNote;
  isNoted: boolean;
  /** The market as the call sees it, where that is another one. */
  readonly seen?: SeenMarket | undefined;
  /** Uses up the nonce of an action, where the profile is strict about them. @returns the venue's refusal of it */
  readonly useNonce?: ((nonce: unknown) => Promise<string | undefined>) | undefined;
}

/** The end of the client's connection: nothing is held for a client that is gone. */
export interface Closing {
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

export interface UnderLab {
  readonly profile: LabProfile;
  readonly on: LabNote['on'];
  readonly closing: Closing;
}
