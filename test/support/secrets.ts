// Texts that no log line and no error body may contain. The outputs of every API node, stack and bin/start that a
// test starts are searched for them: error bodies as they come (errorBodies.ts), logs at the end.
import type { StreamMessage } from './streamContract.ts';

const SECRETS: readonly { readonly name: string; readonly form: RegExp }[] = [
  { name: 'an API key', form: /pe_[0-9A-Za-z]{24,}/ },
  { name: 'an access token', form: /eyJ[\w-]{8,}\.[\w-]+\.[\w-]+/ },
  { name: 'a device token', form: /dev\.[\w-]{16}\.\w+\.[\w-]{20,}/ },
  { name: 'a hash of a password', form: /\$argon2/ },
  { name: 'a digest of a key or token', form: /\b[0-9a-f]{64}\b/ },
  { name: 'the link of a password mail', form: /[?&#]token=[\w-]{20,}/ },
  // The passwords that tests use.
  { name: 'a password', form: /\b(?:a|an|another) (?:good|bad|new) password\b|correct horse battery/ },
];
const SHOWN_CHARACTERS = 120;

/** @param message of a stream: an error, or the answer to a post that was refused. Others may show hashes of what happened. */
export function requireNoSecretsIn(message: StreamMessage): void {
  const { channel, data } = message;
  const { type, payload } = data?.response ?? {};
  const isError = channel === 'error' || type === 'error' || payload?.status === 'err' || payload?.detail !== undefined;
  if (isError) requireNoSecrets(JSON.stringify(data), `A message of ${channel}`);
}

/** @throws Error that names the secret and shows what stands before it */
export function requireNoSecrets(text: string, where: string): void {
  for (const { name, form } of SECRETS) {
    const at = text.search(form);
    if (at !== -1) throw new Error(`${where} has ${name}: …${text.slice(Math.max(0, at - SHOWN_CHARACTERS), at + 8)}`);
  }
}
