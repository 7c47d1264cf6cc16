// The cookie that keeps a browser logged in. Four endpoints ever see it: everything else asks for a header, which no page
// of another site can send. Its value is made and checked in refreshCookies.ts.
import type { Config } from '../../../shared/config/config.ts';

/** Where a browser sends the cookie: here and below, and nowhere else. */
export const COOKIE_PATH = '/v1/auth/session';

type CookieConfig = Pick<Config, 'PUBLIC_URL'>;

/** A browser keeps cookies of all ports of a host together, so by plain http, which is for one machine, the port is in the name. */
export function cookieName({ PUBLIC_URL }: CookieConfig): string {
  const { protocol, port } = new URL(PUBLIC_URL);
  return protocol === 'https:' ? '__Secure-refresh' : `refresh-${port || '80'}`;
}

/** @param seconds how long the browser keeps it; 0 = it forgets it @returns the text of a `Set-Cookie` header */
export function cookieHeader(config: CookieConfig, value: string, seconds: number): string {
  const secure = new URL(config.PUBLIC_URL).protocol === 'https:' ? ' Secure;' : '';
  return `${cookieName(config)}=${value}; HttpOnly;${secure} SameSite=Strict; Path=${COOKIE_PATH}; Max-Age=${seconds}`;
}

/** @returns undefined where there is none, and where there are several: one of them was planted */
export function readCookie(config: CookieConfig, header = ''): string | undefined {
  const start = `${cookieName(config)}=`;
  const own = header.split(';').map((pair) => pair.trim());
  const [value, ...others] = own.filter((pair) => pair.startsWith(start));
  return others.length === 0 ? value?.slice(start.length) : undefined;
}
