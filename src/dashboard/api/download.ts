// Files of the API, saved by the browser among its downloads. They come by a request of the page, because a link would carry no token.
import { readAnswer } from './answer.ts';
import { accessToken, renewSession } from './browserSession.ts';

/** @throws {ApiError} with what the API refused @throws {TypeError} when there is no connection, or it broke off */
export async function fetchFile(path: string, signal?: AbortSignal): Promise<Blob> {
  const token = accessToken.peek();
  let response = await ask(path, token, signal);
  if (response.status === 401 && token !== undefined && (await renewSession(token)))
    response = await ask(path, accessToken.peek(), signal);
  if (!response.ok) await readAnswer(response);
  return await response.blob();
}

/** @param name of the file */
export function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

const ask = (path: string, token: string | undefined, signal: AbortSignal | undefined): Promise<Response> =>
  fetch(path, { cache: 'no-store', credentials: 'omit', headers: { authorization: `Bearer ${token}` }, signal: signal ?? null });
