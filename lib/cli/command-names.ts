/** The commands. */
export const COMMAND_NAMES = [
  'run',
  'follow',
  'list',
  'note',
  'stop',
  'say',
  'export',
  'import',
  'presets',
  'rate',
  'check',
  'experiment',
  'mcp',
  'benchmark',
  'version',
  'help',
] as const;
export type CommandName = (typeof COMMAND_NAMES)[number];
