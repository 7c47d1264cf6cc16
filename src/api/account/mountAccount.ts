// Mounts the endpoints that change an account as a whole. A new one is a file of its own and a line here.
import type { AuthParts, AuthRouter } from '../auth/authParts.ts';
import { mountResetAccount } from './resetAccount.ts';
import { mountSetBalance } from './setBalance.ts';
import { mountTopUp } from './topUp.ts';

export function mountAccount(router: AuthRouter, parts: AuthParts): void {
  mountTopUp(router, parts);
  mountResetAccount(router, parts);
  mountSetBalance(router, parts);
}
