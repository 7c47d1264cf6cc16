// The key and the certificate of HTTPS, from files. They are read at the start, where a wrong one is said in a sentence,
// and again when they have changed, for certificates are renewed while the API runs.
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly key: string;
  /** The certificate, and those between it and its authority. */
  readonly cert: string;
}

/** The files of HTTPS_KEY and HTTPS_CERT; undefined without them. */
export const tlsFilesOf = ({ HTTPS_KEY, HTTPS_CERT }: { HTTPS_KEY: string; HTTPS_CERT: string }): TlsFiles | undefined =>
  HTTPS_KEY === '' ? undefined : { key: HTTPS_KEY, cert: HTTPS_CERT };

/** @throws Error that names the variable and the file, and says what is wrong */
export function readTlsFiles(files: TlsFiles): { key: Buffer; cert: Buffer } {
  const pair = { key: readPart('HTTPS_KEY', files.key), cert: readPart('HTTPS_CERT', files.cert) };
  try {
    createSecureContext(pair);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`HTTPS_KEY (${files.key}) and HTTPS_CERT (${files.cert}) are no key and its certificate in PEM: ${why}.`, {
      cause,
    });
  }
  return pair;
}

/** When the first certificate of a PEM file ends, ms since the epoch: the server's own comes before those above it. */
export const endOfCertificate = (pem: Buffer): number => Date.parse(new X509Certificate(pem).validTo);

/** What changes when the files do; empty while one of them is away. */
export function versionOf({ key, cert }: TlsFiles): string {
  const times = [key, cert].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs);
  return times.includes(undefined) ? '' : times.join();
}

function readPart(name: 'HTTPS_KEY' | 'HTTPS_CERT', path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${name}: the file ${path} cannot be read: ${why}.`, { cause });
  }
}
