import { isAutoRunFile } from '../sandbox/auto-run-files.ts';
import { removeTemporary, replaceFile, temporaryNameOf } from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import type { JsonObject } from '../util/json.ts';
import { optionalText, textArgument } from './arguments.ts';
import { MAX_KEPT_BYTES } from './changed-files.ts';
import type { CallId, Tool } from './tool.ts';
import { failed, succeeded } from './tool-results.ts';

const MAX_BYTES = 5 * 1024 * 1024;

/** Creates or replaces a file. */
export const writeFile: Tool = {
  definition: {
    type: 'function',
    function: {
      name: 'write_file',
      description:
        'Write a text file in the workspace: creates it, with missing folders, or replaces all of its content.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Path of the file, relative to the workspace' },
          content: { type: 'string', description: 'The whole new content of the file' },
        },
        required: ['path', 'content'],
      },
    },
  },
  changesFile: 'path',
  async run(args, { workspace, signal, call, files }) {
    const path = textArgument(args, 'path');
    const content = textArgument(args, 'content');
    const data = Buffer.from(content, 'utf8');
    if (data.length > MAX_BYTES) {
      return failed('write_file', {
        error: `The content has ${data.length} bytes; at most ${MAX_BYTES} can be written at once. Split it into several files.`,
      });
    }
    signal.throwIfAborted();
    const steps = workspaceSteps(path);
    const found = files?.takeFound(steps);
    if (found?.stats && !found.data) {
      return failed('write_file', {
        error: `"${path}" has ${found.stats.size} bytes; only files of up to ${MAX_KEPT_BYTES} bytes are replaced, because their content is kept. Write to another path.`,
      });
    }
    const { created } = await replaceFile(workspace, steps, data, {
      temporaryName: call && temporaryNameOf(call),
      found,
    });
    files?.wrote(steps, data);
    return succeeded('write_file', {
      path,
      created,
      bytes_written: data.length,
      lines: content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0),
      ...(isAutoRunFile(steps) && { auto_run_files: [steps.join('/')] }),
      ...(!content.isWellFormed() && { note: 'Broken Unicode in the content was replaced by U+FFFD.' }),
    });
  },
};

/**
 * Removes the temporary file left by a `write_file` call of a killed server.
 *
 * @throws {AppError} when it exists but cannot be removed
 */
export async function removeIncompleteFile(args: JsonObject, workspace: string, call: CallId): Promise<void> {
  const path = optionalText(args, 'path');
  if (path !== undefined) await removeTemporary(workspace, workspaceSteps(path), temporaryNameOf(call));
}
