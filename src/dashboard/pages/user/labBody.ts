// The form of a failure lab and the profile that it comes to: each field's name is its place in the profile
// (`latency.submit.medianMs`, `scripts.0.refuse`), so that one function fills the form in and one reads it. The API names the
// fields that are wrong.
import type { LabSettings } from '../../api/contract.ts';

/** Fields whose value is text; the value of any other field is a number. */
const TEXTS: ReadonlySet<string> = new Set(['cloidPrefix', 'refuse', 'from', 'nonces']);
/** The value that a checked box sends. */
const CHECKED = 'on';

type Node = { [name: string]: Node | string | number | boolean };

/** The texts of the fields by their names; a box that is checked is `on`. */
export function fieldsOf({ latency = {}, ...rest }: LabSettings): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const add = (name: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) fields.set(name, value === true ? CHECKED : String(value));
    else for (const [key, each] of Object.entries(value)) add(name === '' ? key : `${name}.${key}`, each);
  };
  const latencies = Object.entries(latency).map(([of, ms]) => [of, typeof ms === 'number' ? { medianMs: ms } : ms]);
  add('', { latency: Object.fromEntries(latencies), ...rest });
  return fields;
}

/** The profile that the filled-in fields say; fields that are empty say nothing. */
export function labBody(fields: Iterable<readonly [string, unknown]>): LabSettings {
  const root: Node = {};
  for (const [name, typed] of fields) {
    const text = String(typed).trim();
    if (text !== '') put(root, name.split('.'), text);
  }
  const { latency, scripts, schedule, ...rest } = root;
  return {
    ...rest,
    ...(latency && { latency: Object.fromEntries(Object.entries(latency).map(([of, ms]) => [of, latencyOf(ms as Node)])) }),
    ...(scripts && { scripts: Object.values(scripts) }),
    ...(schedule && { schedule: Object.values(schedule) }),
  } as LabSettings;
}

function put(root: Node, path: readonly string[], text: string): void {
  const last = path.at(-1) ?? '';
  let node = root;
  for (const name of path.slice(0, -1)) {
    node[name] ??= {};
    node = node[name] as Node;
  }
  node[last] = TEXTS.has(last) ? text : text === CHECKED || numberIn(text);
}

/** Text that is no number goes to the API as it was typed, and the API refuses it. */
const numberIn = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text);

/** Without a spread, and without spikes, a latency is one number. */
function latencyOf(ms: Node): Node | number {
  if (Object.keys(ms).join() === 'medianMs') return ms['medianMs'] as number;
  return { medianMs: 0, sigma: 0, ...ms };
}
