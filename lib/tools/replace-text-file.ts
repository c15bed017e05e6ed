import { isAutoRunFile } from '../sandbox/auto-run-files.ts';
import {
  type FoundBefore,
  removeTemporary,
  replaceFile,
  temporaryNameOf,
} from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import type { JsonObject } from '../util/json.ts';
import { optionalText } from './arguments.ts';
import type { CallId, ToolContext } from './tool.ts';

/**
 * Replaces a file of the workspace for a tool call (`replaceFile`): only if it has not changed since the call's intent
 * was logged.
 *
 * @returns the fields of the result that describe the new file
 */
export async function replaceTextFile(
  { workspace, call, files }: Pick<ToolContext, 'workspace' | 'call' | 'files'>,
  { steps, text, found }: { steps: readonly string[]; text: string; found: FoundBefore | undefined },
) {
  const data = Buffer.from(text, 'utf8');
  const { created } = await replaceFile(workspace, steps, data, {
    temporaryName: call && temporaryNameOf(call),
    found,
  });
  files?.wrote(steps, data);
  return {
    created,
    bytes_written: data.length,
    lines: text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    ...(isAutoRunFile(steps) && { auto_run_files: [steps.join('/')] }),
    ...(!text.isWellFormed() && { note: 'Broken Unicode in the content was replaced by U+FFFD.' }),
  };
}

/**
 * Removes the temporary file that a file replacement left behind when the server was killed.
 *
 * @throws {AppError} when it exists but cannot be removed
 */
export async function removeIncompleteFile(args: JsonObject, workspace: string, call: CallId): Promise<void> {
  const path = optionalText(args, 'path');
  if (path !== undefined) await removeTemporary(workspace, workspaceSteps(path), temporaryNameOf(call));
}
