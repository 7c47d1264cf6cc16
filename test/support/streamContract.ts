// Checks the messages that an API sends over a WebSocket against the published contract: each message against the
// schema of its channel.
import { Ajv, type ValidateFunction } from 'ajv';
import { asyncApi } from '../../src/api/documents/asyncApi.ts';
import { readConfig } from '../../src/shared/config/config.ts';

export interface StreamMessage {
  readonly channel: string;
  // biome-ignore lint/suspicious/noExplicitAny: a message is what a client sees, JSON of any shape
  readonly data?: any;
  readonly seq?: number;
  readonly stateHash?: string;
  readonly more?: true;
}

// biome-ignore lint/suspicious/noExplicitAny: a contract is walked by name
type Node = any;

export const streamContract: Node = JSON.parse(JSON.stringify(asyncApi(readConfig({}))));

// Draft 07, which is what the document's schemas are written in.
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(streamContract, 'streams');
const compiled = new Map<string, ValidateFunction>();

/** Messages that the server sends, by their names in the document; answers to posts under `post.answer`. */
const SENT: ReadonlySet<string> = new Set(
  Object.values<Node>(streamContract.operations).flatMap(({ action, messages, reply }) =>
    [...(action === 'send' ? messages : []), ...(reply?.messages ?? [])].map(({ $ref }) => $ref.split('/').at(-1)),
  ),
);

/** @returns the parts of this message that the contract does not describe, one line each */
export function streamFaults(message: { readonly channel: string }): string[] {
  const name = message.channel === 'post' ? 'post.answer' : message.channel;
  return SENT.has(name) ? frameFaults(name, message) : [`${name}: not in the contract`];
}

/** @param name of the message in the document */
export function frameFaults(name: string, frame: unknown): string[] {
  const validate = compiled.get(name) ?? ajv.compile({ $ref: `streams#/components/messages/${name}/payload` });
  compiled.set(name, validate);
  if (validate(frame)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${name}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** @throws Error that says how the message is not as the contract has it */
export function requireStreamContract(message: { readonly channel: string }): void {
  const faults = streamFaults(message);
  if (faults.length === 0) return;
  throw new Error(`not as published: ${faults.slice(0, 5).join('; ')}: ${JSON.stringify(message).slice(0, 500)}`);
}
