import { McpServer, STDIO_DEFAULT_MAX_BUFFER_SIZE } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import type { RunSummary } from '../api/run-summary.ts';
import { canRun, sortedModels } from '../browser/state/models.ts';
import { readToken } from '../client/http.ts';
import { Loupe, type LoupeRun } from '../client/loupe.ts';
import { AppError } from '../errors/app-error.ts';
import { MAX_MODEL_NAME_CHARS, MAX_PATH_CHARS, MAX_TASK_CHARS, MAX_TITLE_CHARS } from '../events/limits.ts';
import { awaitsOperator } from '../events/run-phase.ts';
import { SETTINGS } from '../events/settings.ts';
import { quotedName } from '../util/short-text.ts';
import { linesOf } from './lines.ts';

/** The address of Loupe. */
interface Address {
  url?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/** How long `follow_run` waits by default and at most, in seconds. Many hosts give up on a call after a minute. */
const FOLLOW_SECONDS = { default: 45, max: 3600 } as const;
const LIST_RUNS = { default: 20, max: 100 } as const;
const ITERATIONS = SETTINGS.max_iterations;

const INSTRUCTIONS = `Loupe runs agents on local models and lets a person watch each step.
Call list_models, then start_run with a task that contains everything the model needs to know: it does not see your conversation.
Then call follow_run until it says that the run has ended. If a run waits for a person, tell the person to open its address.`;

const runId = z.string().min(1).max(100).describe('The ID that start_run or list_runs returned');

/** The input of a tool. A misspelled limit or folder must not be ignored. */
function toolInput<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === 'unrecognized_keys'
        ? `Unknown argument ${keys.map((key) => `"${quotedName(key)}"`).join(', ')}. This tool accepts ${names.length === 0 ? 'no arguments' : names.join(', ')}.`
        : undefined,
  });
}

/** The data that the tools return about a run. */
const runShape = z.object({
  run_id: z.string(),
  url: z.string().describe('Where a person can watch the run'),
  title: z.string(),
  model: z.string(),
  phase: z.string(),
  ended: z.boolean(),
  waits_for_person: z.boolean().describe('Nothing happens until a person decides on the page at url'),
  outcome: z.string().optional().describe('How the run ended, such as "answered"'),
  message: z.string().optional(),
  iterations: z.number(),
  tool_calls: z.number(),
  output: z.string().optional().describe('The answer; only for runs that have ended'),
  error: z.string().optional(),
});
type RunShape = z.output<typeof runShape>;

/**
 * Serves Loupe as an MCP server on standard input and output, until the input ends. Each tool call asks the running Loupe;
 * while none runs, calls fail with what to do, and the server stays.
 *
 * @param version of Loupe, for the client
 * @returns `false` if it gave up, after a message that is too long or an output that cannot be written
 */
export async function serveMcp(address: Address, version: string): Promise<boolean> {
  const transport = new StdioServerTransport();
  const connect = sharedClient(address);
  const handle = serveStdio(() => createMcpServer(connect, version), {
    transport,
    onerror: (error) => process.stderr.write(`loupe: ${problemOf(error)}\n`),
  });
  const { onclose } = transport;
  const isOver = await new Promise<boolean>((done) => {
    transport.onclose = () => {
      onclose?.();
      done(process.stdin.readableEnded || process.stdin.destroyed);
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done(true));
  });
  await handle.close();
  return isOver;
}

/**
 * An error of the library as text. For a message that is not JSON-RPC, its own text has a line per field of each kind
 * of message.
 */
function problemOf({ name, message }: Error): string {
  if (name === 'ZodError') return 'A message on standard input is not JSON-RPC 2.0.';
  if (!message.startsWith('ReadBuffer exceeded')) return message;
  return `A message on standard input is longer than ${STDIO_DEFAULT_MAX_BUFFER_SIZE / 1024 / 1024} MB. The server exits.`;
}

