import type { ToolContext, ToolResult } from '../tools/tool.ts';
import { failed } from '../tools/tool-results.ts';
import type { JsonObject } from '../util/json.ts';
import { requestNotes } from './call-requests.ts';
import { callResult, resultImages } from './call-result.ts';
import type { ServerInstance } from './server-instance.ts';
import type { ServerTool } from './tool-definition.ts';
import { validateInThread } from './validate-in-thread.ts';

/** The parts of a tool that a call depends on. */
type CalledTool = Pick<ServerTool, 'name' | 'offered' | 'hash' | 'inputSchema' | 'outputSchema'>;

/** The origin of a call: a run, or the Tools page, where nobody answers requests and no messages are shown. */
type CalledFrom = Pick<ToolContext, 'signal' | 'ask' | 'onOutput' | 'onImage' | 'run'>;

/**
 * Calls a tool of a server, if it is unchanged since it was accepted: a server can change its tools. Restarts a server
 * that has ended.
 *
 * @throws {AppError} if the server cannot be used, or did not answer: its hint says whether the call may have run
 */
export async function callServerTool(
  instance: ServerInstance,
  tool: CalledTool,
  args: JsonObject,
  { signal, ask, onOutput, onImage, run }: CalledFrom,
): Promise<ToolResult> {
  const isRestart = instance.mustRestart;
  const connection = await instance.connect();
  const current = (await instance.tools()).find(({ name }) => name === tool.name);
  if (current?.hash !== tool.hash) {
    if (current?.problem !== undefined) {
      return failed(tool.offered, {
        error: `The tool can no longer be used, so it was not called: ${current.problem} Continue without it.`,
      });
    }
    const what = current ? 'describes this tool differently' : 'no longer has this tool';
    return failed(tool.offered, {
      error: `The server ${what} than when it was accepted, so it was not called. Continue without it: only a person can accept the change.`,
    });
  }
  const problem = await validateInThread({ value: args, schema: tool.inputSchema }, signal);
  if (problem !== undefined) {
    return failed(tool.offered, { error: `The arguments do not fit the schema of the tool: ${problem}` });
  }
  const { raw, counts } = await connection.call(tool.name, args, {
    signal,
    ask,
    onOutput,
    onMessages: (kept) => run?.record({ kind: 'server-messages', server: instance.name, ...kept }),
    timeoutMs: instance.server.timeout_seconds * 1000,
  });
  const result = callResult(tool.offered, raw, connection.mask);
  if (onImage) for (const image of resultImages(raw)) onImage(image);
  const notes = [
    ...(isRestart
      ? ['The server had stopped and was restarted before this call. Its earlier state may be lost.']
      : []),
    ...requestNotes(counts),
    ...(await outputNotes(tool, result, signal)),
  ];
  return notes.length === 0 ? result : { ...result, note: notes.join(' ') };
}

/** How the data of a result violates the server's own schema. */
async function outputNotes(
  { outputSchema }: CalledTool,
  { success, output }: ToolResult,
  signal: AbortSignal,
): Promise<string[]> {
  if (!outputSchema || !success || typeof output !== 'object' || output === null || !('data' in output))
    return [];
  const problem = await validateInThread({ value: output.data ?? null, schema: outputSchema }, signal);
  return problem === undefined ? [] : [`The data does not fit the tool's own schema: ${problem}`];
}
