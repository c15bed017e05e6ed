import { holdWorkspace } from '../sandbox/held-workspace.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type TemporaryFolder, temporaryFolder } from '../sandbox/under-test.ts';
import type { JsonObject } from '../util/json.ts';
import { createTaskTools, type TaskToolOptions } from './registry.ts';
import type { ToolBox, ToolResult } from './tool.ts';

/** A sandbox for tests that run no command. */
export const noSandbox: Sandbox = {
  report: { available: false, kind: 'none', protections: [], reason: 'Not needed in this test.' },
  workspacePath: (workspace) => workspace,
  ripgrep: undefined,
  run: () => Promise.reject(new Error('No command runs in this test')),
  startServer: () => Promise.reject(new Error('No server starts in this test')),
};

export interface ToolsUnderTest extends AsyncDisposable {
  workspace: string;
  box: ToolBox;
  call(name: string, args: JsonObject, signal?: AbortSignal): Promise<ToolResult>;
  /** The output of a call that must succeed. */
  output(name: string, args: JsonObject): Promise<JsonObject>;
  /** The error text of a call that must fail. */
  error(name: string, args: JsonObject): Promise<string>;
}

/** The task tools on a new workspace, which is held open as in a run. */
export async function toolsUnderTest(
  options: Partial<TaskToolOptions> = {},
  owner?: number,
): Promise<ToolsUnderTest> {
  const folder: TemporaryFolder = await temporaryFolder(owner);
  const box = createTaskTools({ workspace: folder.path, sandbox: noSandbox, ...options });
  const held = await holdWorkspace(options.workspace ?? folder.path, '/data');
  const call = (name: string, args: JsonObject, signal = new AbortController().signal) =>
    box.execute({ name, arguments: args }, { signal });
  return {
    workspace: folder.path,
    box,
    call,
    async output(name, args) {
      const { success, output } = await call(name, args);
      if (!success) throw new Error(`${name} failed: ${JSON.stringify(output)}`);
      if (typeof output !== 'object' || output === null || Array.isArray(output))
        throw new Error('No object');
      return output;
    },
    async error(name, args) {
      const result = await call(name, args);
      if (result.success) throw new Error(`${name} succeeded: ${JSON.stringify(result.output)}`);
      return result.output.error;
    },
    async [Symbol.asyncDispose]() {
      await held.release();
      await folder[Symbol.asyncDispose]();
    },
  };
}