/** The server with its tools. */
function createMcpServer(connect: () => Loupe, version: string): McpServer {
  const server = new McpServer({ name: 'loupe', version }, { instructions: INSTRUCTIONS });
  addStartRun(server, connect);
  addFollowRun(server, connect);
  server.registerTool(
    'run_result',
    {
      title: 'Read the result of a run',
      description: 'The state of a run, and its answer if it has ended. Does not wait.',
      inputSchema: toolInput({ run_id: runId }),
      outputSchema: runShape,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ run_id }, { mcpReq }) => asked(async () => runReply(await shapeOf(connect(), run_id, mcpReq.signal))),
  );
  server.registerTool(
    'stop_run',
    {
      title: 'Stop a run',
      description: 'Stops a run after its current step, or immediately with "force".',
      inputSchema: toolInput({
        run_id: runId,
        force: z.boolean().default(false).describe('Cancel what is running now'),
      }),
      outputSchema: runShape,
      annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    },
    ({ run_id, force }) =>
      asked(async () => {
        const loupe = connect();
        await loupe.run(run_id).stop({ force });
        return runReply(await shapeOf(loupe, run_id));
      }),
  );
  addLists(server, connect);
  return server;
}

function addStartRun(server: McpServer, connect: () => Loupe): void {
  server.registerTool(
    'start_run',
    {
      title: 'Start a run',
      description:
        'Gives a task to a local model that works on it with tools in a folder. Returns immediately; call follow_run for the result.',
      inputSchema: toolInput({
        task: z
          .string()
          .min(1)
          .max(MAX_TASK_CHARS)
          .describe('What to do, with everything the model needs to know'),
        model: z.string().min(1).max(MAX_MODEL_NAME_CHARS).describe('A model from list_models'),
        workspace: z
          .string()
          .max(MAX_PATH_CHARS)
          .optional()
          .describe('Absolute path of the folder to work in. Default: a new, empty folder'),
        workspace_copy: z.boolean().optional().describe('Work on a copy of the folder'),
        title: z.string().max(MAX_TITLE_CHARS).optional().describe('A name for the list of runs'),
        max_iterations: z
          .int()
          .min(ITERATIONS.min)
          .max(ITERATIONS.max)
          .optional()
          .describe('Max number of model calls'),
        tools: z
          .array(z.string())
          .optional()
          .describe('The tools to offer, by name. Default: all built-in tools'),
        use_tools: z.boolean().default(true).describe('false: one answer without tools'),
      }),
      outputSchema: runShape,
      annotations: { readOnlyHint: false, openWorldHint: false },
    },
    ({ use_tools, ...request }, { mcpReq }) =>
      asked(async () => {
        const loupe = connect();
        const run = await loupe.start({ mode: 'task', agentic: use_tools, ...request });
        return runReply(await shapeOf(loupe, run.id, mcpReq.signal));
      }),
  );
}

function addFollowRun(server: McpServer, connect: () => Loupe): void {
  server.registerTool(
    'follow_run',
    {
      title: 'Follow a run',
      description:
        'Waits until a run has ended and returns its answer. Reports each step as progress. If the run takes longer than the wait, it continues, and you can call this again.',
      inputSchema: toolInput({
        run_id: runId,
        wait_seconds: z
          .int()
          .min(0)
          .max(FOLLOW_SECONDS.max)
          .default(FOLLOW_SECONDS.default)
          .describe('Max time to wait, in seconds'),
      }),
      outputSchema: runShape,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ run_id, wait_seconds }, { mcpReq }) =>
      asked(async () => {
        const loupe = connect();
        const token = mcpReq._meta?.progressToken;
        let progress = 0;
        const report = async (message: string) => {
          if (token === undefined) return;
          progress += 1;
          const params = { progressToken: token, progress, message };
          await mcpReq.notify({ method: 'notifications/progress', params });
        };
        const wait = AbortSignal.timeout(wait_seconds * 1000);
        await follow(loupe.run(run_id), { report, wait, signal: mcpReq.signal });
        return runReply(await shapeOf(loupe, run_id, mcpReq.signal));
      }),
  );
}

