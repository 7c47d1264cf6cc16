// The manifests that `kubectl apply -k` would apply, for a machine without kubectl: the few features of kustomize that
// deploy/kubernetes uses. It refuses what it does not know, and a test holds it against the real one where there is one.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: a manifest has the shape of its kind; the published schemas check it
  readonly [field: string]: any;
}

interface Kustomization {
  readonly namespace?: string;
  readonly labels?: readonly { readonly pairs: Readonly<Record<string, string>>; readonly includeTemplates: true }[];
  readonly resources: readonly string[];
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[];
  readonly replicas?: readonly { readonly name: string; readonly count: number }[];
  /** Strategic merge patches, of the object that they name or of all of a kind; or lists of operations (RFC 6902) on one object. */
  readonly patches?: readonly Patch[];
}

interface Patch {
  readonly path: string;
  readonly target?: { readonly kind: string; readonly name?: string };
  readonly options?: { readonly allowKindChange: true };
}

interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

type Fields = Record<string, unknown>;

const KNOWN = ['apiVersion', 'kind', 'namespace', 'labels', 'resources', 'images', 'replicas', 'patches'];

/** @param dir has a kustomization.yaml @throws when it asks for what is not known here */
export function render(dir: string): Manifest[] {
  const wish = parse(readFileSync(join(dir, 'kustomization.yaml'), 'utf8')) as Kustomization;
  const unknown = Object.keys(wish).filter((field) => !KNOWN.includes(field));
  if (unknown.length > 0) throw new Error(`${dir} asks for ${unknown.join(', ')}, which test/support/kustomize.ts does not know`);
  let all = wish.resources.flatMap((path) => resource(join(dir, path)));
  for (const { path, target, options } of wish.patches ?? []) {
    const read: unknown = parse(readFileSync(join(dir, path), 'utf8'));
    const operations = isList(read) ? (read as readonly Operation[]) : undefined;
    const patch = read as Manifest;
    const { kind, name } = operations
      ? (target ?? { kind: '' })
      : { kind: patch.kind, ...(target === undefined && patch.metadata) };
    const isMeant = (one: Manifest): boolean => one.kind === kind && (name === undefined || one.metadata.name === name);
    if (!all.some(isMeant)) throw new Error(`${dir}/${path} changes nothing: there is no ${kind} ${name}`);
    const changed = (one: Manifest): Manifest => {
      const next = operations ? operated(one, operations) : { ...(merged(one, patch) as Manifest), metadata: one.metadata };
      if (next.kind !== kind && options?.allowKindChange !== true) throw new Error(`${dir}/${path} may not change the kind`);
      return next;
    };
    all = all.map((one) => (isMeant(one) ? changed(one) : one));
  }
  return all.map((one) => finished(one, wish));
}

function resource(path: string): Manifest[] {
  if (!existsSync(path)) throw new Error(`there is no ${path}`);
  if (statSync(path).isDirectory()) return render(path);
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as Manifest);
}

/** @throws when there is nothing at a path that is replaced or removed */
function operated(one: Manifest, operations: readonly Operation[]): Manifest {
  const next = structuredClone(one);
  for (const { op, path, value } of operations) {
    const names = path.slice(1).split('/');
    const last = names.pop() as string;
    const parent = names.reduce<Fields | undefined>((at, name) => at?.[name] as Fields | undefined, next as unknown as Fields);
    if (parent === undefined || (op !== 'add' && !(last in parent))) throw new Error(`there is no ${path} to ${op}`);
    if (Array.isArray(parent) && op !== 'replace') throw new Error(`${op} in a list: test/support/kustomize.ts does not know it`);
    if (op === 'remove') delete parent[last];
    else parent[last] = value;
  }
  return next;
}

/** A patch joins lists of named things by name, and replaces other lists. */
function merged(old: unknown, patch: unknown): unknown {
  if (isList(old) && isList(patch)) return isNamed(old) && isNamed(patch) ? joined(old, patch) : patch;
  if (!isFields(old) || !isFields(patch)) return patch;
  const fields = Object.entries(patch).map(([name, value]) => [name, name in old ? merged(old[name], value) : value]);
  return { ...old, ...Object.fromEntries(fields) };
}

function joined(old: readonly Named[], patch: readonly Named[]): unknown[] {
  const kept = old.map((one) => {
    const other = patch.find(({ name }) => name === one.name);
    return other === undefined ? one : merged(one, other);
  });
  return [...kept, ...patch.filter(({ name }) => !old.some((one) => one.name === name))];
}

type Named = Fields & { readonly name: unknown };

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !isList(value);
const isList = (value: unknown): value is unknown[] => Array.isArray(value);
const isNamed = (list: readonly unknown[]): list is readonly Named[] => list.every((one) => isFields(one) && 'name' in one);

/** With the namespace, labels, images and counts that the kustomization gives to all. */
function finished(one: Manifest, { namespace, labels = [], images = [], replicas = [] }: Kustomization): Manifest {
  const pairs = Object.assign({}, ...labels.map((label) => label.pairs));
  const template = one['spec']?.template;
  const count = replicas.find(({ name }) => one.kind === 'Deployment' && name === one.metadata.name)?.count;
  const hasNamespace = namespace !== undefined && one.kind !== 'Namespace';
  const metadata = { ...one.metadata, ...(hasNamespace && { namespace }), ...withLabels(one.metadata, pairs) };
  if (template === undefined) return { ...one, metadata };
  const containers = template.spec.containers.map((container: { image: string }) => ({
    ...container,
    image: imageOf(container.image, images),
  }));
  const pod = {
    metadata: { ...template.metadata, ...withLabels(template.metadata, pairs) },
    spec: { ...template.spec, containers },
  };
  return { ...one, metadata, spec: { ...one['spec'], ...(count !== undefined && { replicas: count }), template: pod } };
}

const withLabels = (of: { labels?: object }, pairs: object): object =>
  Object.keys(pairs).length === 0 ? {} : { labels: { ...of.labels, ...pairs } };

function imageOf(image: string, images: Kustomization['images'] = []): string {
  const wish = images.find(({ name }) => name === image);
  return wish === undefined ? image : `${wish.newName}:${wish.newTag}`;
}
