/** A limit or a group of limits in the ledger. `used_retries`: retries only once there are some. */
export type ModeGauge =
  | 'iterations'
  | 'repetition'
  | 'stall'
  | 'nudges'
  | 'cycles'
  | 'calls_per_cycle'
  | 'conversation'
  | 'empty_turns'
  | 'empty_cycles'
  | 'retries'
  | 'used_retries'
  | 'context'
  | 'budgets'
  | 'attempts';

/** A panel beside the timeline, next to the limits that every run has. */
export type ModePanel = 'Cycles' | 'Memory' | 'Reflections' | 'Messages';

/** A figure of one run in the results of an experiment. */
export type ResultColumn =
  | 'iterations'
  | 'turns'
  | 'cycles'
  | 'calls'
  | 'files'
  | 'checks'
  | 'memories'
  | 'novelty';

/** Facts about a mode for server, dashboard and command line. Its behavior is in `lib/modes`. */
export interface ModeFacts {
  /** Its name. */
  readonly label: string;
  /** The noun for one run, which is also the title of an untitled run, and for several. */
  readonly run: string;
  readonly runs: string;
  /** Name of one reply and its calls, as numbered in rows and exports. */
  readonly step: string;
  /** The unit of a run's length: steps or cycles. */
  readonly unit: string;
  /** Its tools, in the order they are offered. */
  readonly tools: readonly string[];
  /** Whether a run needs a task, may have a first message, or has neither. */
  readonly task: 'required' | 'optional' | 'none';
  /** The defaults that differ between modes. */
  readonly defaults: {
    readonly compact_at: number;
    readonly num_predict: readonly [first: number, second: number];
    readonly stall_guard: boolean;
    readonly nudge_plans: boolean;
    readonly max_attempts: number;
    readonly live_tokens: boolean;
    readonly parser_layers: readonly ('native' | 'json' | 'xml')[];
  };
  /** What limits a run: a setting, its first reply, or the operator. */
  readonly endsBy: 'max_iterations' | 'max_cycles' | 'reply' | 'stop';
  /** Whether the last text is the answer to a task. */
  readonly answers: boolean;
  /** Whether it works in a folder. */
  readonly usesFiles: boolean;
  /** Whether it keeps a memory of keys and values, which a fork can edit. */
  readonly hasMemory: boolean;
  /** Whether steps form cycles, each closed by a text without calls: the reflection. */
  readonly hasCycles: boolean;
  /** Whether steps are turns, which are counted without the summaries that hand a conversation over (decision 67). */
  readonly hasTurns: boolean;
  /** Whether it talks with the operator: all of its text is output, not just the last (S12). */
  readonly isConversation: boolean;
  /** Whether it writes a log file while it runs (S4). */
  readonly writesLogFile: boolean;
  /** When the operator's messages reach it: between steps, or with the result of a message it sends itself. */
  readonly readsMessages: 'between_steps' | 'with_own_message';
  /** In the order in which they are checked (G18). */
  readonly gauges: readonly ModeGauge[];
  readonly panels: readonly ModePanel[];
  /** In the results of experiments. */
  readonly resultColumns: readonly ResultColumn[];
}

