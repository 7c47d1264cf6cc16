// What a draft tells API nodes: the replies that they wait for, and entries of accounts that they follow. A reply too long for a
// message is kept under a key of its own, and the message says so.
import type { Format } from '../../../shared/domain/formats.ts';
import { repliesChannel } from '../../../shared/redis/keys.ts';
import type { CommandId } from '../../core/messages/entry.ts';
import { type CommandEnvelope, type SentReply, writeReply } from '../../core/messages/envelope.ts';

import type { FollowerEntries } from '../actorMetrics.ts';
/**
 * Characters of replies that are joined to a text, and of a published message, but for a single reply: Redis ends a subscriber
 * that it cannot get rid of 32 MB.
 */
export const MESSAGE_CHARS_MAX = 256_000;
/** A longer reply is kept under a key of its own: its reader takes it when it can, and delays the replies of no other. */
const REPLY_CHARS_MAX = 16_000;
/** Life of such a reply, ms: a node that lives has taken it by then, however busy it is. */
export const KEPT_REPLY_MS = 30_000;

export class DraftReplies {
  readonly kept: { readonly id: CommandId; readonly text: string }[] = [];
  readonly #format: Format;
  readonly #byNode = new Map<string, string[]>();
  #chars = 0;
  #followerEntries: FollowerEntries = { entries: 0, chars: 0 };

  constructor(format: Format) {
    this.#format = format;
  }

  get chars(): number {
    return this.#chars;
  }

  add({ replyTo, id }: CommandEnvelope, reply: SentReply): void {
    if (replyTo === undefined) return;
    let text = writeReply(id, reply, this.#format);
    this.#chars += text.length;
    if (text.length > REPLY_CHARS_MAX) {
      this.kept.push({ id, text: `[${text}]` });
      text = writeReply(id, { isKept: true }, this.#format);
    }
    this.#put(replyTo, text);
  }

  get followerEntries(): FollowerEntries {
    return this.#followerEntries;
  }

  sendEntry(node: string, text: string): void {
    this.#chars += text.length;
    this.#followerEntries = { entries: this.#followerEntries.entries + 1, chars: this.#followerEntries.chars + text.length };
    this.#put(node, text);
  }

  #put(node: string, text: string): void {
    const texts = this.#byNode.get(node);
    if (texts === undefined) this.#byNode.set(node, [text]);
    else texts.push(text);
  }

  /** A node's channel and replies to it, joined by commas, in turn; in as few texts as their length allows. */
  texts(): string[] {
    const texts: string[] = [];
    for (const [replyTo, replies] of this.#byNode) {
      const channel = repliesChannel(replyTo);
      let from = 0;
      let chars = 0;
      for (let at = 0; at < replies.length; at++) {
        const { length } = replies[at] as string;
        chars += length;
        if (chars <= MESSAGE_CHARS_MAX || at === from) continue;
        texts.push(channel, replies.slice(from, at).join(','));
        from = at;
        chars = length;
      }
      texts.push(channel, replies.slice(from).join(','));
    }
    return texts;
  }
}
