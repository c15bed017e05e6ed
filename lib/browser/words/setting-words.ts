import type { Check } from '../../events/config.ts';
import type { JsonObject, JsonValue } from '../../util/json.ts';
import { formatCount, formatDuration } from './format.ts';

/** The settings by the names that the form of a new run gives them. */
const NAMES: Readonly<Record<string, string>> = {
  agentic: 'Tools',
  approval: 'Approval',
  blocked_patterns: 'Refused commands',
  budget: 'Budget',
  call_timeout_ms: 'Call limit',
  calls_per_cycle: 'Model calls per cycle',
  checks: 'Checks',
  compact_at: 'Shorten results at',
  context_limit: 'Conversation limit',
  cycle_line: 'Open each cycle with its number',
  default: 'Every call',
  diversity: 'Advise on diversity',
  embedding_model: 'Embedding model',
  keep_alive: 'Keep loaded for',
  keep_rounds: 'Rounds kept whole',
  live_tokens: 'Live tokens',
  load_timeout_ms: 'Load limit',
  max_attempts: 'Max attempts',
  max_cost_usd: 'USD',
  max_cycles: 'Cycles',
  max_iterations: 'Iterations',
  max_nudges: 'Nudges',
  max_seconds: 'Seconds',
  max_tokens_total: 'Tokens',
  mode: 'Mode',
  model: 'Model',
  nudge_plans: 'Nudge plans',
  num_predict: 'Reply limits',
  price: 'Price',
  input_usd_per_million: 'Input (USD per million tokens)',
  output_usd_per_million: 'Output (USD per million tokens)',
  usd_per_kwh: 'USD per kWh',
  watts: 'Watts',
  parser_layers: 'Layers that read replies',
  repetition_threshold: 'Identical calls in a row',
  result_chars: 'Longest single result',
  seed: 'Seed',
  shell_timeout_secs: 'Command limit (seconds)',
  stall_guard: 'Stall guard',
  stall_threshold: 'Rounds without a file',
  system: 'System prompt (added first)',
  task: 'Task',
  temperature: 'Temperature',
  think: 'Thinking',
  threshold: 'Alike from',
  tier: 'Tier',
  top_k: 'Top k',
  top_p: 'Top p',
  turn_delay: 'Pause between turns',
  window: 'Reflections compared',
  window_tokens: 'Window',
};

/** Counts that are large enough for separators; a seed is a name, not a count. */
const COUNTS = /_tokens$|_total$|_limit$|_chars$/;
const TIMES = /_ms$|^turn_delay$/;

/** A setting in words; one that no form shows, such as an option of Ollama, keeps its own name. */
export function settingName(name: string): string {
  return NAMES[name] ?? name;
}

/** Formats a setting's value for display: one line per check, durations with units, no JSON. */
export function settingText(name: string, value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'not set';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') {
    if (TIMES.test(name)) return formatDuration(value);
    return COUNTS.test(name) ? formatCount(value) : String(value);
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    if (name === 'num_predict') return value.map(Number).map(formatCount).join(', then ');
    return value.map((each) => settingText('', each)).join(value.every(isScalar) ? ', ' : '\n');
  }
  if (isCheck(value)) return checkText(value);
  return fieldLines(value).join('\n') || 'none';
}

/** A field in each line; those of an object within stand among them: the rules of approval, tool by tool. */
function fieldLines(value: JsonObject): string[] {
  return Object.entries(value).flatMap(([field, of]) =>
    typeof of === 'object' && of !== null && !Array.isArray(of)
      ? fieldLines(of)
      : [`${settingName(field)}: ${settingText(field, of)}`],
  );
}

/** What a check asks for, in a line. */
export function checkText(check: Check): string {
  switch (check.type) {
    case 'command':
      return check.command;
    case 'file_exists':
      return `${check.path} exists`;
    case 'file_contains':
      return `${check.path} contains "${check.text}"`;
  }
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

function isCheck(value: object): value is Check {
  return 'type' in value && ('command' in value || 'path' in value);
}
