// The settings that bin/start --observe gives a Grafana. The program is a stand-in that notes what it is given and says that it is
// well.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';

/** The start is plain JavaScript, for it runs before anything is installed. */
const load = (name: string) => import(`../../tools/start/${name}.mjs`);

interface Folder {
  folder(...names: readonly string[]): string;
  remember(key: string, value: unknown): void;
  close(): void;
}

const PROMETHEUS = 'http://127.0.0.1:9099';
const STAND_IN = `#!/usr/bin/env node
const { writeFileSync } = require('node:fs');
const settings = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('GF_')));
writeFileSync(__filename + '.json', JSON.stringify({ args: process.argv.slice(2), settings }));
require('node:http')
  .createServer((request, response) => response.writeHead(request.url === '/api/health' ? 200 : 404).end('{}'))
  .listen(Number(settings.GF_SERVER_HTTP_PORT), settings.GF_SERVER_HTTP_ADDR);
`;

describe('bin/start --observe and a Grafana', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paper-grafana-'));
  const program = join(folder, 'bin', 'grafana-server');
  const path = process.env['PATH'];
  const services: { stop(): Promise<void> }[] = [];
  let data: Folder;
  const start = async (): Promise<string | undefined> =>
    (await load('grafana')).startGrafana(data, {
      prometheus: PROMETHEUS,
      onService: (service: { stop(): Promise<void> }) => services.push(service),
      signal: new AbortController().signal,
    });

  before(async () => {
    data = new (await load('dataFolder')).DataFolder(join(folder, 'data'));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(program, STAND_IN);
    chmodSync(program, 0o755);
  });
  afterEach(() => {
    process.env['PATH'] = path;
  });
  after(async () => {
    for (const service of services) await service.stop();
    data.close();
    rmSync(folder, { recursive: true });
  });

  it('starts the one of the path with the data source and the dashboards, on loopback, for looking only', async () => {
    process.env['PATH'] = `${join(folder, 'bin')}${delimiter}${path}`;
    const url = await start();
    const { args, settings } = JSON.parse(readFileSync(`${program}.json`, 'utf8'));
    expect(args).to.satisfy((words: string[]) => words.length === 0 || (words[0] === '--homepath' && words.length === 2));
    expect(url).to.equal(`http://${settings.GF_SERVER_HTTP_ADDR}:${settings.GF_SERVER_HTTP_PORT}`);
    expect(settings).to.include({
      ...{ GF_SERVER_HTTP_ADDR: '127.0.0.1', GF_AUTH_ANONYMOUS_ENABLED: 'true', GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer' },
      ...{ GF_AUTH_DISABLE_LOGIN_FORM: 'true', GF_ANALYTICS_REPORTING_ENABLED: 'false' },
    });
    expect(settings.GF_SECURITY_ADMIN_PASSWORD).to.have.length.above(30);
    for (const name of ['DATA', 'LOGS', 'PLUGINS', 'PROVISIONING']) {
      expect(settings[`GF_PATHS_${name}`]).to.match(new RegExp(`^${data.folder('grafana')}/`));
    }
    const provisioned = (kind: string) => {
      const [file = '', ...more] = readdirSync(join(settings.GF_PATHS_PROVISIONING, kind));
      expect(more, kind).to.deep.equal([]);
      expect(statSync(join(settings.GF_PATHS_PROVISIONING, kind, file)).mode & 0o077, kind).to.equal(0);
      return parse(readFileSync(join(settings.GF_PATHS_PROVISIONING, kind, file), 'utf8'));
    };
    const deployed = parse(
      readFileSync(new URL('../../deploy/grafana/provisioning/datasources/prometheus.yaml', import.meta.url), 'utf8'),
    );
    const { apiVersion, datasources } = provisioned('datasources');
    const { name, uid, type, access, isDefault } = deployed.datasources[0];
    expect({ apiVersion, count: datasources.length }).to.deep.equal({ apiVersion: 1, count: 1 });
    expect(datasources[0]).to.include({ name, uid, type, access, isDefault, url: PROMETHEUS });
    const { providers } = provisioned('dashboards');
    expect(providers).to.have.length(1);
    expect(providers[0]).to.include({ type: 'file', allowUiUpdates: false });
    expect(readdirSync(providers[0].options.path)).to.deep.equal(
      readdirSync(new URL('../../deploy/grafana/dashboards', import.meta.url)),
    );
  });

  it('says how to go on without one', async () => {
    process.env['PATH'] = join(folder, 'nothing');
    data.remember('noGrafana', true);
    expect(await start()).to.equal(undefined);
    expect(services, 'nothing is started').to.have.length(1);
  });
});
