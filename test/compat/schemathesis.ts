// Runs schemathesis, which makes good and bad requests from the published contract and checks the answers against it.
// It gets credentials, so that its requests are admitted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPython } from './pythonClient.ts';

/** The checks of each answer. */
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
].join(',');

/** The module of the check that a request is refused for its form where its schema refuses it, and nowhere else. */
const FORM = 'contract_form';
const PYTHON_DIR = fileURLToPath(new URL('python', import.meta.url));

/** This request ends its own token, so it gets a token that nobody else needs. */
const LAST_USE = 'logout';

export interface Fuzzing {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly token: string;
  /** A token that may be ended. */
  readonly spareToken: string;
  /** Requests of one operation, beside the contract's own examples. */
  readonly casesEach: number;
  /** `coverage` goes through boundary values of each field one by one: thousands of requests. */
  readonly phases: readonly ('examples' | 'coverage' | 'fuzzing')[];
  readonly seed: number;
}

interface Found {
  readonly ok: boolean;
  readonly output: string;
}

/** @returns whether all answers were as published, and what it printed */
export const fuzz = ({ baseUrl, casesEach, phases, seed, ...credentials }: Fuzzing): Promise<Found> =>
  run(baseUrl, configOf(credentials), [
    ...['--checks', CHECKS, '--phases', phases.join(','), '--max-examples', String(casesEach), '--seed', String(seed)],
  ]);

/** @returns whether each boundary of each field is where the schema says, and what it printed */
export const checkForm = (baseUrl: string): Promise<Found> =>
  run(baseUrl, '', ['--checks', 'form_is_the_schema', '--phases', 'coverage', '--exclude-path-regex', '/key/|/admin/'], {
    ...{ SCHEMATHESIS_HOOKS: FORM, PYTHONPATH: PYTHON_DIR, BASE_URL: baseUrl },
  });

async function run(baseUrl: string, settings: string, options: readonly string[], env: object = {}): Promise<Found> {
  const dir = mkdtempSync(join(tmpdir(), 'paper-fuzz-'));
  const config = join(dir, 'schemathesis.toml');
  writeFileSync(config, settings);
  const child = spawn(
    join(dirname(findPython()), 'schemathesis'),
    [
      ...['--config-file', config, 'run', `${baseUrl}/v1/openapi.json`, '--url', baseUrl],
      ...options,
      ...['--continue-on-failure', '--generation-database', 'none', '--suppress-health-check', 'all', '--workers', '2'],
      ...['--no-color', '--warnings', 'off', '--request-timeout', '20'],
    ],
    { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  const [code] = await once(child, 'close');
  rmSync(dir, { recursive: true });
  return { ok: code === 0, output };
}

const configOf = ({ apiKey, token, spareToken }: Pick<Fuzzing, 'apiKey' | 'token' | 'spareToken'>): string => `
[auth.openapi.apiKey]
api_key = "${apiKey}"

[auth.openapi.accessToken]
bearer = "${token}"

[parameters]
"path.api_key" = "${apiKey}"

[[operations]]
include-operation-id = "${LAST_USE}"
headers = { Authorization = "Bearer ${spareToken}" }
`;
