import { runKinds } from '../../events/modes.ts';
import { isRecord } from '../../util/json.ts';
import type { CaseDraft } from './case-draft.ts';
import { isText, type KeptFields, listOf, oneOf } from './kept-fields.ts';
import { isDraftCheck } from './kept-settings.ts';

/** The fields of a case of a suite. */
export const KEPT_CASE: KeptFields<CaseDraft> = {
  ...{ id: isText, input: isText, target: isText, folder: isText, tags: isText, tools: isText },
  ...{ settings: isText, metadata: isText },
  mode: oneOf(runKinds),
  files: listOf(isFile),
  checks: listOf(isDraftCheck),
};

function isFile(value: unknown): value is CaseDraft['files'][number] {
  return isRecord(value) && isText(value.path) && isText(value.text);
}
