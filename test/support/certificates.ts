// An authority and a server's certificate for this machine, made on the spot with openssl.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificates {
  /** The authority's certificate. */
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
  /** Makes another key and certificate of the server in the same files. */
  renew(): void;
  remove(): void;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const NAMES = 'subjectAltName=DNS:localhost,IP:127.0.0.1\n';

export function makeCertificates(): Certificates {
  const dir = mkdtempSync(join(tmpdir(), 'paper-tls-'));
  const file = (name: string): string => join(dir, name);
  const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { stdio: 'pipe' });
  const [ca, caKey, key, cert, request, names] = ['ca.crt', 'ca.key', 'server.key', 'server.crt', 'server.csr', 'names'].map(
    file,
  ) as [string, string, string, string, string, string];
  writeFileSync(names, NAMES);
  openssl('req', '-x509', ...CURVE, '-keyout', caKey, '-out', ca, '-days', '2', '-subj', '/CN=authority of a test');
  const renew = (): void => {
    openssl('req', ...CURVE, '-keyout', key, '-out', request, '-subj', '/CN=localhost');
    openssl('x509', '-req', '-in', request, '-CA', ca, '-CAkey', caKey, '-days', '2', '-extfile', names, '-out', cert);
  };
  renew();
  return { ca, key, cert, renew, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
