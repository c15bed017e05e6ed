import { z } from 'zod';
import type { errorShape } from '../events/envelope.ts';
import { type CheckStatus, checkRequest, modelCheck } from './model-check.ts';

const count = z.number().int().nonnegative();
const serverName = z.string().min(1).max(100);

/** `POST /api/tool-checks`, `/api/tool-checks/stop` */
export const toolCheckRequest = checkRequest.extend({ server: serverName });

/** Body of `POST /api/tool-checks/{id}/suite`. */
export const keepToolCheckRequest = z.strictObject({ name: z.string().trim().min(1).max(100).optional() });

/** How a probe describes a call: by the tool's description or name, with required or all parameters, with another choice. */
const taskKind = z.enum(['required', 'all', 'choice', 'name']);
export type ToolTaskKind = z.infer<typeof taskKind>;

/**
 * The result of a probe. `unreadable`: a call that could not be read; `failed`: the model server failed, which says
 * nothing about the model.
 */
const outcome = z.enum(['right', 'wrong_arguments', 'wrong_tool', 'no_call', 'unreadable', 'failed']);
export type ToolOutcome = z.infer<typeof outcome>;

const argumentFinding = z.object({
  name: z.string(),
  problem: z.enum(['missing', 'wrong_type', 'wrong_value', 'extra']),
});
export type ArgumentFinding = z.infer<typeof argumentFinding>;

/** One request for a call, and what the model did. No call was made. */
const toolProbe = modelCheck.shape.probes.element.extend({
  /** The requested tool, by its name for models. */
  tool: z.string(),
  kind: taskKind,
  expected: z.record(z.string(), z.json()),
  outcome,
  /** Names of the tools that were called instead or besides, in order. */
  called: z.array(z.string()),
  arguments: z.array(argumentFinding),
});
export type ToolProbe = z.infer<typeof toolProbe>;

/** How a model used the tools of a server, as stored. */
export const toolCheck = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/),
  server: z.string(),
  model: z.string(),
  digest: z.string(),
  started_at: count,
  ended_at: count,
  conditions: modelCheck.shape.conditions,
  measured: modelCheck.shape.measured,
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
  probes: z.array(toolProbe),
});
export type ToolCheck = z.infer<typeof toolCheck>;

/** The figures of a check, for lists and comparisons. */
export interface ToolCheckSummary extends Pick<ToolCheck, 'id' | 'server' | 'model' | 'digest' | 'ended_at'> {
  right: number;
  judged: number;
  tools: { name: string; right: number; judged: number }[];
}

/** The figures of a check. Probes in which the model server failed are not judged. Pure. */
export function summarizeToolCheck(check: ToolCheck): ToolCheckSummary {
  const { id, server, model, digest, ended_at, tools, probes } = check;
  const scores = tools.map(({ name }) => ({ name, ...scoreOf(probes.filter(({ tool }) => tool === name)) }));
  return { id, server, model, digest, ended_at, ...scoreOf(probes), tools: scores };
}

function scoreOf(probes: readonly ToolProbe[]): { right: number; judged: number } {
  const judged = probes.filter((probe) => probe.outcome !== 'failed');
  return { right: judged.filter((probe) => probe.outcome === 'right').length, judged: judged.length };
}

/** The current check of tools, or the last one of this server process. */
export interface ToolCheckProgress {
  id: string;
  server: string;
  model: string;
  status: CheckStatus;
  position?: number;
  started_at: number;
  ended_at?: number;
  /** Probes that have ended, and all of them; 0 until they are known. */
  done: number;
  total: number;
  right: number;
  error?: z.infer<typeof errorShape>;
}

/** `GET /api/tool-checks` */
export interface ToolChecksReply {
  current?: ToolCheckProgress;
  /** Newest first. */
  checks: ToolCheckSummary[];
}

/** `GET /api/tool-checks/{id}` */
export interface ToolCheckReply {
  check: ToolCheck;
  summary: ToolCheckSummary;
}
