import { z } from 'zod';
import {
  approvalChoice,
  blockedPattern,
  budget,
  check,
  diversitySettings,
  exploreSettings,
  runMode,
  sessionSettings,
  thinkSetting,
  tier,
} from '../events/config.ts';
import { DEFAULT_MODE, modeAndTools, modeFacts, modesWithSetting, TOOL_NAMES } from '../events/modes.ts';
import { namedOptionProblems } from './named-options.ts';

/**
 * Body of `POST /api/runs`. Missing fields get their defaults from `resolveConfig`. Unknown fields and fields of other
 * modes are rejected, so that a misspelt or misplaced option is never ignored.
 */
export const createRunRequest = z
  .strictObject({
    mode: runMode.default(DEFAULT_MODE),
    /** `false` requests one streamed answer without tools (T10). */
    agentic: z.boolean().default(true),
    /** A display name. */
    title: z.string().trim().min(1).max(200).optional(),
    /** In a session, the first message to the model, if any. */
    task: z.string().trim().max(200_000).default(''),
    model: z.string().trim().min(1, 'Choose a model.').max(300),
    /** Absolute path of an existing folder; by default a new folder in the data directory (K-33). */
    workspace: z.string().min(1).max(4096).optional(),
    /** Works on a copy of `workspace` in a new folder; the original is not changed. */
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
    /** Which calls need approval; none by default. */
    approval: z
      .strictObject({
        default: approvalChoice.default('auto'),
        // Rejects a rule for a misspelt tool.
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
  .refine(({ mode, task }) => modeFacts(mode).task !== 'required' || task !== '', {
    path: ['task'],
    message: 'Say what the agent should do.',
    // Run even if other fields are invalid, so that one response reports all problems.
    when: ({ value }) => typeof value === 'object' && value !== null && 'task' in value,
  })
  .superRefine((request, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const { mode } = request;
    if (modeFacts(mode).task === 'none' && request.task !== '') {
      complain('task', 'An exploration has no task.');
    }
    if (request.approval && !request.agentic) complain('approval', 'A single answer calls no tools.');
    if (request.workspace_copy && request.workspace === undefined) {
      complain('workspace_copy', 'Set workspace to the folder to copy.');
    }
    if (!request.agentic && mode !== modeAndTools('prompt').mode) {
      complain('agentic', 'Only a task can do without tools.');
    }
    for (const problem of namedOptionProblems(request)) complain('model_options', problem);
    const given = Object.entries(request).filter(([, value]) => value !== undefined);
    for (const [field] of given) {
      const modes = modesWithSetting(field);
      if (modes && !modes.includes(mode)) {
        complain(
          field,
          `This setting does not apply to the mode "${mode}", only to "${modes.join('" and "')}".`,
        );
      }
    }
  });

export type CreateRunRequest = z.input<typeof createRunRequest>;
/** A validated request, with its defaults. */
export type NewRun = z.output<typeof createRunRequest>;

/** Body of `POST /api/runs/{id}/approvals`: a person's decision on a call that awaits approval. */
export const approvalRequest = z.discriminatedUnion('decision', [
  z.strictObject({ call_id: z.string().min(1).max(200), decision: z.literal('approved') }),
  z.strictObject({
    call_id: z.string().min(1).max(200),
    decision: z.literal('edited'),
    /** Replace the model's arguments; validated against the tool's schema. */
    arguments: z.record(z.string(), z.json()),
  }),
  z.strictObject({
    call_id: z.string().min(1).max(200),
    decision: z.literal('denied'),
    /** Sent to the model. */
    reason: z.string().trim().max(4000).optional(),
  }),
]);

/** Body of `POST /api/runs/{id}/stop`: after the current step, or immediately with `force`. */
export const stopRunRequest = z.strictObject({ force: z.boolean().default(false) });

/** Body of `POST /api/runs/{id}/messages`. */
export const messageRequest = z.strictObject({
  text: z.string().trim().min(1, 'Enter a message.').max(8000),
});
