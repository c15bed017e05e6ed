import { setTimeout as delay } from 'node:timers/promises';
import type { McpToolReply } from '../api/mcp.ts';
import type { CheckProgress } from '../api/model-check.ts';
import type { Loupe } from '../client/loupe.ts';
import { AppError } from '../errors/app-error.ts';
import { CUSTOM_GROUP } from '../events/mcp-names.ts';
import { checkLines, progressLines } from './check-lines.ts';
import { EXIT } from './exit-codes.ts';
import {
  asText,
  interruptible,
  jsonLine,
  progressReport,
  stopFailed,
  type Terminal,
  widthOf,
  write,
} from './terminal.ts';
import { toolCheckLines, toolProgressLines } from './tool-check-lines.ts';
import { wrapLines } from './wrap-help.ts';

/** Polling interval for the progress of a check. */
const CHECK_LOOK_MS = 500;

/** Checks a model, reports each probe as it ends, and prints the table. */
export async function check(
  { model, json }: { model: string; json: boolean },
  loupe: Loupe,
  terminal: Terminal,
): Promise<number> {
  const report = progressReport(terminal);
  const interrupted = () => void loupe.stopCheck(model).catch(stopFailed(terminal));
  return interruptible(terminal, interrupted, async () => {
    const started = await loupe.startCheck(model);
    let now: CheckProgress | undefined = started;
    for (;;) {
      await report(now ? progressLines(now) : []);
      // Another check may have started since this one ended; the result is stored anyway.
      if (!now || now.started_at !== started.started_at || now.ended_at !== undefined) break;
      await delay(CHECK_LOOK_MS);
      now = await loupe.currentCheck();
    }
    if (now?.started_at === started.started_at && now.status !== 'done') return EXIT.failed;
    const reply = await loupe.checkResult(model);
    const text = json ? jsonLine(reply.check) : wrapLines(checkLines(reply), widthOf(terminal)).join('\n');
    await write(terminal.stdout, `${text}\n`);
    return reply.summary.passed === reply.check.probes.length ? EXIT.ok : EXIT.failed;
  });
}

/** Asks a model for calls of a server's tools, reports how many were right, and prints the table. */
export async function checkServer(
  { model, server, json }: { model: string; server: string; json: boolean },
  loupe: Loupe,
  terminal: Terminal,
): Promise<number> {
  const report = progressReport(terminal);
  const interrupted = () => void loupe.stopToolCheck(model, server).catch(stopFailed(terminal));
  return interruptible(terminal, interrupted, async () => {
    let now = await loupe.startToolCheck(model, server);
    const { id } = now;
    for (;;) {
      await report(toolProgressLines(now));
      if (now.ended_at !== undefined) break;
      await delay(CHECK_LOOK_MS);
      const { current } = await loupe.toolChecks();
      // Another check may have started since this one ended; the result is stored anyway.
      if (current?.id !== id) break;
      now = current;
    }
    if (now.ended_at !== undefined && now.status !== 'done') return EXIT.failed;
    const reply = await loupe.toolCheck(id);
    const lines = json
      ? [jsonLine(reply.check)]
      : wrapLines(toolCheckLines(reply, await unusableTools(server, loupe)), widthOf(terminal));
    await write(terminal.stdout, asText(lines));
    return reply.summary.right === reply.summary.judged ? EXIT.ok : EXIT.failed;
  });
}

/** The tools that the server last listed and Loupe cannot use; none if the server was removed, or of the custom tools. */
async function unusableTools(server: string, loupe: Loupe): Promise<McpToolReply[]> {
  if (server === CUSTOM_GROUP) return [];
  try {
    return (await loupe.mcpServer(server)).tools.filter(({ status }) => status === 'unusable');
  } catch (error) {
    if (error instanceof AppError && error.code === 'mcp_server_not_found') return [];
    throw error;
  }
}
