// Values of the cookie that keeps a browser logged in: `<session>.<number>.<signature>`. The signature is made with a key
// drawn from a signing key of access tokens and the session's salt, so nothing that is stored makes a value, and a signing
// key that is taken away ends the cookies that it has signed. The session's document says which number is the newest.
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import type { SessionCookie, SessionDocument } from '../../../shared/mongo/sessionStore.ts';

const FORM = /^(ses_[0-9a-f]{24})\.([1-9][0-9]{0,8})\.([\w-]{43})$/;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** What a cookie says; whether it is true is asked with the session at hand. */
export interface ShownCookie {
  readonly sessionId: string;
  readonly number: number;
  readonly signature: string;
}

/** The cookie of a session that begins. */
export function firstCookie(timeMs: number): SessionCookie {
  return { salt: randomBytes(SALT_BYTES).toString('base64url'), number: 1, rotatedAt: new Date(timeMs) };
}

/** @returns undefined for a text of another form */
export function readShown(text = ''): ShownCookie | undefined {
  const [, sessionId, number, signature] = FORM.exec(text) ?? [];
  if (sessionId === undefined || signature === undefined) return undefined;
  return { sessionId, number: Number(number), signature };
}

export class RefreshCookies {
  readonly #secrets: Pick<DeploymentSecrets, 'signingKeys'>;

  constructor(secrets: Pick<DeploymentSecrets, 'signingKeys'>) {
    this.#secrets = secrets;
  }

  /** The newest value of a session's cookie: the same text each time. */
  async newest(sessionId: string, { salt, number }: SessionCookie): Promise<string> {
    const [{ secret }] = await this.#secrets.signingKeys();
    return `${sessionId}.${number}.${signature({ secret, salt }, { sessionId, number }).toString('base64url')}`;
  }

  /** Whether this deployment has made the value for the session, whenever that was. */
  async isGenuine(shown: ShownCookie, session: Pick<SessionDocument, 'cookie'> | null): Promise<boolean> {
    const salt = session?.cookie?.salt;
    if (salt === undefined) return false;
    const given = Buffer.from(shown.signature, 'base64url');
    return (await this.#secrets.signingKeys()).some(({ secret }) => timingSafeEqual(given, signature({ secret, salt }, shown)));
  }
}

function signature(
  by: { readonly secret: string; readonly salt: string },
  { sessionId, number }: Pick<ShownCookie, 'sessionId' | 'number'>,
): Buffer {
  const key = hkdfSync('sha256', by.secret, by.salt, 'paper-perps-exchange refresh cookie', KEY_BYTES);
  return createHmac('sha256', Buffer.from(key)).update(`${sessionId}.${number}`).digest();
}
