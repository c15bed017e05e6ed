import { listFolder } from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import type { JsonObject } from '../util/json.ts';
import { optionalText } from './arguments.ts';
import type { Tool } from './tool.ts';
import { MAX_RESULT_BYTES, RESULT_OVERHEAD_BYTES, succeeded } from './tool-results.ts';

/** Max entries read from one folder; larger folders are listed in part. */
const MAX_ENTRIES = 2000;

/** Lists one folder: names, types and sizes, sorted by name. */
export const listDirectory: Tool = {
  isReadOnly: true,
  isIndependent: true,
  definition: {
    type: 'function',
    function: {
      name: 'list_directory',
      description: 'List the files and folders in one folder of the workspace, with their types and sizes.',
      parameters: {
        type: 'object',
        properties: {
          path: {
            type: 'string',
            description: 'Path of the folder, relative to the workspace (default: ".")',
          },
        },
        required: [],
      },
    },
  },
  async run(args, { workspace }) {
    const path = optionalText(args, 'path') ?? '.';
    const { entries, complete } = await listFolder(workspace, workspaceSteps(path), MAX_ENTRIES);
    const shown: JsonObject[] = [];
    let bytes = RESULT_OVERHEAD_BYTES;
    for (const { name, type, bytes: size } of entries) {
      const entry: JsonObject = { name, type, ...(size !== undefined && { bytes: size }) };
      bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
      if (bytes > MAX_RESULT_BYTES) break;
      shown.push(entry);
    }
    const truncated = !complete || shown.length < entries.length;
    return succeeded(
      'list_directory',
      {
        path,
        count: shown.length,
        ...(truncated && {
          note: `Only ${shown.length} entries are shown; there are ${complete ? entries.length : `more than ${MAX_ENTRIES}`}. Search with search_files, or list one of its subfolders.`,
        }),
        entries: shown,
      },
      { truncated },
    );
  },
};
