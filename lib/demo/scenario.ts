import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { type JsonObject, type JsonValue, jsonValue } from '../util/json.ts';

/**
 * The scenarios of the fake Ollama: JSON data, in one format for files and code.
 *
 * A scenario is a list of steps. **The step that answers depends only on the conversation in the request**: the number of
 * replies it already contains (`turnOf`). The server is stateless, so a run that was killed and resumed gets the same
 * answer to the same conversation, and several runs can play one scenario concurrently. The only exception is `attempts`,
 * which counts how often the same conversation was sent.
 */

const count = z.int().nonnegative();

/**
 * A model reply. Texts may contain `{{n}}` (round within the nearest `repeat`, from 1), `{{turn}}` (from 1) and
 * `{{task}}` (the first user message).
 */
export const scenarioReply = z.strictObject({
  content: z.string().default(''),
  /** Omitted if the request has `think: false`. */
  thinking: z.string().optional(),
  tool_calls: z
    .array(z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.json()).default({}) }))
    .default([]),
  /** Where a streamed reply carries its calls (S7). `spread`: one chunk per call. */
  calls_in: z.enum(['first', 'middle', 'end', 'last-line', 'spread']).default('end'),
  /** Default: `stop`, or `length` if `num_predict` or the window ends the reply. */
  done_reason: z.string().optional(),
  /** Default: estimated. `null` omits the field (T8). */
  prompt_eval_count: count.nullable().optional(),
  /** Omitted, as in versions that do not report it. */
  prompt_eval_cached_count: count.optional(),
  eval_count: count.nullable().optional(),
  /** The reply of a recorded run: its texts are not filled in, and `num_predict` does not cut it again. */
  literal: z.boolean().default(false),
});

const afterTokens = z.object({ after_tokens: count.default(0) }).shape;

/** Faults: the Ollama rows of the fault matrix. `after_tokens: 0` means before the headers. */
export const fault = z.discriminatedUnion('kind', [
  /** Never answers; with `after_tokens`, stalls midway. `headers: true` sends the headers first. */
  z.strictObject({ kind: z.literal('hang'), headers: z.boolean().default(false), ...afterTokens }),
  /** Closes the socket gracefully, or resets it. */
  z.strictObject({ kind: z.literal('close'), ...afterTokens }),
  z.strictObject({ kind: z.literal('reset'), ...afterTokens }),
  /** Any status with any body: text unchanged, everything else as JSON. */
  z.strictObject({
    kind: z.literal('http'),
    status: z.int().min(200).max(599),
    body: z.json().default(''),
    content_type: z.string().optional(),
    location: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('html') }),
  z.strictObject({ kind: z.literal('not-json') }),
  z.strictObject({ kind: z.literal('cut-json') }),
  /** An `{"error": …}` line (OL20). Before the first token, or without streaming, it is a 500, as in Ollama. */
  z.strictObject({ kind: z.literal('error-line'), error: z.string(), ...afterTokens }),
  /** An invalid JSON line in the middle of a streamed reply. */
  z.strictObject({ kind: z.literal('broken-line'), ...afterTokens }),
  /** Ends normally, but without a `done: true` line. */
  z.strictObject({ kind: z.literal('no-done'), ...afterTokens }),
  /** "tick tock" endlessly, or up to `bytes`, with this many words in each piece of a stream. */
  z.strictObject({
    kind: z.literal('endless'),
    bytes: count.optional(),
    words: count.default(1),
    interval_ms: count.default(0),
  }),
  z.strictObject({ kind: z.literal('huge-line'), bytes: count.default(10 * 1024 * 1024) }),
  /** The correct reply, one byte at a time. */
  z.strictObject({ kind: z.literal('trickle'), interval_ms: count.default(10_000) }),
  /** 503, the queue is full (OL16). */
  z.strictObject({ kind: z.literal('busy') }),
  /** The model wrote a call that Ollama's own parser rejects (T22): 500, or an error line after tokens. */
  z.strictObject({
    kind: z.literal('malformed-call'),
    error: z
      .string()
      .default(
        `error parsing tool call: raw='{"path": "notes.md", "content": ', err=unexpected end of JSON input`,
      ),
    ...afterTokens,
  }),
]);
export type Fault = z.infer<typeof fault>;
export type FaultInput = z.input<typeof fault>;

