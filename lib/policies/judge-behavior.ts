import type { CheckOf } from '../events/check.ts';
import type { BehaviorCheck } from '../events/check-kinds.ts';
import type { RunState } from '../events/run-state.ts';
import { assertNever } from '../util/assert-never.ts';
import type { JsonValue } from '../util/json.ts';
import { plural } from '../util/numbers.ts';
import { failed, type Judgment } from './judge-answer.ts';

/**
 * Judges an attempt's behavior by a check (V11): its requested calls, successful or not, and its iterations. Earlier
 * attempts do not count, because their conversations are over. Pure.
 */
export function judgeBehavior(
  check: BehaviorCheck,
  { callHistory, iteration }: Pick<RunState, 'callHistory' | 'iteration'>,
): Judgment {
  switch (check.type) {
    case 'tool_called':
      return judgeCalls(check, callHistory);
    case 'tool_not_called': {
      const count = callHistory.flat().filter(({ name }) => name === check.tool).length;
      return count === 0
        ? { passed: true, output: 'It was not called.' }
        : failed(`${check.tool} was called ${plural(count, 'time')}.`);
    }
    case 'iterations_at_most':
      return {
        passed: iteration <= check.iterations,
        output: `The attempt took ${plural(iteration, 'iteration')}.`,
      };
    default:
      return assertNever(check);
  }
}

function judgeCalls(check: CheckOf<'tool_called'>, callHistory: RunState['callHistory']): Judgment {
  const { tool, arguments: wanted, at_least = 1, at_most = Number.POSITIVE_INFINITY } = check;
  const calls = callHistory.flat().filter(({ name }) => name === tool);
  const matching = wanted ? calls.filter((call) => includes(call.arguments, wanted)) : calls;
  const passed = matching.length >= at_least && matching.length <= at_most;
  const times = matching.length === 0 ? 'not called' : `called ${plural(matching.length, 'time')}`;
  const others = calls.length - matching.length;
  const also = others > 0 ? `, and ${plural(others, 'time')} with other arguments` : '';
  return { passed, output: `${tool} was ${times}${wanted ? ' with these arguments' : ''}${also}.` };
}

/** Whether a value includes another: objects may have more fields, everything else must be equal. */
function includes(value: JsonValue | undefined, part: JsonValue): boolean {
  if (typeof part !== 'object' || part === null) return value === part;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(part))
    return false;
  if (Array.isArray(part)) {
    return (
      Array.isArray(value) &&
      value.length === part.length &&
      part.every((item, at) => includes(value[at], item))
    );
  }
  return Object.entries(part).every(
    ([key, inner]) => !Array.isArray(value) && Object.hasOwn(value, key) && includes(value[key], inner),
  );
}
