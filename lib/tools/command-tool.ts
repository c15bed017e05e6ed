import type { CommandTool } from '../events/command-tool.ts';
import { offeredCommandName } from '../events/mcp-names.ts';
import type { ToolDefinition } from '../parser/types.ts';
import { watchAutoRunFiles } from '../sandbox/auto-run-files.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type Argv, commandArgv } from './command-argv.ts';
import { commandResult } from './run-command.ts';
import type { Tool } from './tool.ts';
import { failed } from './tool-results.ts';

/**
 * Gives a program a file as its standard input: the path is the last argument. The text is fixed; the program, its
 * arguments and the file are arguments of the shell, which passes them on unchanged. Without a sandbox the file is at
 * descriptor 4, which the program does not need.
 */
const WITH_INPUT = `n=$#; i=1
for a do
  [ "$i" -eq 1 ] && set --
  [ "$i" -eq "$n" ] && exec "$@" <"$a" 4<&-
  set -- "$@" "$a"; i=$((i+1))
done`;

/** A custom tool as models get it. Pure. */
export function commandDefinition({ name, description, parameters }: CommandTool): ToolDefinition {
  return {
    type: 'function',
    function: { name: offeredCommandName(name), description, parameters },
  };
}

/** A custom tool as a run calls it, in the sandbox of `run_command`. Its intent is on disk first. */
export function commandTool(tool: CommandTool, sandbox: Sandbox): Tool {
  const definition = commandDefinition(tool);
  const { name } = definition.function;
  const timeoutMs = tool.timeout_seconds * 1000;
  return {
    definition,
    async run(args, { workspace, signal, onOutput }) {
      const filled = commandArgv(tool, args);
      if ('problem' in filled) return failed(name, { error: filled.problem });
      const autoRunFiles = await watchAutoRunFiles(workspace);
      const outcome = await sandbox.run({
        workspace,
        ...(tool.stdin === 'json' ? withInput(filled.argv, JSON.stringify(args)) : { argv: filled.argv }),
        timeoutMs,
        readOnly: tool.access === 'read',
        signal,
        onOutput: onOutput && ((text) => onOutput(text)),
      });
      return commandResult(outcome, { tool: name, timeoutMs, autoRunFiles: await autoRunFiles() });
    },
  };
}

function withInput(argv: Argv, input: string): { argv: Argv; input: string } {
  return { argv: ['/bin/sh', '-c', WITH_INPUT, 'sh', ...argv], input };
}
