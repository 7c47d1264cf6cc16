// An account given away by its owner, so that others answer questions about it (docs/adr/0011-account-views.md).
import type { StoredForm } from '../../../../shared/domain/formats.ts';

/**
 * An account given away. It is the account of now for as long as the shard's hash of versions names the answer's `seq` for it, and
 * this token as its owner, and the lease stands and is the owner's (`shardKeys.versions`).
 */
export interface AccountView {
  /** `<token of the lease>:<random>`: no two recoveries have the same. */
  readonly token: string;
  /** When the account acts by itself, ms: from then on the actor has to be asked. `null` = never. */
  readonly nextDueMs: number | null;
  /** Its snapshot; `readSnapshot` makes it an account. */
  readonly state: StoredForm;
}

/**
 * An account stays in memory at least this long after a view of it was given away, and the view holds no longer than the account
 * is in memory, ms. Who goes on answering from a view asks for it anew after half of it.
 */
export const VIEW_LIFE_MS = 300_000;
