import { z } from 'zod';
import {
  approvalChoice,
  blockedPattern,
  budget,
  check,
  diversitySettings,
  exploreSettings,
  type RunMode,
  runMode,
  sessionSettings,
  thinkSetting,
  tier,
} from '../events/config.ts';

/** Every tool there is, in any mode: a rule for a misspelt tool must not pass in silence. */
const TOOL_NAMES = [
  'read_file',
  'write_file',
  'list_directory',
  'search_files',
  'run_command',
  'read',
  'write',
  'list',
  'delete',
  'pattern_search',
  'send_message_to_operator',
] as const;

/**
 * Body of `POST /api/runs`. What is left out takes its default when the run is made (`resolveConfig`). Unknown fields
 * and fields of another mode are refused, so that a misspelt or misplaced option never passes in silence.
 */
export const createRunRequest = z
  .strictObject({
    mode: runMode.default('task'),
    /** `false` asks for one streamed answer without tools (T10). */
    agentic: z.boolean().default(true),
    /** A name for lists. */
    title: z.string().trim().min(1).max(200).optional(),
    /** In a session the first words to the model, if any. */
    task: z.string().trim().max(200_000).default(''),
    model: z.string().trim().min(1, 'Choose a model.').max(300),
    /** Absolute path of an existing folder; left out: a fresh folder under the data directory (K-33). */
    workspace: z.string().min(1).max(4096).optional(),
    /** Works on a copy of `workspace` as it is now, in a fresh folder, and leaves that one as it is. */
    workspace_copy: z.boolean().optional(),
    system: z.string().max(100_000).optional(),
    tier: tier.optional(),
    max_iterations: z.int().min(1).max(100).optional(),
    window_tokens: z.int().min(256).max(2_000_000).optional(),
    stall_guard: z.boolean().optional(),
    nudge_plans: z.boolean().optional(),
    budget: budget.optional(),
    checks: z.array(check).max(20).optional(),
    max_attempts: z.int().min(1).max(10).optional(),
    live_tokens: z.boolean().optional(),
    think: thinkSetting.optional(),
    keep_alive: z.union([z.string(), z.number()]).optional(),
    call_timeout_seconds: z.number().positive().max(86_400).optional(),
    load_timeout_seconds: z.number().positive().max(86_400).optional(),
    num_predict: z.tuple([z.int().positive(), z.int().positive()]).optional(),
    compact_at: z.number().min(0.1).max(1).optional(),
    result_chars: z.int().min(200).max(1_000_000).optional(),
    model_options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])).optional(),
    parser_layers: z
      .array(z.enum(['native', 'json', 'xml']))
      .min(1)
      .optional(),
    shell_timeout_secs: z.int().min(1).max(86_400).optional(),
    blocked_patterns: z.array(blockedPattern).max(50).optional(),
    context_limit: sessionSettings.shape.context_limit.optional(),
    turn_delay: sessionSettings.shape.turn_delay.optional(),
    max_cycles: exploreSettings.shape.max_cycles.optional(),
    calls_per_cycle: exploreSettings.shape.calls_per_cycle.optional(),
    cycle_line: z.boolean().optional(),
    /** Which calls a person must approve; left out, none. */
    approval: z
      .strictObject({
        default: approvalChoice.default('auto'),
        tools: z.partialRecord(z.enum(TOOL_NAMES), approvalChoice).optional(),
      })
      .optional(),
    diversity: diversitySettings
      .extend({
        threshold: diversitySettings.shape.threshold.default(0.6),
        window: diversitySettings.shape.window.default(5),
      })
      .optional(),
  })
  .refine(({ mode, task }) => mode !== 'task' || task !== '', {
    path: ['task'],
    message: 'Say what the agent should do.',
    // Also when other fields are wrong, so that one answer names them all.
    when: ({ value }) => typeof value === 'object' && value !== null && 'task' in value,
  })
  .superRefine((request, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const { mode } = request;
    if (mode === 'explore' && request.task !== '') complain('task', 'An exploration has no task.');
    if (request.approval && !request.agentic) complain('approval', 'A single answer calls no tools.');
    if (request.workspace_copy && request.workspace === undefined) {
      complain('workspace_copy', 'Name the folder that is to be copied: workspace.');
    }
    if (mode !== 'task' && !request.agentic) complain('agentic', 'Only a task can do without tools.');
    const given = Object.entries(request).filter(([, value]) => value !== undefined);
    for (const [field] of given) {
      const modes = FIELDS_OF_MODES[field];
      if (modes && !modes.includes(mode)) {
        complain(field, `This is no setting of the mode "${mode}", but of "${modes.join('" and "')}".`);
      }
    }
  });

/** Fields that not every mode has. */
const FIELDS_OF_MODES: Readonly<Record<string, readonly RunMode[]>> = {
  workspace: ['task', 'session'],
  workspace_copy: ['task', 'session'],
  system: ['task'],
  tier: ['task'],
  max_iterations: ['task'],
  stall_guard: ['task'],
  nudge_plans: ['task'],
  checks: ['task'],
  max_attempts: ['task'],
  compact_at: ['task'],
  result_chars: ['task'],
  shell_timeout_secs: ['task', 'session'],
  blocked_patterns: ['task', 'session'],
  context_limit: ['session', 'explore'],
  turn_delay: ['session'],
  max_cycles: ['explore'],
  calls_per_cycle: ['explore'],
  cycle_line: ['explore'],
  diversity: ['explore'],
};

export type CreateRunRequest = z.input<typeof createRunRequest>;
/** A request that was checked, with its defaults. */
export type NewRun = z.output<typeof createRunRequest>;

/** Body of `POST /api/runs/{id}/approvals`: a person's decision about a call that waits for it. */
export const approvalRequest = z.discriminatedUnion('decision', [
  z.strictObject({ call_id: z.string().min(1).max(200), decision: z.literal('approved') }),
  z.strictObject({
    call_id: z.string().min(1).max(200),
    decision: z.literal('edited'),
    /** Run in place of the model's own; checked against the tool's schema. */
    arguments: z.record(z.string(), z.json()),
  }),
  z.strictObject({
    call_id: z.string().min(1).max(200),
    decision: z.literal('denied'),
    /** Told to the model. */
    reason: z.string().trim().max(4000).optional(),
  }),
]);

/** Body of `POST /api/runs/{id}/stop`: after the step in hand, or at once. */
export const stopRunRequest = z.strictObject({ force: z.boolean().default(false) });

/** Body of `POST /api/runs/{id}/messages`: what a person says to the run. */
export const messageRequest = z.strictObject({
  text: z.string().trim().min(1, 'Say something.').max(8000),
});
