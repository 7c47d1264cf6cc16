// The codes by which an import is refused, and so a mirror, which begins with one.
import { ACCOUNT_ERRORS } from '../account/owner.ts';

export const IMPORT_ERRORS = {
  ...ACCOUNT_ERRORS,
  400: [...ACCOUNT_ERRORS[400], 'import_refused', 'seq_forgotten', 'upstream_refused'],
  403: ['limited_key'],
  409: ['account_not_empty'],
  429: ['too_many_reads', 'upstream_limited'],
  502: ['upstream_unreadable'],
  503: ['busy', 'store_unavailable', 'upstream_busy', 'upstream_unavailable'],
} as const;
