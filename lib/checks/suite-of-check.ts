import type { SuiteCaseInput } from '../api/suite.ts';
import type { ToolCheck } from '../api/tool-check.ts';

const MAX_NAME_CHARS = 100;
const MAX_CASE_TOOLS = 100;

/**
 * The requests of a check as an editable suite: each case offers the server's tools and checks that the call was made
 * with the requested arguments. Pure.
 */
export function suiteOfCheck(
  { server, model, tools, probes }: ToolCheck,
  name = `Tools of ${server}`.slice(0, MAX_NAME_CHARS),
): { name: string; description: string; cases: SuiteCaseInput[] } {
  const names = tools.map((tool) => tool.name);
  return {
    name,
    description: `Calls of the tools of ${server}, as they were asked for when ${model} was checked.`.slice(
      0,
      4000,
    ),
    cases: probes.map(({ id, task, tool, kind, expected }) => ({
      id: id.replaceAll(/[^\w.:-]/g, '_').slice(0, 100),
      input: task,
      mode: 'task',
      // A case can name 100 tools; the expected one is always among them.
      tools: [...new Set([tool, ...names])].slice(0, MAX_CASE_TOOLS).sort(),
      checks: [
        {
          type: 'tool_called',
          tool,
          ...(Object.keys(expected).length > 0 && { arguments: expected }),
          at_least: 1,
          at_most: 1,
        },
      ],
      tags: ['tools', kind],
    })),
  };
}
