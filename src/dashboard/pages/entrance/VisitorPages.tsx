// The pages on the way to a session, by address: a new account, a forgotten password, and the links of mails and of bin/start.
import { matchRoute } from '../../domain/matchRoute.ts';
import { address } from '../../state/route.ts';
import { Enter } from './Enter.tsx';
import { ForgotPassword } from './ForgotPassword.tsx';
import { Register } from './Register.tsx';
import { ResetPassword } from './ResetPassword.tsx';
import { VerifyEmail } from './VerifyEmail.tsx';

const VIEWS = new Map([
  ['/register', Register],
  ['/forgot-password', ForgotPassword],
  ['/reset-password', ResetPassword],
  ['/verify-email', VerifyEmail],
]);

export default function VisitorPages() {
  // The address loses its token while the page is shown; its path stays.
  const View = matchRoute(address.peek().replace(/\?.*$/, ''), VIEWS)?.page ?? Enter;
  return <View />;
}
