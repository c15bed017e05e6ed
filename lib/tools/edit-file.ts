import { isUtf8 } from 'node:buffer';
import { MAX_KEPT_BYTES } from '../events/limits.ts';
import { applyEdits, readEdits } from '../events/text-edits.ts';
import { type FoundBefore, readBefore, readWhole } from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import { textArgument } from './arguments.ts';
import { editProblemText } from './edit-problem.ts';
import { replaceTextFile } from './replace-text-file.ts';
import { readOrSuggest } from './suggest-path.ts';
import type { Tool, ToolContext } from './tool.ts';
import { failed, succeeded } from './tool-results.ts';

const MAX_EDITS = 50;

/** Replaces parts of a text file. All edits of a call are made, or none. */
export const editFile: Tool = {
  definition: {
    type: 'function',
    function: {
      name: 'edit_file',
      description:
        'Change parts of a text file in the workspace: replaces each old_text with its new_text. Edits are made in order, all or none.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Path of the file, relative to the workspace' },
          edits: {
            type: 'array',
            minItems: 1,
            maxItems: MAX_EDITS,
            items: {
              type: 'object',
              properties: {
                old_text: {
                  type: 'string',
                  description:
                    'Text to replace, copied exactly from the file, with enough text around it to be unique',
                },
                new_text: { type: 'string', description: 'Text to put in its place' },
                replace_all: {
                  type: 'boolean',
                  description: 'Replace every occurrence of old_text (default false)',
                },
                line: {
                  type: 'integer',
                  minimum: 1,
                  description: 'If old_text occurs several times: line number of the one to replace',
                },
              },
              required: ['old_text', 'new_text'],
            },
          },
        },
        required: ['path', 'edits'],
      },
    },
  },
  changesFile: 'path',
  async run(args, context) {
    const path = textArgument(args, 'path');
    const edits = readEdits(args.edits);
    if (!edits) throw new TypeError('edits was not checked');
    context.signal.throwIfAborted();
    const steps = workspaceSteps(path);
    const found = await findFile(path, steps, context);
    const refusal = refusalOf(path, found);
    if (refusal !== undefined) return failed('edit_file', { error: refusal });
    const outcome = applyEdits(found.data?.toString('utf8') ?? '', edits);
    if (!outcome.ok) {
      return failed('edit_file', { error: editProblemText(outcome.problem, edits.length) });
    }
    const bytes = Buffer.byteLength(outcome.text);
    if (bytes > MAX_KEPT_BYTES) {
      return failed('edit_file', {
        error: `"${path}" would have ${bytes} bytes; at most ${MAX_KEPT_BYTES} can be written. Nothing was changed.`,
      });
    }
    const { created: _, ...written } = await replaceTextFile(context, { steps, text: outcome.text, found });
    const { made } = outcome;
    return succeeded('edit_file', {
      path,
      replacements: made.reduce((sum, { places }) => sum + places, 0),
      edited_lines: made.map(({ line }) => line),
      ...written,
    });
  },
};

/**
 * The file as it was when the call's intent was logged, or as it is now.
 *
 * @throws {AppError} with a message for the model, if there is no file
 */
async function findFile(
  path: string,
  steps: readonly string[],
  { workspace, files }: ToolContext,
): Promise<FoundBefore> {
  const found = files?.takeFound(steps) ?? (await readBefore(workspace, steps, MAX_KEPT_BYTES));
  if (found?.stats) return found;
  // Reports what is wrong with the path, or reads a file that has appeared meanwhile.
  await readOrSuggest(workspace, path, () => readWhole(workspace, steps, 0));
  return (await readBefore(workspace, steps, MAX_KEPT_BYTES)) ?? {};
}

function refusalOf(path: string, { stats, data }: FoundBefore): string | undefined {
  if (!data) {
    return `"${path}" has ${stats?.size ?? 0} bytes; only files of up to ${MAX_KEPT_BYTES} bytes are edited, because their content is kept.`;
  }
  if (!isUtf8(data) || data.includes(0)) {
    return `"${path}" is not a UTF-8 text file (${data.length} bytes) and cannot be edited.`;
  }
  return undefined;
}
