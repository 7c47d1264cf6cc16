import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { ConfigSchema, readConfig } from '../../src/shared/config.ts';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly container_name?: string;
  readonly stop_grace_period?: string;
}

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('docker-compose.yml', root), 'utf8');
const { services, volumes } = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8');
const main = readFileSync(new URL('src/main.ts', root), 'utf8');
const known = Object.keys(ConfigSchema.properties);
const roles = ['market', 'actors', 'jobs', 'api'];
const service = (name: string): Service => services[name] ?? {};

describe('docker-compose.yml starts what there is', () => {
  it('has the two stores and the image in four roles', () =>
    expect(Object.keys(services)).to.have.members(['redis', 'mongodb', ...roles]));

  for (const role of roles) {
    it(`${role}: is a role that src/main.ts knows`, () => {
      expect(service(role).command).to.deep.equal([role]);
      expect(main).to.match(new RegExp(`^  ${role}: async`, 'm'));
    });

    it(`${role}: every variable is one the configuration reads, and the values are accepted`, () => {
      const environment = service(role).environment ?? {};
      expect(known).to.include.members(Object.keys(environment));
      const values = Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:-(.*?)\}/, '$1')]);
      expect(() => readConfig(Object.fromEntries(values))).not.to.throw();
    });

    it(`${role}: waits for stores that are healthy, and is probed itself`, () => {
      expect(service(role).depends_on).to.deep.equal({
        redis: { condition: 'service_healthy' },
        mongodb: { condition: 'service_healthy' },
      });
      const probe = service(role).healthcheck?.test.join(' ') ?? '';
      const port = role === 'api' ? service(role).environment?.['PORT'] : service(role).environment?.['METRICS_PORT'];
      expect(probe).to.include(`127.0.0.1:${port}/health`);
    });
  }

  it('substitutes only variables that the configuration reads', () => {
    const substituted = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    expect(known).to.include.members(substituted);
  });

  it('actors can be scaled: no name and no port of their own', () => {
    expect(service('actors').container_name).to.equal(undefined);
    expect(service('actors').ports).to.equal(undefined);
  });

  it('Redis keeps an append-only file on a volume and evicts nothing', () => {
    const command = service('redis').command?.join(' ');
    expect(command).to.include('--appendonly yes').and.to.include('--maxmemory-policy noeviction');
    expect(service('redis').volumes).to.deep.equal(['redis:/data']);
    expect(volumes).to.have.property('redis');
  });

  it('Redis and the roles are told the same durability', () => {
    const durability = roles.map((role) => service(role).environment?.['REDIS_DURABILITY']);
    expect(new Set([...durability, service('redis').command?.[4]]).size).to.equal(1);
  });

  it('MongoDB is a replica set, and the roles address it as one', () => {
    expect(service('mongodb').command).to.include('--replSet');
    expect(service('api').environment?.['MONGO_URL']).to.include('replicaSet=rs0');
  });
});

describe('the Dockerfile builds from what there is', () => {
  const ignored = readFileSync(new URL('.dockerignore', root), 'utf8').split('\n');
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '));

  it('copies files that exist and are not ignored', () => {
    expect(copied).not.to.have.lengthOf(0);
    for (const file of copied) {
      expect(existsSync(new URL(file, root)), file).to.equal(true);
      expect(ignored).not.to.include(file.split('/')[0]);
    }
  });

  it('runs npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: Record<string, string> };
    for (const [, name = ''] of dockerfile.matchAll(/npm run (\w+)/g)) expect(scripts).to.have.property(name);
  });

  it('runs the entry point as an ordinary user', () => {
    expect(dockerfile).to.include('ENTRYPOINT ["node", "--enable-source-maps", "dist/main.js"]');
    expect(dockerfile).to.match(/^USER node$/m);
  });
});