/** All modes, by the name that logs keep. */
export const MODES = {
  task: {
    label: 'Task',
    run: 'Task',
    runs: 'Tasks',
    step: 'Iteration',
    unit: 'Iteration',
    tools: ['read_file', 'write_file', 'edit_file', 'list_directory', 'search_files', 'run_command'],
    task: 'required',
    defaults: {
      compact_at: 0.75,
      num_predict: [2048, 4096],
      stall_guard: true,
      nudge_plans: true,
      max_attempts: 3,
      live_tokens: true,
      parser_layers: ['native', 'json', 'xml'],
    },
    endsBy: 'max_iterations',
    answers: true,
    usesFiles: true,
    hasMemory: false,
    hasCycles: false,
    hasTurns: false,
    isConversation: false,
    writesLogFile: false,
    readsMessages: 'between_steps',
    gauges: ['iterations', 'repetition', 'stall', 'nudges', 'retries', 'context', 'budgets', 'attempts'],
    panels: [],
    resultColumns: ['iterations', 'calls', 'files', 'checks'],
  },
  session: {
    label: 'Session',
    run: 'Session',
    runs: 'Sessions',
    step: 'Turn',
    unit: 'Turn',
    tools: ['run_command', 'read_file', 'write_file', 'edit_file'],
    task: 'optional',
    defaults: {
      compact_at: 1,
      num_predict: [4096, 8192],
      stall_guard: false,
      nudge_plans: false,
      max_attempts: 1,
      live_tokens: true,
      parser_layers: ['native', 'json', 'xml'],
    },
    endsBy: 'stop',
    answers: false,
    usesFiles: true,
    hasMemory: false,
    hasCycles: false,
    hasTurns: true,
    isConversation: true,
    writesLogFile: true,
    readsMessages: 'between_steps',
    gauges: ['conversation', 'empty_turns', 'used_retries', 'context', 'budgets'],
    panels: ['Messages'],
    resultColumns: ['turns', 'calls', 'files'],
  },
  explore: {
    label: 'Explore',
    run: 'Exploration',
    runs: 'Explorations',
    step: 'Step',
    unit: 'Cycle',
    tools: ['write', 'read', 'list', 'delete', 'pattern_search', 'send_message_to_operator'],
    task: 'none',
    defaults: {
      compact_at: 1,
      num_predict: [4096, 4096],
      stall_guard: false,
      nudge_plans: false,
      max_attempts: 1,
      live_tokens: true,
      parser_layers: ['native', 'xml'],
    },
    endsBy: 'max_cycles',
    answers: false,
    usesFiles: false,
    hasMemory: true,
    hasCycles: true,
    hasTurns: false,
    isConversation: false,
    writesLogFile: false,
    readsMessages: 'with_own_message',
    gauges: [
      'cycles',
      'calls_per_cycle',
      'conversation',
      'empty_cycles',
      'used_retries',
      'context',
      'budgets',
    ],
    panels: ['Cycles', 'Memory', 'Reflections', 'Messages'],
    resultColumns: ['cycles', 'calls', 'memories', 'novelty'],
  },
} as const satisfies Record<string, ModeFacts>;

export type RunMode = keyof typeof MODES;

export const modeNames = Object.keys(MODES) as RunMode[];

/** What a person can start: a run of each mode, or a quick prompt, which is a task without tools (T9, T10). */
export type RunKind = RunMode | 'prompt';

const RUN_KINDS = {
  ...MODES,
  prompt: {
    ...MODES.task,
    label: 'Quick prompt',
    run: 'Quick prompt',
    runs: 'Quick prompts',
    tools: [],
    // Without tools there are no calls: text that looks like one is part of the answer.
    defaults: { ...MODES.task.defaults, parser_layers: [] },
    endsBy: 'reply',
    usesFiles: false,
    gauges: ['used_retries', 'context', 'budgets', 'attempts'],
  },
} as const satisfies Record<RunKind, ModeFacts>;

/** In the order in which the form offers them. */
export const runKinds = Object.keys(RUN_KINDS) as RunKind[];

/** The mode of a request that names none, and of a run whose configuration has not arrived yet. */
export const DEFAULT_MODE = 'task' satisfies RunMode;

/** The mode of an experiment that names neither a mode nor a suite. */
export const DEFAULT_EXPERIMENT_MODE = 'explore' satisfies RunMode;

/** The facts of a mode; of the default one for a mode that a server of another version has. */
export function modeFacts(mode: RunMode | undefined): ModeFacts {
  return MODES[mode ?? DEFAULT_MODE] ?? MODES[DEFAULT_MODE];
}

interface ModeAndTools {
  readonly mode: RunMode;
  /** `false`: without tools. */
  readonly agentic: boolean;
}

/** The kind of run that a configuration, a summary or a request describes. */
export function kindOf({ mode, agentic }: ModeAndTools): RunKind {
  return agentic ? mode : 'prompt';
}

/** The fields of `POST /api/runs` that select a kind. */
export function modeAndTools(kind: RunKind): ModeAndTools {
  return kind === 'prompt' ? { mode: 'task', agentic: false } : { mode: kind, agentic: true };
}

/** Whether the model of a session answered a person: without autopilot, it does nothing on its own. */
export function isLedByPerson({ mode, autopilot }: { mode: RunMode; autopilot?: boolean }): boolean {
  return mode === 'session' && autopilot === false;
}

/** The facts of a kind of run. */
export function kindFacts(kind: RunKind): ModeFacts {
  return RUN_KINDS[kind];
}

export type ToolName = (typeof MODES)[RunMode]['tools'][number];

/** All tools of all modes. */
export const TOOL_NAMES: readonly ToolName[] = [
  ...new Set<ToolName>(modeNames.flatMap((mode) => [...MODES[mode].tools])),
];

/** The tools that write the file at their argument `path`. Their success always counts as progress (G11). */
export const WRITING_TOOLS: readonly string[] = ['write_file', 'edit_file'] satisfies ToolName[];
