import { isDeepStrictEqual } from 'node:util';
import type { CheckCriterion } from '../api/model-check.ts';
import type { ArgumentFinding, ToolOutcome } from '../api/tool-check.ts';
import type { ParameterSchema } from '../parser/types.ts';
import { validateArguments } from '../parser/validate-arguments.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';
import { sortedJson } from '../util/sorted-json.ts';
import { callsFit, describeReply } from './judge.ts';
import type { ProbeTranscript } from './probe-transcript.ts';
import type { ToolTask } from './tool-tasks.ts';

/** A model's reaction to a request for a call. */
export interface ToolFinding {
  outcome: ToolOutcome;
  /** Names of the called tools. */
  called: string[];
  arguments: ArgumentFinding[];
}

/** Judges the first reply to a request for a call. Pure. */
export function judgeToolCall(
  { replies: [reply], failure }: ProbeTranscript,
  task: Pick<ToolTask, 'tool' | 'expected'>,
  parameters: ParameterSchema,
): ToolFinding {
  const called = reply?.calls.map(({ name }) => name) ?? [];
  const without = (outcome: ToolOutcome): ToolFinding => ({ outcome, called, arguments: [] });
  if (!reply) return without(failure?.kind === 'malformed_call' ? 'unreadable' : 'failed');
  if (called.length === 0) return without(reply.malformed ? 'unreadable' : 'no_call');
  const [first] = reply.calls;
  if (!first || called.some((name) => name !== task.tool)) return without('wrong_tool');
  const findings = compareArguments(first.arguments, task.expected, parameters);
  const repeated = called.length > 1;
  return {
    outcome: findings.length > 0 || repeated ? 'wrong_arguments' : 'right',
    called,
    arguments: findings,
  };
}

/**
 * Which arguments differ from the requested ones. A parameter that is `null` or has its default counts as omitted;
 * whitespace around a text is ignored. Pure.
 */
function compareArguments(
  given: JsonObject,
  expected: JsonObject,
  { properties = {} }: ParameterSchema,
): ArgumentFinding[] {
  const wanted = Object.entries(expected).flatMap(([name, value]): ArgumentFinding[] => {
    if (!Object.hasOwn(given, name)) return [{ name, problem: 'missing' }];
    const found = given[name] ?? null;
    if (plain(found) === plain(value)) return [];
    const alone = { properties: { [name]: properties[name] ?? {} } };
    const fits = validateArguments({ [name]: found }, alone).length === 0;
    return [{ name, problem: fits ? 'wrong_value' : 'wrong_type' }];
  });
  const extra = Object.entries(given).flatMap(([name, value]): ArgumentFinding[] => {
    if (Object.hasOwn(expected, name) || value === null) return [];
    const preset = Object.hasOwn(properties, name) ? properties[name]?.default : undefined;
    return isDeepStrictEqual(value, preset) ? [] : [{ name, problem: 'extra' }];
  });
  return [...wanted, ...extra];
}

/** The finding as criteria of a probe. Pure. */
export function toolCriteria(
  transcript: ProbeTranscript,
  finding: ToolFinding,
  tool: string,
): CheckCriterion[] {
  const { outcome, arguments: findings } = finding;
  const verdict = outcome === 'right' ? 'pass' : outcome === 'failed' ? 'unknown' : 'fail';
  const words = findings.map(({ name, problem }) => `${name}: ${PROBLEM_WORDS[problem]}`).join(', ');
  const said =
    outcome === 'failed'
      ? (transcript.failure?.message ?? 'No reply arrived.')
      : describeReply(transcript.replies[0]);
  return [
    callsFit(transcript),
    {
      axis: 'choice',
      verdict,
      rule: `It calls ${tool} once, with the values that it was given`,
      found: shortText(words === '' ? said : `${words}. ${said}`, 300),
    },
  ];
}

const PROBLEM_WORDS: Readonly<Record<ArgumentFinding['problem'], string>> = {
  missing: 'missing',
  wrong_type: 'wrong type',
  wrong_value: 'wrong value',
  extra: 'not asked for',
};

function plain(value: JsonValue): string {
  return typeof value === 'string' ? value.trim() : sortedJson(value);
}
