import { DEFAULT_MODE, kindFacts, modeAndTools, type RunMode } from '../events/modes.ts';
import { isSettingOf, offersSetting, SETTING_NAMES } from '../events/settings.ts';

const WITHOUT_TOOLS =
  'This has no effect on a single answer, which has no tools. Remove it, or start a task with tools.';
const ALWAYS_STREAMED = 'A single answer is always streamed. Remove it, or start a task with tools.';

/** A request for a run, or what is known of it. */
type Fields = Readonly<Partial<Record<string, unknown>>> & {
  readonly mode?: RunMode | undefined;
  readonly agentic?: boolean | undefined;
};

/**
 * The fields of a request that would silently do nothing, each with the reason. Fields of other modes are refused
 * elsewhere. Pure.
 */
export function unusedFields(request: Fields): [field: string, message: string][] {
  return Object.keys(request).flatMap((field): [string, string][] => {
    const message = request[field] === undefined ? undefined : whyUnused(field, request);
    return message === undefined ? [] : [[field, message]];
  });
}

/** A request without such fields: what a form, a preset or an earlier run carries over from other choices. Pure. */
export function withoutUnused<Request extends Fields>(request: Request): Request {
  const unused = new Set(unusedFields(request).map(([field]) => field));
  if (unused.size === 0) return request;
  return Object.fromEntries(Object.entries(request).filter(([field]) => !unused.has(field))) as Request;
}

function whyUnused(
  field: string,
  { mode = DEFAULT_MODE, agentic = true, live_tokens: isStreamed }: Fields,
): string | undefined {
  const isSingleAnswer = !agentic && mode === modeAndTools('prompt').mode;
  if (!isSingleAnswer || !isSettingOf(mode, field) || isOfSingleAnswer(field)) return undefined;
  if (field !== 'live_tokens') return WITHOUT_TOOLS;
  return isStreamed === true ? undefined : ALWAYS_STREAMED;
}

function isOfSingleAnswer(field: string): boolean {
  if (field === 'workspace' || field === 'workspace_copy') return kindFacts('prompt').usesFiles;
  const setting = SETTING_NAMES.find((name) => name === field);
  return setting === undefined || offersSetting('prompt', setting);
}
