import { DEFAULT_MODE, kindFacts, modeAndTools, type RunMode } from '../events/modes.ts';
import { hasEffectOn, isSettingOf } from '../events/settings.ts';

const WITHOUT_TOOLS =
  'This has no effect on a single answer, which has no tools. Remove it, or start a task with tools.';
const ALWAYS_STREAMED = 'A single answer is always streamed. Remove it, or start a task with tools.';

/** A request for a run, or what is known of it. */
type Fields = Readonly<Partial<Record<string, unknown>>> & {
  readonly mode?: RunMode | undefined;
  readonly agentic?: boolean | undefined;
};

interface UnusedOptions {
  /** Whether the request is complete: that of a case or a preset may get further settings. */
  readonly isComplete: boolean;
}

/**
 * The fields of a request that would silently do nothing, each with the reason. Fields of other modes are refused
 * elsewhere. Pure.
 */
export function unusedFields(
  request: Fields,
  { isComplete }: UnusedOptions = { isComplete: true },
): [field: string, message: string][] {
  const { mode = DEFAULT_MODE } = request;
  return Object.keys(request).flatMap((field): [string, string][] => {
    if (request[field] === undefined || !isSettingOf(mode, field)) return [];
    const message = whyNotInKind(field, request) ?? (isComplete ? whyNotAlone(field, request) : undefined);
    return message === undefined ? [] : [[field, message]];
  });
}

/**
 * The unused fields for which a request is refused: not one attempt without checks, which only says what happens. Pure.
 */
export function refusedFields(request: Fields, options?: UnusedOptions): [field: string, message: string][] {
  return unusedFields(request, options).filter(
    ([field]) => field !== 'max_attempts' || request.max_attempts !== 1,
  );
}

/**
 * A request without unused fields, or such parts of them: what a form, a preset or an earlier run carries over from other
 * choices. Pure.
 */
export function withoutUnused<Request extends Fields>(request: Request, options?: UnusedOptions): Request {
  const unused = new Set(unusedFields(request, options).map(([field]) => field));
  if (unused.size === 0) return request;
  const used = Object.entries(request).filter(([field]) => !unused.has(field));
  const { operator_policy: policy, operator_replies: replies } = request;
  const isShortened = policy === 'fixed' && Array.isArray(replies);
  return Object.fromEntries([
    ...used,
    ...(isShortened ? [['operator_replies', replies.slice(0, 1)]] : []),
  ]) as Request;
}

/** Why a field has no effect on this kind of run. */
function whyNotInKind(
  field: string,
  { mode = DEFAULT_MODE, agentic = true, live_tokens: isStreamed }: Fields,
): string | undefined {
  const isSingleAnswer = !agentic && mode === modeAndTools('prompt').mode;
  if (!isSingleAnswer || isOfSingleAnswer(field)) return undefined;
  if (field !== 'live_tokens') return WITHOUT_TOOLS;
  return isStreamed === true ? undefined : ALWAYS_STREAMED;
}

function isOfSingleAnswer(field: string): boolean {
  if (field === 'workspace' || field === 'workspace_copy') return kindFacts('prompt').usesFiles;
  return hasEffectOn('prompt', field);
}

/** Why a field, or a part of it, has no effect with the other fields. */
function whyNotAlone(field: string, request: Fields): string | undefined {
  const { operator_policy: policy, operator_replies: replies, diversity, checks } = request;
  switch (field) {
    case 'max_attempts':
      return Array.isArray(checks) && checks.length > 0
        ? undefined
        : 'Another attempt follows only if a check fails. Add checks, or remove this.';
    case 'stall_threshold':
      return request.stall_guard === false
        ? 'The stall guard is off. Set stall_guard to true, or remove this.'
        : undefined;
    case 'operator_replies':
      if (policy === 'fixed' && Array.isArray(replies) && replies.length > 1)
        return 'The policy "fixed" only sends the first reply. Remove the others, or set operator_policy to "list".';
      return policy === 'fixed' || policy === 'list'
        ? undefined
        : 'Replies are only sent if operator_policy is "fixed" or "list". Set it, or remove them.';
    case 'operator_model':
    case 'operator_prompt':
      return policy === 'model'
        ? undefined
        : 'A model only replies if operator_policy is "model". Set it, or remove this.';
    case 'diversity_feedback':
      return diversity === undefined
        ? 'Feedback is given only if diversity is measured. Set diversity ({} for its defaults), or remove this.'
        : undefined;
    default:
      return undefined;
  }
}