/** Reports a run's steps until it has ended or the wait is over. */
async function follow(
  run: LoupeRun,
  {
    report,
    wait,
    signal,
  }: { report: (message: string) => Promise<void>; wait: AbortSignal; signal: AbortSignal },
): Promise<void> {
  // An unknown run is an error, and so is a Loupe that does not run: the wait must not hide them.
  await run.summary(signal);
  try {
    await run.follow({
      signal: AbortSignal.any([signal, wait]),
      onEvent: async (event, state) => {
        for (const line of linesOf(event, state)) await report(line.trim());
      },
    });
  } catch (error) {
    const isOver = error instanceof AppError && error.code === 'no_result';
    if (!isOver && (signal.aborted || !wait.aborted)) throw error;
  }
}

function addLists(server: McpServer, connect: () => Loupe): void {
  server.registerTool(
    'list_models',
    {
      title: 'List models',
      description: 'The installed models that can run, with their capabilities.',
      inputSchema: toolInput({}),
      outputSchema: z.object({
        models: z.array(
          z.object({
            name: z.string(),
            parameter_size: z.string().optional(),
            capabilities: z.array(z.string()).optional(),
            max_context_tokens: z.number().optional(),
          }),
        ),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () =>
      asked(async () => {
        const models = sortedModels((await connect().models()).filter(canRun)).map(
          ({ name, parameter_size, capabilities, max_context_tokens }) => ({
            name,
            parameter_size,
            capabilities,
            max_context_tokens,
          }),
        );
        return reply({ models });
      }),
  );
  server.registerTool(
    'list_runs',
    {
      title: 'List runs',
      description: 'The newest runs, without their answers.',
      inputSchema: toolInput({ limit: z.int().min(1).max(LIST_RUNS.max).default(LIST_RUNS.default) }),
      outputSchema: z.object({ runs: z.array(runShape) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ limit }) =>
      asked(async () => {
        const loupe = connect();
        return reply({ runs: (await loupe.list({ limit })).map((run) => summaryShape(run, loupe.url)) });
      }),
  );
}

/**
 * The client of all calls, because a proof of the server takes time (docs/decisions/0033). Its token is read again for each
 * call: Loupe may start, and write its token, after this server.
 */
function sharedClient({ url, env }: Address): () => Loupe {
  let shared: { token: string; loupe: Loupe } | undefined;
  return () => {
    const token = readToken(env);
    if (shared?.token !== token) {
      shared = { token, loupe: new Loupe({ ...(url === undefined ? {} : { url }), token, env }) };
    }
    return shared.loupe;
  };
}

function summaryShape(run: RunSummary, url: string): RunShape {
  return {
    run_id: run.id,
    url: `${url}/runs/${run.id}`,
    title: run.title,
    model: run.model,
    phase: run.phase,
    ended: run.phase === 'ended',
    waits_for_person: awaitsOperator(run.phase),
    ...(run.outcome && { outcome: run.outcome.kind }),
    ...(run.message !== undefined && { message: run.message }),
    iterations: run.iterations_used,
    tool_calls: run.tool_calls,
  };
}

async function shapeOf(loupe: Loupe, id: string, signal?: AbortSignal): Promise<RunShape> {
  const run = loupe.run(id);
  const shape = summaryShape(await run.summary(signal), loupe.url);
  if (!shape.ended) return shape;
  const { output, error } = await run.result({ ...(signal && { signal }) });
  return { ...shape, output, ...(error && { error: sentencesOf(error) }) };
}

function runReply(run: RunShape) {
  const state = run.ended
    ? (run.output ?? '') || (run.error ?? run.message ?? 'The run has ended without an answer.')
    : run.waits_for_person
      ? `The run waits for a person. Ask them to open ${run.url}`
      : `The run is still in progress. Call follow_run with run_id "${run.run_id}" for its result. A person can watch it at ${run.url}`;
  return { content: [{ type: 'text' as const, text: state }], structuredContent: run };
}

function reply(value: Record<string, unknown>) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(value) }], structuredContent: value };
}

/** Returns an error as a result that says what to do, for the calling agent. */
async function asked<Reply>(
  work: () => Promise<Reply>,
): Promise<Reply | { isError: true; content: { type: 'text'; text: string }[] }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { isError: true, content: [{ type: 'text', text: sentencesOf(error) }] };
  }
}

/** What happened, and what to do next. */
function sentencesOf({ message, hint }: { message: string; hint?: string | undefined }): string {
  return hint === undefined ? message : `${message} ${hint}`;
}
