import { MAX_KEPT_BYTES } from '../events/limits.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import { textArgument } from './arguments.ts';
import { replaceTextFile } from './replace-text-file.ts';
import type { Tool } from './tool.ts';
import { failed, succeeded } from './tool-results.ts';

/** Creates or replaces a file. */
export const writeFile: Tool = {
  definition: {
    type: 'function',
    function: {
      name: 'write_file',
      description:
        'Write a text file in the workspace. Creates the file and missing folders, or replaces its whole content.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Path of the file, relative to the workspace' },
          content: { type: 'string', description: 'Complete new content of the file' },
        },
        required: ['path', 'content'],
      },
    },
  },
  changesFile: 'path',
  async run(args, context) {
    const path = textArgument(args, 'path');
    const content = textArgument(args, 'content');
    const bytes = Buffer.byteLength(content);
    if (bytes > MAX_KEPT_BYTES) {
      return failed('write_file', {
        error: `The content has ${bytes} bytes; at most ${MAX_KEPT_BYTES} can be written. Split it into several files.`,
      });
    }
    context.signal.throwIfAborted();
    const steps = workspaceSteps(path);
    const found = context.files?.takeFound(steps);
    if (found?.stats && !found.data) {
      return failed('write_file', {
        error: `"${path}" has ${found.stats.size} bytes; only files of up to ${MAX_KEPT_BYTES} bytes are replaced, because their content is kept. Write to another path.`,
      });
    }
    const written = await replaceTextFile(context, { steps, text: content, found });
    return succeeded('write_file', { path, ...written });
  },
};
