import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../util/json.ts';

/**
 * The scenarios of the fake Ollama: JSON data, one format for files and code.
 *
 * A scenario is a list of steps. **Which step answers depends only on the conversation in the request**: the number of
 * replies it already holds (`turnOf`). The server remembers nothing, so a run that was killed and resumed gets the same
 * answer to the same conversation, and several runs can play one scenario at once. The single exception is `attempts`,
 * which has to count how often the same conversation was sent.
 */

const count = z.int().nonnegative();

/**
 * What the model says. Texts may hold `{{n}}` (round within the nearest `repeat`, from 1), `{{turn}}` (from 1) and
 * `{{task}}` (the first user message).
 */
export const scenarioReply = z.strictObject({
  content: z.string().default(''),
  /** Left out when the request says `think: false`. */
  thinking: z.string().optional(),
  tool_calls: z
    .array(z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.json()).default({}) }))
    .default([]),
  /** Where a streamed reply carries its calls (S7). `spread`: one piece for each. */
  calls_in: z.enum(['first', 'middle', 'end', 'last-line', 'spread']).default('end'),
  /** Default: `stop`, or `length` when `num_predict` or the window ends the reply. */
  done_reason: z.string().optional(),
  /** Default: estimated. `null` leaves the field out (T8). */
  prompt_eval_count: count.nullable().optional(),
  eval_count: count.nullable().optional(),
  /** The reply of a recorded run: nothing is put into its texts, and `num_predict` does not cut it again. */
  literal: z.boolean().default(false),
});

const afterTokens = z.object({ after_tokens: count.default(0) }).shape;

