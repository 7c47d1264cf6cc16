// Runs one tool for its caller: the code of `info` or `exchange` answers, and the result says in the same breath of which entry of the
// account it is and how old its data is. A refusal by the rules is an answer, as there; what `info` and `exchange` would refuse
// with a status is a result that says it is an error.
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import { RequestError } from '../../shared/errors.ts';
import type { AccountAnswers } from '../accounts/accountAnswers.ts';
import { askWithSeq, type Call, type Services } from '../accounts/services.ts';
import { toJson } from '../domain/wireText.ts';
import { actingAddress, runAction } from '../exchange/runAction.ts';
import { answerInfo } from '../info/answerInfo.ts';
import type { Input, Tool } from './tools.ts';

interface ToolParts {
  readonly services: Services;
  readonly answers: Pick<AccountAnswers, 'read'>;
  /** Counts what a long answer costs beyond its request. */
  readonly onAnswer: (body: unknown, data: unknown) => void;
}

/**
 * @param toCall reads what the request's headers say of the call
 * @throws what is no refusal: a fault of ours
 */
export async function callTool(tool: Tool, input: Input, toCall: () => Call, parts: ToolParts): Promise<CallToolResult> {
  let call: Call | undefined;
  try {
    call = toCall();
    return await answered(tool, input, call, parts);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const { code, message } = error;
    const seq = call === undefined ? null : await seqOf(tool, input, call, parts.services).catch(orUntold);
    return { isError: true, content: [text(JSON.stringify({ seq, ...ageOf(input, parts), error: { code, message } }))] };
  }
}

async function answered(tool: Tool, input: Input, call: Call, parts: ToolParts): Promise<CallToolResult> {
  const { services, answers, onAnswer } = parts;
  const body = tool.bodyOf(input);
  const run = tool.scope === 'read' ? answerInfo : runAction;
  const { data, first } = await answers.read((reading) => run(body, call, reading), { withHash: false });
  onAnswer(body, data);
  const seq = first.seq > 0 ? first.seq : await seqOf(tool, input, call, services);
  const { dataAge } = ageOf(input, parts);
  return { content: [text(`{"seq":${seq},"dataAge":${JSON.stringify(dataAge)},"data":${toJson(data)}}`)] };
}

const ageOf = (input: Input, { services }: Pick<ToolParts, 'services'>): { readonly dataAge: DataAge } => ({
  dataAge: dataAgeOf(input, services.market, services.now()),
});

/** Of an account that cannot be asked, or is none of the caller's, nothing is told. */
function orUntold(error: unknown): null {
  if (error instanceof RequestError) return null;
  throw error;
}

/** The newest entry of the account that the call was about: an act's is the one that acts. */
async function seqOf(tool: Tool, { vaultAddress, user }: Input, call: Call, services: Services): Promise<number> {
  const named = tool.scope === 'read' ? textIn(user) : actingAddress({ type: tool.name, vaultAddress: textIn(vaultAddress) });
  const shown = await services.ownAccounts.shown(call, named?.toLowerCase());
  return (await askWithSeq(shown, services, { kind: 'summary' })).seq;
}

const textIn = (field: unknown): string | undefined => (typeof field === 'string' ? field : undefined);

const text = (content: string): { readonly type: 'text'; readonly text: string } => ({ type: 'text', text: content });

// How old the market data is that an answer to an agent was made from: of the coins that the call names, else of all that are listed.

/** Milliseconds, of the oldest coin; null where nothing has come yet. */
interface DataAge {
  readonly bookMs: number | null;
  readonly markMs: number | null;
}

/** Objects and lists of a call that are looked at. */
const LOOKED_AT_MAX = 4000;

function dataAgeOf(input: unknown, market: LiveMarket, nowMs: number): DataAge {
  const assets = namedIn(input, market);
  if (assets.size === 0) {
    const { book, context } = market.ages(nowMs);
    return { bookMs: book.oldestMs, markMs: context.oldestMs };
  }
  const books = [...assets].map((asset) => market.book(asset)?.wholeMs);
  const marks = [...assets].map((asset) => market.prices(asset)?.timeMs);
  return { bookMs: oldest(books, nowMs), markMs: oldest(marks, nowMs) };
}

function oldest(times: readonly (number | undefined)[], nowMs: number): number | null {
  let ageMs = 0;
  for (const time of times) {
    if (time === undefined) return null;
    ageMs = Math.max(ageMs, nowMs - time);
  }
  return ageMs;
}

/** Ids of the listed assets that a call names: `coin`, `asset` or `a`, at any depth. */
function namedIn(input: unknown, market: LiveMarket): ReadonlySet<number> {
  const assets = new Set<number>();
  const waiting: unknown[] = [input];
  for (let at = 0; at < waiting.length && at < LOOKED_AT_MAX; at++) {
    const value = waiting[at];
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, field] of Object.entries(value)) {
      if (typeof field === 'object') waiting.push(field);
      const asset = idOf(name, field, market);
      if (asset !== undefined) assets.add(asset);
    }
  }
  return assets;
}

function idOf(name: string, field: unknown, market: LiveMarket): number | undefined {
  if (name === 'coin' && typeof field === 'string') return market.assetOf(field)?.id;
  return (name === 'a' || name === 'asset') && typeof field === 'number' ? market.asset(field)?.id : undefined;
}
