import type {
  AxisScore,
  CheckAxis,
  CheckMeasured,
  CheckSummary,
  ModelCheck,
  ProbeResult,
} from '../../api/model-check.ts';
import { tokensPerSecond } from '../../events/speed.ts';
import type { Tone } from './end-words.ts';
import { formatBytes, formatCount, formatDuration, formatPercent, formatRate, plural } from './format.ts';
import { formatName } from './layer-words.ts';

/** Labels of the four axes in order. */
export const CHECK_AXES: readonly { axis: CheckAxis; label: string; about: string }[] = [
  { axis: 'calls', label: 'Well formed', about: 'Calls can be parsed and match the tools' },
  { axis: 'choice', label: 'Right call', about: 'The right tool with the right arguments, or none' },
  { axis: 'results', label: 'Uses results', about: 'Results of tools are used, including errors' },
  { axis: 'stops', label: 'Stops', about: 'It answers and stops when the work is done' },
];

/** A score such as `2 of 3`, or a note that no probe could be judged. */
export function scoreWords({ passed, judged }: AxisScore): string {
  return judged === 0 ? 'not enough data' : `${passed} of ${judged}`;
}

/** Passed probes, and how calls were parsed: `9 of 10 · 12 native`. */
export function badgeWords(summary: Pick<CheckSummary, 'passed' | 'failed' | 'unknown' | 'layers'>): string {
  const { passed, failed, unknown } = summary;
  return `${passed} of ${passed + failed + unknown} · ${layerWords(summary.layers)}`;
}

function layerWords({ native, json, xml }: CheckSummary['layers']): string {
  const text = json + xml;
  if (native + text === 0) return 'no calls';
  return [native > 0 ? `${native} native` : '', text > 0 ? `${text} as text` : ''].filter(Boolean).join(', ');
}

/** The tone of a result: `ok` when all probes passed, `warn` when more failed than passed. */
export function checkTone({
  passed,
  failed,
  unknown,
}: Pick<CheckSummary, 'passed' | 'failed' | 'unknown'>): Tone {
  if (failed > passed) return 'warn';
  return failed + unknown === 0 ? 'ok' : 'calm';
}

/** The share of the model in GPU memory as reported by `/api/ps`; `undefined` if unknown. */
export function gpuShare({ size_bytes, vram_bytes }: ModelCheck['conditions']): number | undefined {
  if (size_bytes === undefined || vram_bytes === undefined || size_bytes === 0) return undefined;
  return Math.min(1, vram_bytes / size_bytes);
}

function loadWords({ load_ms, remote_host }: ModelCheck['conditions']): string {
  if (remote_host !== undefined) return `none: runs at ${remote_host}`;
  return load_ms === undefined ? 'already loaded' : formatDuration(load_ms);
}

/** The measurements of a check, as names and values. */
export function measuredFacts({ conditions, measured }: ModelCheck): { name: string; value: string }[] {
  const speed = speedOf(measured);
  const share = gpuShare(conditions);
  const formats = Object.entries(measured.formats).map(([format, count]) => `${count} ${formatName(format)}`);
  return [
    {
      name: 'Load',
      value: loadWords(conditions),
    },
    {
      name: 'Speed',
      value:
        speed === undefined
          ? 'unknown'
          : `${formatRate(speed)} tokens/s over ${formatCount(measured.timed_tokens)} tokens`,
    },
    { name: 'On the GPU', value: share === undefined ? 'unknown' : formatPercent(share) },
    { name: 'Call formats', value: formats.length === 0 ? 'none' : formats.join(', ') },
    {
      name: 'Declares tool support',
      value:
        conditions.capabilities === undefined
          ? 'unknown'
          : conditions.capabilities.includes('tools')
            ? 'yes'
            : 'no',
    },
    { name: 'Thought', value: thoughtWords(measured) },
  ];
}

function thoughtWords({ thinking_replies, thinking_chars, replies }: CheckMeasured): string {
  if (thinking_replies === 0) return 'never';
  return `in ${thinking_replies} of ${plural(replies, 'reply', 'replies')}, about ${formatCount(Math.ceil(thinking_chars / 4))} tokens`;
}

