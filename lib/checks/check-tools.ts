import type { ModelCheck } from '../api/model-check.ts';
import type { ToolCheck, ToolProbe } from '../api/tool-check.ts';
import type { ChatModel } from '../model/chat-model.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { estimateTokens } from '../policies/estimate.ts';
import type { Tool } from '../tools/tool.ts';
import { failed } from '../tools/tool-results.ts';
import type { JsonValue } from '../util/json.ts';
import { fullName } from '../util/model-name.ts';
import type { ToolCheckStep } from './check-step.ts';
import { judgeToolCall, type ToolFinding, toolCriteria } from './judge-tool-call.ts';
import { MAX_LATE, openForProbes, tooSlow } from './open-for-probes.ts';
import { runProbe } from './run-probe.ts';
import { Tally } from './tally.ts';
import { toolTasks } from './tool-tasks.ts';

/** Tokens for the prompt and the reply in addition to the definitions. */
const PROMPT_TOKENS = 4096;
const MAX_WINDOW_TOKENS = 32_768;

/**
 * Asks a model for calls of each tool and judges the replies. All tools are offered each time; no call is made.
 *
 * @throws {ModelError} on errors that end the check: stopped, server unreachable, model missing, load failed, or repeated
 *   timeouts
 */
export async function checkTools(
  model: ChatModel,
  { name, definitions }: { name: string; definitions: readonly ToolDefinition[] },
  {
    signal,
    onStep,
    clock = Date.now,
  }: { signal: AbortSignal; onStep: (step: ToolCheckStep) => void; clock?: () => number },
): Promise<Omit<ToolCheck, 'id' | 'server'>> {
  const startedAt = clock();
  onStep({ type: 'loading' });
  const needed = estimateTokens([], definitions) + PROMPT_TOKENS;
  const windowTokens = Math.min(MAX_WINDOW_TOKENS, Math.max(8192, needed));
  const { settings, details, conditions } = await openForProbes(model, name, { signal, windowTokens });
  const tasks = toolTasks(definitions);
  onStep({ type: 'probing', total: tasks.length });
  const tally = new Tally();
  const tools = definitions.map(neverCalled);
  const probes: ToolProbe[] = [];
  let late = 0;
  for (const task of tasks) {
    const parameters =
      definitions.find((each) => each.function.name === task.tool)?.function.parameters ?? {};
    let finding: ToolFinding = { outcome: 'failed', called: [], arguments: [] };
    const { result, failure } = await runProbe(
      {
        id: task.id,
        title: task.title,
        task: task.prompt,
        tools,
        maxReplies: 1,
        judge: (transcript) => {
          finding = judgeToolCall(transcript, task, parameters);
          return toolCriteria(transcript, finding, task.tool);
        },
      },
      { model, settings, tally, signal },
    );
    const { tool, kind, expected } = task;
    const exchanges = result.exchanges.map((each) => ({
      ...each,
      request: withoutTools(each.request, tools),
    }));
    const probe: ToolProbe = { ...result, exchanges, tool, kind, expected, ...finding };
    probes.push(probe);
    onStep({ type: 'probe-ended', probe });
    late = failure === 'timeout' ? late + 1 : 0;
    if (late >= MAX_LATE) throw tooSlow(name);
  }
  const measured: ModelCheck['measured'] = tally.counts;
  return {
    model: fullName(name),
    digest: details.digest ?? '',
    started_at: startedAt,
    ended_at: clock(),
    conditions,
    measured,
    tools: definitions.map(({ function: { name: tool, description } }) => ({ name: tool, description })),
    probes,
  };
}

/** A request without the definitions, which are the same in all requests and would make the evidence too large. */
function withoutTools(request: JsonValue, tools: readonly Tool[]): JsonValue {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) return request;
  return { ...request, tools: `all ${tools.length} tools, as they were accepted` };
}

/** The definition without the tool: calls are only judged, never run. */
function neverCalled(definition: ToolDefinition): Tool {
  const { name } = definition.function;
  return { definition, run: async () => failed(name, { error: 'This is a check: nothing was called.' }) };
}