/** What goes wrong: the Ollama rows of the fault matrix. `after_tokens: 0` means before the headers. */
export const fault = z.discriminatedUnion('kind', [
  /** Never answers; with `after_tokens` falls silent in the middle. `headers: true` sends the headers first. */
  z.strictObject({ kind: z.literal('hang'), headers: z.boolean().default(false), ...afterTokens }),
  /** Closes the socket politely, or resets it. */
  z.strictObject({ kind: z.literal('close'), ...afterTokens }),
  z.strictObject({ kind: z.literal('reset'), ...afterTokens }),
  /** Any status with any body: text as it is, everything else as JSON. */
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
  /** An `{"error": …}` line (OL20). Before the first token, or without streaming, it is a 500, as Ollama does it. */
  z.strictObject({ kind: z.literal('error-line'), error: z.string(), ...afterTokens }),
  /** Ends properly, but no line says `done: true`. */
  z.strictObject({ kind: z.literal('no-done'), ...afterTokens }),
  /** "tick tock" for ever, or up to `bytes`. */
  z.strictObject({ kind: z.literal('endless'), bytes: count.optional(), interval_ms: count.default(0) }),
  z.strictObject({ kind: z.literal('huge-line'), bytes: count.default(10 * 1024 * 1024) }),
  /** The right reply, one byte at a time. */
  z.strictObject({ kind: z.literal('trickle'), interval_ms: count.default(10_000) }),
  /** 503, the queue is full (OL16). */
  z.strictObject({ kind: z.literal('busy') }),
  /** The model wrote a call that Ollama's own parser refuses (T22): 500, or an error line after tokens. */
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

/** Times in milliseconds. Everything not given is 0: at once. */
export const pace = z.strictObject({
  load_ms: count.optional(),
  /** Between the request and the first token, as if the prompt were read. */
  prompt_ms: count.optional(),
  ms_per_token: z.number().nonnegative().optional(),
});

const answer = { reply: scenarioReply.optional(), fault: fault.optional(), pace: pace.optional() };

/** What the request must look like; otherwise it is answered with a 500 and noted in `problems`. */
const expectation = z.strictObject({
  last_role: z.string().optional(),
  last_contains: z.string().optional(),
  offers: z.array(z.string()).optional(),
  /** Fields that the body must hold, compared deeply: `{"options": {"num_predict": 2048}}`. */
  body: z.record(z.string(), z.json()).optional(),
});

export const scenarioStep = z.strictObject({
  expect: expectation.optional(),
  ...answer,
  /**
   * Answers to the first, second … request with the very same conversation; the last one stays. For faults that pass.
   * Counted in the server's memory.
   */
  attempts: z.array(z.strictObject(answer)).min(1).optional(),
});
export type ScenarioStep = z.infer<typeof scenarioStep>;
export type ScenarioStepInput = z.input<typeof scenarioStep>;

/** Steps played several times; inside, `{{n}}` is the number of the round. */
const repeated = z.strictObject({
  repeat: z.int().min(1).max(1_000_000),
  steps: z.array(scenarioStep).min(1),
});

export const scenario = z.strictObject({
  /** Also a model name: the scenario answers as `NAME` and as `fake:NAME`. */
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/i),
  description: z.string().default(''),
  /** Answers as this model instead. Several scenarios may share a model; the first that fits the request plays. */
  model: z.string().optional(),
  /** Plays only when the first user message contains this. */
  match: z.string().optional(),
  /** Plays only when all these tools are offered. */
  needs_tools: z.array(z.string()).default([]),
  pace: pace.default({}),
  /** Instead of loading the model. */
  load_fault: fault.optional(),
  steps: z.array(z.union([scenarioStep, repeated])).min(1),
  /** After the last step: give it again, start over, or answer with a 500. */
  after_last: z.enum(['repeat', 'loop', 'error']).default('repeat'),
});
export type Scenario = z.infer<typeof scenario>;
export type ScenarioInput = z.input<typeof scenario>;

/** A model as `/api/tags`, `/api/show` and `/api/ps` tell of it. */
export const fakeModel = z.strictObject({
  name: z.string().min(1),
  capabilities: z.array(z.string()).default(['completion', 'tools', 'thinking']),
  context_length: z.int().positive().default(32_768),
  family: z.string().default('fake'),
  parameter_size: z.string().default('0B'),
  quantization: z.string().default('none'),
  size_bytes: count.default(1_000_000),
  /**
   * As a server from before `truncate`: keeps this window whatever is asked, tells of none in `/api/ps`, and cuts a longer
   * conversation in silence (OL2).
   */
  cuts_silently_at: z.int().positive().optional(),
  /** Share of the model in graphics memory. */
  vram_share: z.number().min(0).max(1).default(1),
  format: z.string().default('gguf'),
});
export type FakeModel = z.infer<typeof fakeModel>;
export type FakeModelInput = z.input<typeof fakeModel>;

/** A scenario file. */
export const scenarioFile = z.strictObject({
  models: z.array(fakeModel).default([]),
  scenarios: z.array(scenario).min(1),
});
export type ScenarioFile = z.infer<typeof scenarioFile>;

/** Reads a scenario file; a wrong one is refused with the place of every mistake. */
export async function readScenarioFile(path: string): Promise<ScenarioFile> {
  const result = scenarioFile.safeParse(JSON.parse(await readFile(path, 'utf8')));
  if (!result.success)
    throw new Error(`${path} is not a scenario file:\n${z.prettifyError(result.error)}`, {
      cause: result.error,
    });
  return result.data;
}

/** A message of a request, as far as scenarios look at it. */
export interface SeenMessage {
  role: string;
  content: string;
}

/** Reminders that follow an empty reply, of which the conversation keeps nothing (G16, S9). */
const REMINDERS = [/^Please use the available tools\b/, /^Continue\.$/];

/**
 * How many replies a conversation already holds, so that the next one is number `turnOf(…)`, from 0: its assistant
 * messages, and one for every reminder that follows no assistant message, as the empty reply before it was dropped.
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

/** The step that answers a turn (from 0), and its round within a `repeat`; `undefined` when the scenario is over. */
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

/** Puts the round, the turn and the task into the texts of a reply. */
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

/** Whether `actual` holds all that `expected` names, at any depth. Arrays are compared as a whole. */
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

/**
 * A scenario for measuring the loop: a different `write_file` and `read_file` call by turns, `iterations` in all, then
 * an answer. Nothing waits, so all time spent is the client's.
 */
export function instantScenario(iterations: number, name = 'instant'): ScenarioInput {
  const write = { name: 'write_file', arguments: { path: 'file-{{n}}.txt', content: 'Line {{n}}.\n' } };
  const read = { name: 'read_file', arguments: { path: 'file-{{n}}.txt' } };
  const pairs = Math.floor(iterations / 2);
  return {
    name,
    description: `${iterations} tool calls, none like the one before, then an answer`,
    steps: [
      ...(pairs > 0
        ? [{ repeat: pairs, steps: [{ reply: { tool_calls: [write] } }, { reply: { tool_calls: [read] } }] }]
        : []),
      ...(iterations % 2 === 1
        ? [{ reply: { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] } }]
        : []),
      { reply: { content: 'The task is completed.' } },
    ],
  };
}