function speedOf({ timed_tokens, eval_ms }: CheckMeasured): number | undefined {
  return tokensPerSecond(timed_tokens, eval_ms);
}

/** One recommendation, with the probes it is based on. */
export interface Advice {
  tone: 'ok' | 'warn' | 'calm';
  text: string;
  probes: string[];
}

const SLOW_TOKENS_PER_SECOND = 5;
const EXAMPLE_REPLY_TOKENS = 500;

/**
 * Recommendations derived by fixed rules from a check's figures and evidence. Pure.
 */
export function adviceOf(check: ModelCheck): Advice[] {
  return [
    ...callAdvice(check),
    ...probeAdvice(check),
    ...machineAdvice(check),
    ...thinkingAdvice(check),
    ...unknownAdvice(check),
    {
      tone: 'calm',
      text: `These are ${check.probes.length} small tasks with a window of ${formatCount(check.conditions.window_tokens)} tokens, each run once at temperature 0. Long tasks and full windows were not tested.`,
      probes: [],
    },
  ];
}

function callAdvice({ measured, conditions, probes }: ModelCheck): Advice[] {
  const { calls, layers, formats, malformed, repaired, coerced } = measured;
  const text = layers.json + layers.xml;
  const dialects = Object.keys(formats)
    .filter((format) => format !== 'native')
    .join(', ');
  const byText = probesWith(
    probes,
    ({ read }) => read?.calls.some(({ layer }) => layer !== 'native') ?? false,
  );
  const unread = probesWith(
    probes,
    ({ read, error }) => read?.malformed === true || error?.code === 'model_malformed_call',
  );
  const advice: Advice[] = [];
  const refused = probesWith(probes, ({ error }) => error?.code === 'model_no_tool_support');
  if (refused.length > 0) {
    advice.push({
      tone: 'warn',
      text: 'Ollama rejects tools for this model because its template does not support them, so it cannot run agents. Choose a model with the capability “tools”.',
      probes: refused,
    });
  } else if (conditions.capabilities && !conditions.capabilities.includes('tools')) {
    advice.push({
      tone: 'warn',
      text: 'Ollama does not list the capability “tools” for this model.',
      probes: [],
    });
  }
  if (calls > 0 && text === 0) {
    advice.push({ tone: 'ok', text: `${allOf(calls)} came natively.`, probes: [] });
  } else if (calls > 0 && layers.native === 0) {
    advice.push({
      tone: 'warn',
      text: `${allOf(calls)} came as text (${dialects}); other apps may miss them.`,
      probes: byText,
    });
  } else if (calls > 0) {
    advice.push({
      tone: 'warn',
      text: `${text} of ${calls} calls came as text (${dialects}); other apps may miss them.`,
      probes: byText,
    });
  }
  if (malformed > 0) {
    advice.push({
      tone: 'warn',
      text: `${plural(malformed, 'reply', 'replies')} contained a call that could not be parsed. A run retries once, then continues without it.`,
      probes: unread,
    });
  }
  if (repaired > 0) {
    advice.push({
      tone: 'calm',
      text: `${plural(repaired, 'reply', 'replies')} had to be repaired before calls could be parsed.`,
      probes: probesWith(probes, ({ read }) => (read?.repairs.length ?? 0) > 0),
    });
  }
  if (coerced > 0) {
    advice.push({
      tone: 'calm',
      text: `In ${plural(coerced, 'reply', 'replies')} an argument had the wrong type and was converted, as in a run.`,
      probes: probesWith(probes, ({ read }) => (read?.coercions.length ?? 0) > 0),
    });
  }
  return advice;
}

function allOf(calls: number): string {
  return calls === 1 ? 'The only call' : `All ${calls} calls`;
}

/** If more probes failed, report their number instead of each meaning. */
const MAX_MEANINGS = 5;

