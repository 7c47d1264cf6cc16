// The page's one socket, opened with the session and closed with it.
import { StreamSocket } from '../api/streamSocket.ts';

export const stream = new StreamSocket(`${location.origin.replace(/^http/, 'ws')}/v1/exchanges/perpx/ws`);