/** Times in milliseconds. Default: 0. */
export const pace = z.strictObject({
  load_ms: count.optional(),
  /** Time between the request and the first token, to simulate prompt evaluation. */
  prompt_ms: count.optional(),
  ms_per_token: z.number().nonnegative().optional(),
});

const answer = { reply: scenarioReply.optional(), fault: fault.optional(), pace: pace.optional() };

/** Expectations about the request; if they are not met, the answer is a 500 and an entry in `problems`. */
const expectation = z.strictObject({
  last_role: z.string().optional(),
  last_contains: z.string().optional(),
  /** Number of images in all messages. */
  images: z.int().nonnegative().optional(),
  offers: z.array(z.string()).optional(),
  /** Fields that the body must contain, compared deeply: `{"options": {"num_predict": 2048}}`. */
  body: z.record(z.string(), z.json()).optional(),
});

const scenarioStep = z.strictObject({
  expect: expectation.optional(),
  ...answer,
  /**
   * Answers to the first, second … request with the same conversation; the last one repeats. For temporary faults.
   * Counted in the server's memory.
   */
  attempts: z.array(z.strictObject(answer)).min(1).optional(),
});
export type ScenarioStep = z.infer<typeof scenarioStep>;
export type ScenarioStepInput = z.input<typeof scenarioStep>;

/** Steps repeated several times; inside, `{{n}}` is the round. */
const repeated = z.strictObject({
  repeat: z.int().min(1).max(1_000_000),
  steps: z.array(scenarioStep).min(1),
});

export const scenario = z.strictObject({
  /** Also a model name: the scenario answers as `NAME` and as `fake:NAME`. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/i),
  description: z.string().default(''),
  /** Answers as this model instead. Several scenarios may share a model; the first that matches the request plays. */
  model: z.string().optional(),
  /** The capabilities of the model named after it. Default: as `fakeModel`. */
  capabilities: z.array(z.string()).optional(),
  /** Plays only if the first user message contains this. */
  match: z.string().optional(),
  /** Plays only if all these tools are offered. */
  needs_tools: z.array(z.string()).default([]),
  pace: pace.default({}),
  /** Replaces the load of the model. */
  load_fault: fault.optional(),
  steps: z.array(z.union([scenarioStep, repeated])).min(1),
  /** After the last step: repeat it, start over, or answer with a 500. */
  after_last: z.enum(['repeat', 'loop', 'error']).default('repeat'),
});
export type Scenario = z.infer<typeof scenario>;
export type ScenarioInput = z.input<typeof scenario>;

/** A model as reported by `/api/tags`, `/api/show` and `/api/ps`. */
export const fakeModel = z.strictObject({
  name: z.string().min(1),
  capabilities: z.array(z.string()).default(['completion', 'tools', 'thinking']),
  /** Whether it accepts `think` levels, which Ollama only allows for harmony models; others get a 400. */
  thinking_levels: z.boolean().default(true),
  context_length: z.int().positive().default(32_768),
  family: z.string().default('fake'),
  parameter_size: z.string().default('0B'),
  quantization: z.string().default('none'),
  size_bytes: count.default(1_000_000),
  /**
   * Simulates a server from before `truncate`: always uses this window, reports none in `/api/ps`, and silently truncates
   * longer conversations (OL2).
   */
  cuts_silently_at: z.int().positive().optional(),
  /** Share of the model in GPU memory. */
  vram_share: z.number().min(0).max(1).default(1),
  format: z.string().default('gguf'),
  /** Created by `ollama cp`: the other model's manifest under this name. */
  copy_of: z.string().optional(),
  /** Created by a Modelfile with `FROM`: its own manifest for the other model's weights. */
  from: z.string().optional(),
  /** Runs on another machine: `ollama pull gpt-oss:120b-cloud`. */
  remote_host: z.string().optional(),
  remote_model: z.string().optional(),
});
/** A stored model: names of the same manifest share the `digest`, models with the same weights share `weights`. */
export interface FakeModel extends z.infer<typeof fakeModel> {
  digest: string;
  /** The digest of the blob by which Ollama's scheduler identifies its runners. */
  weights: string;
}
export type FakeModelInput = z.input<typeof fakeModel>;

