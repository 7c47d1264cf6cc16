// Answers and messages against the types that the newest client library has for the venue, as its compiler checks an object that is
// written out: a field more is a fault, like a field less or a value of another kind.
import ts from 'typescript';

export interface Checked {
  /** Says in a complaint which one it is. */
  readonly name: string;
  readonly from: 'info' | 'exchange' | 'subscription';
  /** Name of the library's type. */
  readonly type: string;
  readonly value: unknown;
}

const ROOT = new URL('../../', import.meta.url).pathname;
/** The program's one file: it is never written. It stands here, so that the library is found. */
const FILE = `${ROOT}test/compat/strictTypes.checked.ts`;
const OPTIONS: ts.CompilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true, types: [] },
  ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
};

/** Refusals of the library's types, in the words of the compiler: `name: fault`. */
export function strictComplaints(checked: readonly Checked[]): string[] {
  const imports = ['info', 'exchange', 'subscription'].map(
    (from) => `import type * as ${from} from '@nktkas/hyperliquid/api/${from}';`,
  );
  const lines = checked.map(({ from, type, value }, at) => `export const v${at}: ${from}.${type} = ${literal(value)};`);
  const text = [...imports, ...lines].join('\n');
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => file === FILE || fileExists(file);
  host.readFile = (file) => (file === FILE ? text : readFile(file));
  host.getSourceFile = (file, ...rest) =>
    file === FILE ? ts.createSourceFile(file, text, OPTIONS.target as ts.ScriptTarget) : getSourceFile(file, ...rest);
  const program = ts.createProgram([FILE], OPTIONS, host);
  const file = program.getSourceFile(FILE);
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(({ start = 0, messageText }) => {
    const { line } = ts.getLineAndCharacterOfPosition(file as ts.SourceFile, start);
    const { name } = checked[line - imports.length] ?? { name: 'the library' };
    return `${name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** A field that the types do not have, and that stays because the specification names it. */
export interface Exception {
  /** Of the `Checked` in which it stands, at any depth. */
  readonly types: readonly string[];
  readonly field: string;
  /** The line of the specification. */
  readonly line: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    types: ['MetaResponse', 'MetaAndAssetCtxsResponse', 'AllPerpMetasResponse', 'WebData2Response'],
    field: 'onlyIsolated',
    line: 'Asset (element of `universe` in the `meta` response) | onlyIsolated | boolean |',
  },
  { types: ['OpenOrdersResponse'], field: 'orderType', line: '| orderType | string | e.g. `Limit` |' },
  { types: ['UserRateLimitResponse'], field: 'rateLimitResetTime', line: '| rateLimitResetTime | integer |' },
];
/** `orderStatus`, "an object `{order}`": its fields stand in `order` beside the venue's fields. */
export const FLAT_ORDER = ['coin', 'oid', 'side', 'limitPx', 'sz', 'filledSz', 'timestamp'] as const;

/** The value without the fields of the exceptions, and which of them it had. */
export function withoutExceptions(type: string, value: unknown): { readonly value: unknown; readonly had: ReadonlySet<string> } {
  const fields = new Set(EXCEPTIONS.filter(({ types }) => types.includes(type)).map(({ field }) => field));
  const had = new Set<string>();
  const text = JSON.stringify(value, (key, each: unknown) => {
    if (!fields.has(key)) return each;
    had.add(key);
    return undefined;
  });
  const stripped = JSON.parse(text);
  if (type === 'OrderStatusResponse' && stripped.status === 'order') {
    for (const field of FLAT_ORDER) {
      if (field in stripped.order) had.add(field);
      delete stripped.order[field];
    }
  }
  return { value: stripped, had };
}

/** As JSON has it. */
const literal = (value: unknown): string => JSON.stringify(value);
