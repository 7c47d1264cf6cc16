import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readConfig } from '../../src/shared/config/config.ts';
import { socketAddress } from '../../src/shared/config/redisAddress.ts';
import { ConfigSchema } from '../../src/shared/config/schema.ts';

interface Service {
  readonly image?: string;
  readonly build?: unknown;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly user?: string;
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
/** Variables that compose itself reads from .env, beside the configuration's variables. */
const OF_COMPOSE = [
  ...['REDIS_PASSWORD', 'MONGO_PASSWORD', 'MONGO_ROOT_PASSWORD', 'MONGO_KEY'],
  ...['REDIS_MEMORY', 'REDIS_MAXMEMORY', 'MONGO_MEMORY', 'ROLE_MEMORY'],
  ...['NODE_IMAGE_DIGEST', 'REDIS_IMAGE_DIGEST', 'MONGO_IMAGE_DIGEST'],
];
/** As compose reads a value: given ones stand for themselves, the others for their defaults, from the inside out. */
function substituted(value: string, given: Readonly<Record<string, string>>): string {
  const next = value.replace(/\$\{(\w+)(?::([-?])([^${}]*))?\}/, (_, name: string, kind: string, rest = '') => {
    return given[name] ?? (kind === '-' ? rest : '');
  });
  return next === value ? value : substituted(next, given);
}
const GIVEN = { REDIS_PASSWORD: 'a', MONGO_PASSWORD: 'b', JWT_SECRET: 'c'.repeat(32), DEPLOYMENT_SECRET: 'd'.repeat(32) };

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
      const values = Object.entries(environment).map(([name, value]) => [name, substituted(value, GIVEN)]);
      expect(() => readConfig(Object.fromEntries(values))).not.to.throw();
    });

    it(`${role}: waits for stores that are healthy, and is probed itself`, () => {
      expect(service(role).depends_on).to.deep.equal({
        redis: { condition: 'service_healthy' },
        mongodb: { condition: 'service_healthy' },
      });
      const probe = service(role).healthcheck?.test.join(' ') ?? '';
      // Not where clients ask: a probe must not be refused because clients of its address ask much.
      expect(probe).to.include(`127.0.0.1:${service(role).environment?.['METRICS_PORT']}/health`);
    });
  }

  it('substitutes only variables that the configuration or docs/deploy.md knows', () => {
    const names = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name as string);
    expect([...known, ...OF_COMPOSE]).to.include.members(names);
    const deployPage = readFileSync(new URL('docs/deploy.md', root), 'utf8');
    for (const name of OF_COMPOSE) expect(deployPage, name).to.include(name);
  });

  it('has no password of its own: without one it refuses to start and says where they come from', () => {
    for (const name of [
      'REDIS_PASSWORD',
      'MONGO_PASSWORD',
      'MONGO_ROOT_PASSWORD',
      'MONGO_KEY',
      'JWT_SECRET',
      'DEPLOYMENT_SECRET',
    ]) {
      const uses = [...text.matchAll(new RegExp(`\\$\\{${name}(:.*?)\\}`, 'g'))].map(([, rest]) => rest);
      expect(uses).to.not.have.length(0);
      expect(new Set(uses)).to.deep.equal(new Set([':?make .env as docs/deploy.md says']));
    }
  });

  for (const name of ['redis', 'mongodb', ...roles]) {
    it(`${name}: writes only what is named, keeps no privilege, has an end of memory, and no root in it`, () => {
      const { read_only, cap_drop, security_opt, mem_limit, user, image } = service(name);
      expect({ read_only, cap_drop, security_opt }).to.deep.equal({
        ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      });
      expect(substituted(mem_limit ?? '', {})).to.match(/^\d+g$/);
      if (roles.includes(name)) return expect(dockerfile).to.match(/^USER node$/m);
      expect(user).to.match(/^\d+:\d+$/);
      return expect(image).to.match(/^\w+:\d+\.\d+\.\d+[\w-]*\$\{\w+_IMAGE_DIGEST:-\}$/);
    });
  }

  it('no password is in an argument: shells of the containers read them from their surroundings', () => {
    for (const name of ['redis', 'mongodb']) expect(service(name).command?.join(' ')).to.not.match(/(?<!\$)\$\{/);
  });

  it('actors can be scaled: no name and no port of their own', () => {
    expect(service('actors').container_name).to.equal(undefined);
    expect(service('actors').ports).to.equal(undefined);
  });

  it('Redis keeps an append-only file on a volume and evicts nothing', () => {
    const command = service('redis').command?.join(' ');
    expect(command).to.include('--appendonly yes').and.to.include('--maxmemory-policy noeviction');
    expect(service('redis').volumes).to.include('redis:/data');
    expect(volumes).to.have.property('redis');
  });

  it('the roles reach Redis by its socket, in a volume of memory into which only Redis writes', () => {
    const [, socket = ''] = /--unixsocket (\S+)/.exec(service('redis').command?.join(' ') ?? '') ?? [];
    expect(service('redis').volumes).to.include(`redis-socket:${dirname(socket)}`);
    for (const role of roles) {
      expect(socketAddress(substituted(service(role).environment?.['REDIS_URL'] ?? '', GIVEN))).to.deep.equal({
        ...{ path: socket, username: 'exchange', password: GIVEN.REDIS_PASSWORD },
      });
      expect(service(role).volumes).to.deep.equal([`redis-socket:${dirname(socket)}:ro`]);
    }
    const [uid, gid] = (service('redis').user ?? '').split(':');
    expect(volumes['redis-socket']).to.deep.equal({
      driver_opts: { type: 'tmpfs', device: 'tmpfs', o: `uid=${uid},gid=${gid},mode=0755,size=1m` },
    });
  });

  it('Redis and the roles are told the same durability', () => {
    const durability = roles.map((role) => service(role).environment?.['REDIS_DURABILITY']);
    expect(service('redis').command?.join(' ')).to.include('--appendfsync "$$REDIS_DURABILITY"');
    expect(new Set([...durability, service('redis').environment?.['REDIS_DURABILITY']]).size).to.equal(1);
  });

  it('MongoDB is a replica set, and the roles address it as one', () => {
    expect(service('mongodb').command?.join(' ')).to.include('--replSet rs0').and.include('--keyFile');
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

  it('has all that a build reads before it builds', async () => {
    const build = 'build';
    const { MADE_FROM } = await import(`../../tools/start/${build}.mjs`);
    const [before = ''] = dockerfile.split('RUN npm run build');
    const there = [...before.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' '));
    for (const file of MADE_FROM as readonly string[])
      expect(
        there.some((one) => file === one || file.startsWith(`${one}/`)),
        file,
      ).to.equal(true);
  });

  it('runs npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { scripts: Record<string, string> };
    for (const [, name = ''] of dockerfile.matchAll(/npm run (\w+)/g)) expect(scripts).to.have.property(name);
  });

  it('begins with one version of Node, the one that bin/start advises, and installs what the lock file says', () => {
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    // Variables of the stores are compose's own, for the image of tests.
    const stores = [service('redis').image, service('mongodb').image];
    const ours = images.filter((image) => !stores.some((store) => store?.replace(':-}', '}') === image));
    expect(images.length - ours.length).to.equal(2);
    expect(new Set(ours).size).to.equal(1);
    expect(ours[0]).to.match(/^node:22\.\d+\.\d+-bookworm-slim\$\{NODE_IMAGE_DIGEST\}$/);
    expect(dockerfile).to.match(/^RUN npm ci$/m);
  });

  it('runs the entry point as an ordinary user', () => {
    expect(dockerfile).to.include('ENTRYPOINT ["node", "--enable-source-maps", "dist/main.js"]');
    expect(dockerfile).to.match(/^USER node$/m);
  });
});