/** A scenario file. */
export const scenarioFile = z.strictObject({
  models: z.array(fakeModel).default([]),
  scenarios: z.array(scenario).min(1),
});
export type ScenarioFile = z.infer<typeof scenarioFile>;

/** Reads a scenario file; an invalid one is rejected with the location of every error. */
export async function readScenarioFile(path: string): Promise<ScenarioFile> {
  const value = jsonValue(await readFile(path, 'utf8'));
  if (value === undefined) throw new Error(`${path} is not a scenario file: it is not JSON.`);
  const result = scenarioFile.safeParse(value);
  if (!result.success)
    throw new Error(`${path} is not a scenario file:\n${z.prettifyError(result.error)}`, {
      cause: result.error,
    });
  return result.data;
}

/** The parts of a request message that scenarios use. */
export interface SeenMessage {
  role: string;
  content: string;
}

/** Reminders that follow an empty reply, which is not part of the conversation (G16, S9). */
const REMINDERS = [/^Please use the available tools\b/, /^Continue\.$/];

/**
 * The number of replies in a conversation, and so the index of the next one: its assistant messages, plus one for every
 * reminder that does not follow an assistant message, because the empty reply before it was dropped.
 */
export function turnOf(messages: readonly SeenMessage[]): number {
  let turns = 0;
  let previous: string | undefined;
  for (const { role, content } of messages) {
    if (role === 'assistant') turns += 1;
    else if (role === 'user' && previous !== undefined && previous !== 'system' && previous !== 'assistant') {
      if (REMINDERS.some((reminder) => reminder.test(content))) turns += 1;
    }
    previous = role;
  }
  return turns;
}

/** The step for a turn (from 0), and its round within a `repeat`; `undefined` if the scenario is over. */
export function stepAt(scenario: Scenario, turn: number): { step: ScenarioStep; round: number } | undefined {
  const lengths = scenario.steps.map((entry) => ('repeat' in entry ? entry.repeat * entry.steps.length : 1));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  let rest = turn;
  if (turn >= total) {
    if (scenario.after_last === 'error') return undefined;
    rest = scenario.after_last === 'loop' ? turn % total : total - 1;
  }
  for (const [index, entry] of scenario.steps.entries()) {
    const length = lengths[index] ?? 0;
    if (rest >= length) {
      rest -= length;
      continue;
    }
    if (!('repeat' in entry)) return { step: entry, round: 1 };
    const step = entry.steps[rest % entry.steps.length];
    return step && { step, round: Math.floor(rest / entry.steps.length) + 1 };
  }
  return undefined;
}

/** Fills the round, the turn and the task into the texts of a reply. */
export function fillIn<T extends JsonValue>(
  value: T,
  places: { n: number; turn: number; task: string },
): JsonValue {
  if (typeof value === 'string') {
    return value.replace(/\{\{(n|turn|task)\}\}/g, (_, name: string) =>
      name === 'n' ? String(places.n) : name === 'turn' ? String(places.turn) : places.task,
    );
  }
  if (Array.isArray(value)) return value.map((entry) => fillIn(entry, places));
  if (typeof value !== 'object' || value === null) return value;
  const filled: JsonObject = {};
  for (const [key, entry] of Object.entries(value)) filled[key] = fillIn(entry, places);
  return filled;
}

/** Whether `actual` contains everything in `expected`, at any depth. Arrays must be equal. */
export function holds(actual: unknown, expected: JsonValue): boolean {
  if (typeof expected !== 'object' || expected === null) return actual === expected;
  if (typeof actual !== 'object' || actual === null) return false;
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((entry, i) => holds(actual[i], entry))
    );
  }
  const fields = new Map(Object.entries(actual));
  return Object.entries(expected).every(([key, entry]) => holds(fields.get(key), entry));
}
