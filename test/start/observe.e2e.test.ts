// bin/start --observe with a real Prometheus, as a person runs it.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../support/ports.ts';
import { alerts } from '../support/promql.ts';
import { dataFolder, isAlive, running, StartCommand } from '../support/startCommand.ts';
import { until } from '../support/until.ts';

interface Target {
  readonly health: string;
  readonly labels: { readonly instance: string; readonly job: string };
}

describe('bin/start --observe', function () {
  this.timeout(600_000);
  const data = dataFolder();
  const commands: StartCommand[] = [];
  let port: number;

  const start = (...more: readonly string[]): StartCommand => {
    const command = new StartCommand(['--data', data, '--port', String(port), '--market', 'emulated', ...more]);
    commands.push(command);
    return command;
  };
  const portOf = (name: string): number => JSON.parse(readFileSync(join(data, 'run', `${name}.json`), 'utf8')).port;

  before(async () => {
    port = await freePort();
  });
  after(async () => {
    await Promise.all(commands.map((one) => one.abandon()));
    for (const pid of Object.values(running(data))) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    rmSync(data, { recursive: true });
  });

  it('starts a Prometheus that sees all roles and knows all rules', async () => {
    const command = start('--observe');
    await command.ready();
    const url = `http://127.0.0.1:${portOf('prometheus')}`;
    expect(command.output).to.include(`Prometheus         ${url}`);
    expect(command.output).to.match(/Grafana (?:is missing|did not start| {2,}http)/);
    // biome-ignore lint/suspicious/noExplicitAny: an answer of Prometheus
    const ask = async (path: string): Promise<any> => (await fetch(`${url}/api/v1/${path}`)).json();
    let targets: readonly Target[] = [];
    await until(async () => {
      targets = (await ask('targets')).data.activeTargets;
      return targets.length === 4 && targets.every(({ health }) => health === 'up');
    });
    const instances = targets.map(({ labels }) => `${labels.job} ${labels.instance}`);
    expect(instances).to.have.members(['api', 'actors', 'market', 'jobs'].map((role) => `exchange ${role}`));
    const { groups } = (await ask('rules')).data as { groups: readonly { rules: readonly { name: string }[] }[] };
    expect(groups.flatMap(({ rules }) => rules.map(({ name }) => name))).to.have.members(alerts.map(({ alert }) => alert));
    await until(async () => (await ask('query?query=service_taking_orders')).data.result[0]?.value[1] === '1');
  });

  it('what a killed start leaves of it is stopped by the next one, which may go without', async () => {
    commands[0]?.signal('SIGKILL');
    await commands[0]?.end();
    const left = running(data)['prometheus'] ?? 0;
    expect(isAlive(left)).to.equal(true);
    const command = start();
    await command.ready();
    expect(isAlive(left)).to.equal(false);
    command.signal('SIGTERM');
    expect(await command.end(), command.output).to.equal(0);
  });

  it('is stopped with all others', async () => {
    const command = start('--observe', '--once');
    expect(await command.end(), command.output).to.equal(0);
    expect(command.output).to.include('Prometheus         http');
    expect(running(data)).to.deep.equal({});
  });
});
