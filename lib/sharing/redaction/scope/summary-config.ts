import type { RunConfig } from '../../../events/config.ts';
import type { EventOf } from '../../../events/registry.ts';
import { WITHHELD } from '../../../events/share-scopes.ts';
import type { Opinion } from '../../../events/verification.ts';
import { assertNever } from '../../../util/assert-never.ts';
import { type FieldRules, omitted, shown } from './shown-fields.ts';

/** What a summary shows of the settings of a run. */
export const CONFIG: FieldRules<RunConfig> = {
  mode: shown,
  title: shown,
  agentic: shown,
  task: shown,
  images: omitted,
  model: shown,
  workspace: shown,
  copied_from: shown,
  tier: shown,
  window_tokens: shown,
  compact_at: shown,
  result_chars: shown,
  num_predict: shown,
  stall_guard: shown,
  stall_threshold: shown,
  repetition_threshold: shown,
  max_nudges: shown,
  keep_rounds: shown,
  nudge_plans: shown,
  budget: shown,
  checks: (checks) => checks.map(withheldCheck),
  max_attempts: shown,
  live_tokens: shown,
  think: shown,
  keep_alive: shown,
  model_options: shown,
  system: omitted,
  server_wait_seconds: shown,
  max_empty_replies: shown,
  answer_schema: omitted,
  shell_timeout_secs: shown,
  blocked_patterns: omitted,
  tools: shown,
  distractor_tools: shown,
  fetch_hosts: shown,
  handover_at: shown,
  autopilot: shown,
  autopilot_turns: shown,
  autopilot_seconds: shown,
  unattended: shown,
  operator_policy: shown,
  operator_replies: omitted,
  operator_model: shown,
  operator_prompt: omitted,
  diversity_feedback: shown,
  max_iterations: shown,
  call_timeout_ms: shown,
  load_timeout_ms: shown,
  parser_layers: shown,
  command_tools: omitted,
  approval: shown,
  conversation: shown,
  session: shown,
  explore: shown,
  price: shown,
  asked: shown,
};

/** A fork also lists model options and the settings of a session or exploration by their names. */
export function withheldChange({ name, before, after }: EventOf<'run.forked'>['settings'][number]) {
  const rules: Readonly<Record<string, unknown>> = CONFIG;
  const limited = (value: typeof before) =>
    Object.hasOwn(rules, name) && rules[name] !== shown ? WITHHELD : value;
  return {
    name,
    ...(before === undefined ? {} : { before: limited(before) }),
    ...(after === undefined ? {} : { after: limited(after) }),
  };
}

export function withheldCheck(check: RunConfig['checks'][number]): RunConfig['checks'][number] {
  switch (check.type) {
    case 'command':
      return { ...check, command: WITHHELD };
    case 'file_exists':
      return { ...check, path: WITHHELD };
    case 'file_contains':
      return { ...check, path: WITHHELD, text: WITHHELD };
    case 'answer_contains':
      return { ...check, text: WITHHELD };
    case 'answer_matches':
      return { ...check, pattern: WITHHELD };
    case 'answer_equals':
      return { type: check.type, value: WITHHELD };
    case 'answer_schema':
      return { ...check, schema: { title: WITHHELD } };
    case 'tool_called': {
      const { arguments: _arguments, ...rest } = check;
      return rest;
    }
    case 'rubric':
      return withheldRubric(check);
    case 'tool_not_called':
    case 'iterations_at_most':
      return check;
    default:
      return assertNever(check);
  }
}

export function withheldRubric(check: Opinion['check']): Opinion['check'] {
  return { ...check, criteria: WITHHELD };
}
