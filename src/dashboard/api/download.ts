// A file of the API, saved by the browser as one of its downloads. It comes by a request of the page, because a link would carry no token.
import { readAnswer } from './answer.ts';
import { accessToken, renewSession } from './browserSession.ts';

/** @param name of the file @throws {ApiError} with what the API refused @throws {TypeError} when there is no connection */
export async function download(path: string, name: string): Promise<void> {
  const token = accessToken.peek();
  let response = await ask(path, token);
  if (response.status === 401 && token !== undefined && (await renewSession(token)))
    response = await ask(path, accessToken.peek());
  if (!response.ok) await readAnswer(response);
  const address = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

const ask = (path: string, token: string | undefined): Promise<Response> =>
  fetch(path, { cache: 'no-store', credentials: 'omit', headers: { authorization: `Bearer ${token}` } });
