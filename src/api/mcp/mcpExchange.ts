// One message of the Model Context Protocol and its answer, by the official server library. Nothing is kept between two requests, so any
// node answers any of them: a server and its transport live as long as one request. The library is loaded with the first.
import { RequestError } from '../../shared/errors.ts';
import { VERSION } from '../contract/named.ts';
import type { Input, Tool } from './tools.ts';

/** What the library has answered. */
export interface McpAnswer {
  readonly status: number;
  /** JSON, or empty. */
  readonly text: string;
}

export interface McpCalls {
  readonly tools: readonly Tool[];
  /** The result of a tool that is among them. */
  readonly call: (tool: Tool, input: Input) => Promise<import('@modelcontextprotocol/sdk/types.js').CallToolResult>;
}

/** The library looks at the address of a request only to say that it has one. */
const ADDRESS = 'http://localhost/mcp';

/** A client need not say that it takes JSON: it gets nothing else. */
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const INSTRUCTIONS =
  'A paper-trading exchange for perpetual futures with the API of Hyperliquid; money is not real. Every result has `seq`, the newest entry ' +
  'of the account that it shows, `dataAge` in ms, and `data`. Acts take `dryRun: true` to say what they would do. Prices and sizes are decimal text; ' +
  '`a` and `asset` are places in the universe of `meta`.';

/**
 * @param protocolVersion of the request's header, as it came
 * @throws {RequestError} 400 for a message that the library does not take
 */
export async function exchangeMessage(message: Input, protocolVersion: string, calls: McpCalls): Promise<McpAnswer> {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const unreadable = await unreadableParams(message);
  if (unreadable !== undefined) return unreadable;
  const server = new Server(
    { name: 'paper-perps', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: calls.tools.map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema,
      annotations,
    })),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, ({ params }) => {
    const tool = calls.tools.find(({ name }) => name === params.name);
    if (tool === undefined) throw new types.McpError(types.ErrorCode.InvalidParams, 'This key has no such tool.');
    return calls.call(tool, params.arguments ?? {});
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  try {
    const headers = protocolVersion === '' ? HEADERS : { ...HEADERS, 'mcp-protocol-version': protocolVersion };
    const request = new Request(ADDRESS, { method: 'POST', headers, body: '{}' });
    const response = await transport.handleRequest(request, { parsedBody: message });
    const text = await response.text();
    if (!response.ok) throw new RequestError(400, 'invalid_message', messageOf(text));
    return { status: response.status, text };
  } finally {
    await server.close();
  }
}

/** The library calls a request whose fields it cannot read a fault of its own; by JSON-RPC it is the caller's. */
async function unreadableParams(message: Input): Promise<McpAnswer | undefined> {
  const { CallToolRequestSchema, ErrorCode, InitializeRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const { id, method } = message;
  const schemas = { 'tools/call': CallToolRequestSchema, initialize: InitializeRequestSchema };
  const name = String(method);
  // The caller names it: `constructor` is none of ours.
  const schema = Object.hasOwn(schemas, name) ? schemas[name as keyof typeof schemas] : undefined;
  const read = id === undefined ? undefined : schema?.safeParse(message);
  if (read === undefined || read.success) return undefined;
  const why = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  return { status: 200, text: JSON.stringify({ jsonrpc: '2.0', id, error: { code: ErrorCode.InvalidParams, message: why } }) };
}

function messageOf(text: string): string {
  const { error } = JSON.parse(text) as { readonly error?: { readonly message?: string } };
  return error?.message ?? 'The message cannot be read.';
}