/** The consequence of each failed probe for runs. */
const MEANINGS: Readonly<Record<string, string>> = {
  'one-call': 'It failed a single simple call: agent runs will not get far.',
  types: 'It failed a call with a text and a number: expect problems with tools that take several arguments.',
  'which-tool': 'It picked the wrong one of four tools: offer it fewer tools.',
  'no-call': 'It called a tool when none was needed: a low iteration limit keeps such runs short.',
  'two-calls': 'It did not make two correct calls in one reply: runs take more iterations, but still work.',
  nested: 'It failed an argument that is a list of objects: prefer tools with simple arguments.',
  required: 'It left out values that the task mentions in passing: name each value explicitly.',
  result: 'It did not use a result in its answer: check what it reports.',
  error: 'It did not recover from a failed call: expect runs to end at the first error.',
  chain: 'It did not finish two steps in sequence: keep tasks small.',
};

function probeAdvice({ probes }: ModelCheck): Advice[] {
  const advice: Advice[] = [];
  const failed = probes.filter(({ verdict }) => verdict === 'fail');
  if (failed.length > MAX_MEANINGS) {
    advice.push({
      tone: 'warn',
      text: `It failed ${failed.length} of ${probes.length} probes: agent runs are unlikely to work with it.`,
      probes: [],
    });
  } else {
    for (const { id } of failed) {
      const text = MEANINGS[id];
      if (text) advice.push({ tone: id === 'two-calls' ? 'calm' : 'warn', text, probes: [id] });
    }
  }
  const endless = probes.filter(({ criteria }) =>
    criteria.some(({ axis, verdict }) => axis === 'stops' && verdict === 'fail'),
  );
  if (endless.length > 0) {
    advice.push({
      tone: 'warn',
      text: `It did not stop when it should have in ${plural(endless.length, 'probe')}: set a low iteration limit and keep the repetition guard on.`,
      probes: endless.map(({ id }) => id),
    });
  }
  return advice;
}

function machineAdvice({ conditions, measured }: ModelCheck): Advice[] {
  const advice: Advice[] = [];
  const share = gpuShare(conditions);
  const window = formatCount(conditions.context_tokens ?? conditions.window_tokens);
  if (share === 0) {
    advice.push({
      tone: 'calm',
      text: 'It runs entirely on the CPU: none of it is in GPU memory.',
      probes: [],
    });
  } else if (share !== undefined && share < 1) {
    const outside = (conditions.size_bytes ?? 0) - (conditions.vram_bytes ?? 0);
    advice.push({
      tone: 'warn',
      text: `${formatPercent(1 - share)} of the model (${formatBytes(outside)}) is not on the GPU with a window of ${window} tokens and runs on the CPU. A smaller window or quantization is faster.`,
      probes: [],
    });
  }
  const speed = speedOf(measured);
  if (speed !== undefined && speed < SLOW_TOKENS_PER_SECOND) {
    advice.push({
      tone: 'warn',
      text: `${formatRate(speed)} tokens per second: a reply of ${EXAMPLE_REPLY_TOKENS} tokens takes ${formatDuration((EXAMPLE_REPLY_TOKENS / speed) * 1000)}. The default call timeout of a run is 120 s.`,
      probes: [],
    });
  }
  return advice;
}

function thinkingAdvice({ measured, probes }: ModelCheck): Advice[] {
  if (measured.thinking_replies === 0) return [];
  return [
    {
      tone: 'calm',
      text: `It used thinking although it was off, ${thoughtWords(measured)}: thinking counts towards the reply limit.`,
      probes: probesWith(probes, ({ read }) => (read?.thinking_chars ?? 0) > 0),
    },
  ];
}

function unknownAdvice({ probes }: ModelCheck): Advice[] {
  const unknown = probes.filter(({ verdict }) => verdict === 'unknown');
  if (unknown.length === 0) return [];
  const reasons = new Set(
    unknown.flatMap(({ criteria }) =>
      criteria.flatMap(({ verdict, found }) => (verdict === 'unknown' ? [found] : [])),
    ),
  );
  const [reason = ''] = reasons;
  return [
    {
      tone: 'calm',
      text: `${plural(unknown.length, 'probe')} could not be judged. ${reason}`,
      probes: unknown.map(({ id }) => id),
    },
  ];
}

function probesWith(
  probes: readonly ProbeResult[],
  holds: (exchange: ProbeResult['exchanges'][number]) => boolean,
): string[] {
  return probes.filter(({ exchanges }) => exchanges.some(holds)).map(({ id }) => id);
}
