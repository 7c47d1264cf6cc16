// A browser sends no header of its own with a WebSocket, but a list of protocols: `['perpx.v1', 'bearer.<token>']`. The token is
// taken out of the list before anything else sees it, as a key is taken out of a path, and is read like one in a header.
import type { IncomingMessage } from 'node:http';

/** The protocol that the server chooses: a browser ends a connection for which none of its offers was chosen. */
export const STREAM_PROTOCOL = 'perpx.v1';
const TOKEN_START = 'bearer.';

/** A header `Authorization` counts where both are given; of several tokens none does. */
export function takeSocketToken({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const { 'sec-websocket-protocol': offered } = headers;
  if (offered === undefined || !offered.includes(TOKEN_START)) return;
  const offers = offered.split(',').map((offer) => offer.trim());
  const others = offers.filter((offer) => !offer.startsWith(TOKEN_START));
  const [token, ...more] = offers.filter((offer) => offer.startsWith(TOKEN_START));
  if (others.length > 0) headers['sec-websocket-protocol'] = others.join(', ');
  else delete headers['sec-websocket-protocol'];
  if (token !== undefined && more.length === 0) headers.authorization ??= `Bearer ${token.slice(TOKEN_START.length)}`;
}
