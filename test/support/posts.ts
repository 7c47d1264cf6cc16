// The requests that one socket has posted: an answer is checked against the schema of its own request, which the
// answer does not name.
import { answerFaults } from './contract.ts';
import type { StreamMessage } from './streamContract.ts';

/** A frame that a client sent, as far as it is a post. */
interface Post {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly request?: { readonly payload?: unknown };
}

export class Posts {
  readonly #requests = new Map<unknown, unknown>();

  /** @param text a frame as it was sent, readable or not */
  onSent(text: string): void {
    if (!text.includes('"post"')) return;
    let frame: Post;
    try {
      frame = JSON.parse(text);
    } catch {
      // Tests send what nobody can read, too.
      return;
    }
    if (frame.method === 'post') this.#requests.set(frame.id, frame.request?.payload);
  }

  /** @throws Error that says how the answer to a post is not as published; other messages pass */
  requireAnswer({ channel, data }: StreamMessage): void {
    if (channel !== 'post') return;
    const request = this.#requests.get(data.id);
    const { type, payload } = data.response;
    const isInfo = type === 'info';
    // An error is text; the body of a 400 or 403 is the same for every action.
    if (type === 'error' || (!isInfo && 'detail' in payload)) return;
    const faults = isInfo ? answerFaults('info', request, payload.data) : answerFaults('exchange', request, payload);
    if (faults.length > 0) throw new Error(`not an answer to ${JSON.stringify(request)}: ${faults.slice(0, 5).join('; ')}`);
  }
}
