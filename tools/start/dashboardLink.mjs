// The address of the dashboard with a one-time link that logs a browser of this machine in as the demo account.
import { join } from 'node:path';
import { runToEnd } from './command.mjs';
import { isOfOneMachine } from './ofOneMachine.mjs';
import { PROJECT_DIR } from './project.mjs';
import { Refusal } from './refusal.mjs';

/**
 * @param {import('./demo.mjs').Demo} demo
 * @param {object} context
 * @param {Record<string, string>} context.env of the roles
 * @param {AbortSignal} context.signal
 * @returns {Promise<{ url: string, isLink: boolean } | undefined>} the page alone where other machines reach the exchange; undefined where
 *   it serves no dashboard
 * @throws {Refusal} with what the command said
 */
export async function dashboardLink({ userId }, { env, signal }) {
  if ((process.env['DASHBOARD'] || 'on') !== 'on') return undefined;
  const publicUrl = (env['PUBLIC_URL'] ?? '').replace(/\/+$/, '');
  if (!isOfOneMachine({ HOST: env['HOST'] ?? '', PUBLIC_URL: publicUrl })) return { url: `${publicUrl}/overview`, isLink: false };
  const args = [join(PROJECT_DIR, 'dist', 'admin.js'), '--json', 'user', 'login-link', userId];
  const { ok, output } = await runToEnd(process.execPath, args, { cwd: PROJECT_DIR, env, signal });
  if (!ok) throw new Refusal(`The link to the dashboard could not be made: ${output.trim()}`);
  return { url: `${publicUrl}${JSON.parse(output).path}`, isLink: true };
}
