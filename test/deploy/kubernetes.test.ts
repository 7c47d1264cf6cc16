import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/shared/config/config.ts';
import { ConfigSchema } from '../../src/shared/config/schema.ts';
import { type Manifest, render } from '../support/kustomize.ts';

const root = new URL('../../', import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const dirOf = (overlay: string): string => fileURLToPath(new URL(`deploy/kubernetes/${overlay}`, root));
const main = text('src/main.ts');
const known = Object.keys(ConfigSchema.properties);
const ROLES = ['api', 'actors', 'market', 'jobs'];
/** The keys that the operator puts into the secrets that are not optional. */
const SECRETS: Readonly<Record<string, string>> = {
  REDIS_URL: 'redis://exchange:a@redis:6379',
  MONGO_URL: 'mongodb://exchange:b@mongodb:27017/?replicaSet=rs0&authSource=paper',
  JWT_SECRET: 'c'.repeat(32),
  DEPLOYMENT_SECRET: 'd'.repeat(32),
};
/** Where test payments are not meant, the provider's, too. */
const PAYMENTS: Readonly<Record<string, string>> = { STRIPE_API_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { secretKeyRef?: { name: string; key: string; optional?: boolean }; fieldRef?: { fieldPath: string } };
}

for (const overlay of ['single', 'production', 'pinned']) {
  describe(`deploy/kubernetes/${overlay} names only what there is`, () => {
    const all = render(dirOf(overlay));
    const ofKind = (kind: string): Manifest[] => all.filter((one) => one.kind === kind);
    const named = (kind: string, name: string): Manifest => {
      const found = ofKind(kind).find((one) => one.metadata.name === name);
      if (!found) throw new Error(`no ${kind} ${name}`);
      return found;
    };
    const hasSteadyActors = overlay === 'pinned';
    const workload = (role: string) => named(hasSteadyActors && role === 'actors' ? 'StatefulSet' : 'Deployment', role);
    const container = (role: string) => workload(role)['spec'].template.spec.containers[0];
    const settingsOf = (role: string): Record<string, string> =>
      Object.assign(
        {},
        ...container(role).envFrom.map(
          (one: { configMapRef: { name: string } }) => named('ConfigMap', one.configMapRef.name)['data'],
        ),
      );

    it('renders as the real kustomize does', function () {
      const rendered = kubectl(overlay);
      if (rendered === undefined) this.skip();
      expect(inOrder(all)).to.deep.equal(inOrder(rendered));
    });

    it('has the four roles, each one that src/main.ts knows', () => {
      const deployed = hasSteadyActors ? ROLES.filter((role) => role !== 'actors') : ROLES;
      expect(ofKind('Deployment').map(({ metadata }) => metadata.name)).to.have.members(deployed);
      for (const role of ROLES) {
        expect(container(role).args).to.deep.equal([role]);
        expect(main).to.match(new RegExp(`^  ${role}: async`, 'm'));
        expect(container(role), 'the image knows how it starts').not.to.have.property('command');
      }
    });

    for (const role of ROLES) {
      it(`${role}: every variable is one the configuration reads, and the values are accepted`, () => {
        const settings = settingsOf(role);
        const variables: Variable[] = container(role).env;
        expect(known).to.include.members([...Object.keys(settings), ...variables.map(({ name }) => name)]);
        const values = variables.flatMap(({ name, valueFrom }) => {
          if (valueFrom?.fieldRef !== undefined) {
            expect([name, valueFrom.fieldRef.fieldPath], 'a shard is moved to a pod by its name').to.deep.equal([
              'NODE_ID',
              'metadata.name',
            ]);
            return [[name, `${role}-5d9f-x1`]];
          }
          const { key = name, optional = false } = valueFrom?.secretKeyRef ?? {};
          const isGiven = !optional || (settings['PAYMENT_PROVIDER'] === 'stripe' && key in PAYMENTS);
          return isGiven ? [[name, SECRETS[key] ?? PAYMENTS[key] ?? '']] : [];
        });
        expect(() => readConfig({ ...settings, ...Object.fromEntries(values) })).not.to.throw();
      });

      it(`${role}: is probed at METRICS_PORT, where clients do not ask`, () => {
        const settings = settingsOf(role);
        const { ports, startupProbe, livenessProbe, readinessProbe } = container(role);
        expect(ports).to.deep.include({ name: 'metrics', containerPort: Number(settings['METRICS_PORT']) });
        expect(settings['METRICS_HOST']).to.equal('0.0.0.0');
        const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => `${httpGet.port} ${httpGet.path}`);
        expect(paths).to.deep.equal(['metrics /health/live', 'metrics /health/live', 'metrics /ready']);
        const server = text('src/shared/metrics/metricsServer.ts');
        expect(server).to.include("path === '/health/live'").and.to.include("path === '/ready'");
      });

      it(`${role}: has longer to end than main.ts takes at most, after what goes before SIGTERM`, () => {
        const { terminationGracePeriodSeconds } = workload(role)['spec'].template.spec;
        const [, stopMs = ''] = /STOP_MS_MAX = ([\d_]+)/.exec(main) ?? [];
        const waitMs = preStopMs(container(role).lifecycle?.preStop.exec.command ?? []);
        expect(terminationGracePeriodSeconds * 1000).to.be.greaterThan(Number(stopMs.replaceAll('_', '')) + waitMs);
      });

      if (hasSteadyActors && role === 'actors') {
        it('actors: their pods keep their names, and spread by what a StatefulSet tells its revisions apart by', () => {
          const { spec } = workload(role);
          expect(spec.serviceName).to.equal(named('Service', 'actors').metadata.name);
          expect(spec).not.to.have.property('strategy');
          const keys = spec.template.spec.topologySpreadConstraints.map(
            (one: { matchLabelKeys: string[] }) => one.matchLabelKeys[1],
          );
          expect(keys).to.deep.equal(['controller-revision-hash', 'controller-revision-hash']);
        });
      } else {
        it(`${role}: a new pod is ready before an old one ends`, () =>
          expect(workload(role)['spec'].strategy.rollingUpdate).to.deep.equal({ maxUnavailable: 0, maxSurge: 1 }));
      }
    }

    it('what runs before SIGTERM is in the image: a wait of the API, and of actors what asks for their shards', () => {
      const commandOf = (role: string): string[] => container(role).lifecycle?.preStop.exec.command ?? [];
      expect(preStopMs(commandOf('api'))).to.equal(5000);
      expect(commandOf('actors').slice(0, 2)).to.deep.equal(['node', 'dist/leave.js']);
      expect(preStopMs(commandOf('actors'))).to.equal(25_000);
      expect(existsSync(new URL('src/leave.ts', root))).to.equal(true);
      expect(text('Dockerfile')).to.include('WORKDIR /app\n').and.to.include('/app/dist dist\n');
    });

    it('the settings of the deployment name what an operator of several machines decides', () => {
      const decided = ['REDIS_MIN_REPLICAS', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLER_ARG', 'ARCHIVE_DIR'];
      for (const role of ROLES) expect(settingsOf(role), role).to.include.keys(...decided);
    });

    it('every pod is an ordinary user who writes nothing but its volumes and keeps no privilege', () => {
      for (const one of [...ofKind('Deployment'), ...ofKind('StatefulSet')]) {
        const { securityContext, automountServiceAccountToken, containers } = one['spec'].template.spec;
        expect(securityContext, one.metadata.name).to.deep.include({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        expect(automountServiceAccountToken, one.metadata.name).to.equal(false);
        for (const { securityContext: own, resources } of containers) {
          expect(own).to.deep.include({
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
          });
          expect(resources.limits.memory, one.metadata.name).to.be.a('string');
        }
      }
      expect(named('Namespace', 'exchange').metadata.labels).to.include({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    });

    it('has no secret inside, and docs/deploy.md says how each one that it names is made', () => {
      expect(ofKind('Secret')).to.deep.equal([]);
      const docs = text('docs/deploy.md');
      const pods = [...ofKind('Deployment'), ...ofKind('StatefulSet')].flatMap((one) => one['spec'].template.spec.containers);
      const variables: Variable[] = pods.flatMap(({ env }) => env);
      for (const { name, value, valueFrom } of variables) {
        if (/SECRET|PASSWORD|_KEY|_HEADERS|_URL$/.test(name)) expect(value, name).to.equal(undefined);
        const secret = valueFrom?.secretKeyRef;
        if (secret !== undefined) expect(docs).to.match(new RegExp(`\`${secret.name}\`.*\`${secret.key}\``));
      }
    });

    it('every selector finds its pods, every port that is let through is one of them', () => {
      const pods = [...ofKind('Deployment'), ...ofKind('StatefulSet')].map((one) => one['spec'].template);
      const matching = (labels: Record<string, string>) =>
        pods.filter(({ metadata }) => Object.entries(labels).every(([name, value]) => metadata.labels[name] === value));
      for (const one of [...ofKind('Deployment'), ...ofKind('StatefulSet'), ...ofKind('PodDisruptionBudget')]) {
        expect(matching(one['spec'].selector.matchLabels), `${one.kind} ${one.metadata.name}`).to.have.length(1);
      }
      for (const { metadata, spec } of ofKind('Service').map((one) => ({ metadata: one.metadata, spec: one['spec'] }))) {
        const [pod] = matching(spec.selector);
        const names = pod.spec.containers[0].ports.map(({ name }: { name: string }) => name);
        for (const { targetPort, name } of spec.ports) expect(names, metadata.name).to.include(targetPort ?? name);
      }
      for (const { metadata, spec } of ofKind('NetworkPolicy').map((one) => ({ metadata: one.metadata, spec: one['spec'] }))) {
        const { matchLabels = {}, matchExpressions = [] } = spec.podSelector;
        const meant = matching(matchLabels).filter(({ metadata: { labels } }) =>
          matchExpressions.every(({ key, values }: { key: string; values: string[] }) => values.includes(labels[key])),
        );
        expect(meant, metadata.name).not.to.deep.equal([]);
        const open = meant.flatMap((pod) =>
          pod.spec.containers[0].ports.map(({ containerPort }: { containerPort: number }) => containerPort),
        );
        for (const { ports } of spec.ingress ?? []) for (const { port } of ports) expect(open, metadata.name).to.include(port);
      }
    });

    it('scales what is there, actors to one pod a shard at most', () => {
      for (const { spec } of ofKind('HorizontalPodAutoscaler').map((one) => ({ spec: one['spec'] }))) {
        const { kind, name } = spec.scaleTargetRef;
        expect(named(kind, name)['spec'], 'the number of pods is the autoscaler’s').not.to.have.property('replicas');
        if (name === 'actors') expect(spec.maxReplicas).to.equal(readConfig({}).SHARDS);
      }
    });
  });
}

describe('deploy/kubernetes/single has the stores of docker-compose.yml', () => {
  const compose = text('docker-compose.yml');
  const stores = render(dirOf('single')).filter(({ kind }) => kind === 'StatefulSet');

  it('the same images', () => {
    const images = stores.map((one) => one['spec'].template.spec.containers[0].image);
    expect(images).to.have.length(2);
    for (const image of images) expect(compose).to.include(`image: ${image}$`);
  });

  it('the same rights of the user of the roles', () => {
    const commands = stores.map((one) => one['spec'].template.spec.containers[0].command[2]).join('\n');
    const rights = /~\* &\* [^"]*/.exec(compose)?.[0] ?? '';
    expect(rights).to.include('-flushall');
    expect(commands).to.include(rights);
    expect(commands).to.include("createUser({ user: 'exchange', pwd: process.env.MONGO_PASSWORD, roles: ['readWrite'] })");
  });
});

/** Longest that a command before SIGTERM takes, ms. */
function preStopMs(command: readonly string[]): number {
  const [, waitMs] = /^node -e setTimeout\(\(\) => \{\}, (\d+)\)$/.exec(command.join(' ')) ?? [];
  const [, seconds] = /^node dist\/leave\.js (\d+)$/.exec(command.join(' ')) ?? [];
  return Number(waitMs ?? 0) + 1000 * Number(seconds ?? 0);
}

/** The output of the real kustomize; undefined where there is none. */
function kubectl(overlay: string): Manifest[] | undefined {
  try {
    const rendered = execFileSync('kubectl', ['kustomize', dirOf(overlay)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return parseAllDocuments(rendered).map((document) => document.toJS() as Manifest);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Objects, and named things within them, by name: kustomize puts both in an order of its own. */
function inOrder(all: readonly Manifest[]): unknown[] {
  const byName = (one: { name?: string; mountPath?: string; kind?: string; metadata?: { name: string } }): string =>
    `${one.kind} ${one.metadata?.name} ${one.name} ${one.mountPath}`;
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      const items = value.map(sorted);
      const isNamed = items.every((one) => typeof one === 'object' && one !== null && ('name' in one || 'metadata' in one));
      return isNamed ? items.sort((a, b) => (byName(a as object) < byName(b as object) ? -1 : 1)) : items;
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, sorted(inner)]));
  };
  return sorted([...all]) as unknown[];
}
