import type { RunMode } from './config.ts';

/** Facts about a mode used throughout server, UI and CLI. */
interface ModeFacts {
  /** Singular and plural label. */
  label: string;
  labels: string;
  /** Name of one reply and its calls, as numbered in rows and exports. */
  step: string;
  /** Its tools, in the order they are offered. */
  tools: readonly string[];
}

export const MODES = {
  task: {
    label: 'Task',
    labels: 'Tasks',
    step: 'Iteration',
    tools: ['read_file', 'write_file', 'list_directory', 'search_files', 'run_command'],
  },
  session: {
    label: 'Session',
    labels: 'Sessions',
    step: 'Turn',
    tools: ['run_command', 'read_file', 'write_file'],
  },
  explore: {
    label: 'Exploration',
    labels: 'Explorations',
    step: 'Step',
    tools: ['write', 'read', 'list', 'delete', 'pattern_search', 'send_message_to_operator'],
  },
} as const satisfies Record<RunMode, ModeFacts>;

/** A task without tools: one answer. */
export const QUICK_PROMPT = { label: 'Quick prompt', labels: 'Quick prompts' } as const;

export type ToolName = (typeof MODES)[RunMode]['tools'][number];

/** All tools of all modes. */
export const TOOL_NAMES: readonly ToolName[] = [
  ...new Set<ToolName>([...MODES.task.tools, ...MODES.session.tools, ...MODES.explore.tools]),
];
