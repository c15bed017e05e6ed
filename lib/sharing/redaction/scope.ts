import type { RunEvent } from '../../events/registry.ts';
import type { ShareScope } from '../../events/share-scopes.ts';
import { assertNever } from '../../util/assert-never.ts';
import { summaryOnly } from './scope/summary.ts';
import { withoutResults } from './scope/without-results.ts';

/**
 * Limits an event to a scope. All events stay, with their sequence numbers, so that the timeline folds like the original;
 * texts outside the scope are replaced.
 */
export function inScope(event: RunEvent, scope: ShareScope): RunEvent {
  switch (scope) {
    case 'everything':
      return event;
    case 'without_results':
      return withoutResults(event);
    case 'summary':
      return summaryOnly(event);
    default:
      return assertNever(scope);
  }
}
