import { z } from 'zod';
import { FETCH_TOOL, isAddedTool, OPTIONAL_TOOLS } from '../events/added-tools.ts';
import { approvalScope } from '../events/approval.ts';
import { APPROVAL_CHOICES } from '../events/approval-choices.ts';
import { optionalSettings, runMode } from '../events/config.ts';
import { DISTRACTOR_NAMES } from '../events/distractor-names.ts';
import {
  MAX_CALLS_PER_REPLY,
  MAX_MESSAGE_CHARS,
  MAX_MODEL_NAME_CHARS,
  MAX_PATH_CHARS,
  MAX_TASK_CHARS,
  MAX_TITLE_CHARS,
} from '../events/limits.ts';
import { allToolsOf, isAllOfServer, MAX_TOOL_NAME_CHARS, serverAndTool } from '../events/mcp-names.ts';
import {
  DEFAULT_MODE,
  modeAndTools,
  modeFacts,
  modeNames,
  type RunMode,
  TOOL_NAMES,
} from '../events/modes.ts';
import { KEEP_ALIVE_FORM } from '../events/setting-values.ts';
import { modesWithSetting, SETTING_NAMES } from '../events/settings.ts';
import { keepAliveMs } from '../model/keep-alive.ts';
import { IN_WORDS } from '../util/schema-problems.ts';
import { checkProblems, schemaProblem } from './check-problems.ts';
import { attachedImages } from './image.ts';
import { modelOptionProblems } from './named-options.ts';
import { toolsProblem } from './tools.ts';
import { refusedFields } from './unused-fields.ts';

const approvalChoice = z.enum(APPROVAL_CHOICES);

/** A built-in tool, or one of an MCP server. */
const ruledTool = z
  .string()
  .max(MAX_TOOL_NAME_CHARS)
  .refine(
    (name) => TOOL_NAMES.some((known) => known === name) || (isAddedTool(name) && !isAllOfServer(name)),
    `This is not the name of a tool. The built-in tools are ${[...TOOL_NAMES, ...OPTIONAL_TOOLS].join(', ')}.`,
  );

/** A missing task is reported only if the mode is valid: the mode decides whether one is required. */
const modeAndTask = z.object({ mode: runMode, task: z.string() });

/** The fields of a request for a run. Unknown ones are rejected, so that a misspelled option is never ignored. */
export const runFields = z.strictObject({
  mode: runMode.default(DEFAULT_MODE),
  /** `false` requests one streamed answer without tools (T10). */
  agentic: z.boolean().default(true),
  /** A display name. */
  title: z.string().trim().min(1).max(MAX_TITLE_CHARS).optional(),
  /** In a session, the first message to the model, if any. */
  task: z.string().trim().max(MAX_TASK_CHARS).default(''),
  /** Images attached to the task. */
  images: attachedImages.optional(),
  model: z.string().trim().min(1, 'Choose a model.').max(MAX_MODEL_NAME_CHARS),
  /** Absolute path of an existing folder; by default a new folder in the data directory (K-33). */
  workspace: z.string().min(1).max(MAX_PATH_CHARS).optional(),
  /** Works on a copy of `workspace` in a new folder; the original is not changed. */
  workspace_copy: z.boolean().optional(),
  ...optionalSettings(SETTING_NAMES),
  /** Which calls need approval; none by default. */
  approval: z
    .strictObject({
      default: approvalChoice.default('auto'),
      // Rejects a rule for a misspelled tool.
      tools: z.record(ruledTool, approvalChoice).optional(),
    })
    .optional(),
});

/**
 * Body of `POST /api/runs`. Missing fields get their defaults from `resolveConfig`. Unknown fields and fields of other
 * modes are rejected.
 */
export const createRunRequest = runFields
  .refine(({ mode, task }) => modeFacts(mode).task !== 'required' || task !== '', {
    path: ['task'],
    message: 'Say what the agent should do.',
    // Run even if other fields are invalid, so that one response reports all problems.
    when: ({ value }) => modeAndTask.safeParse(value).success,
  })
  .superRefine((request, context) => {
    for (const [field, message] of contradictions(request, { isComplete: true })) {
      context.addIssue({ code: 'custom', path: [field], message });
    }
  });

/**
 * Fields that contradict each other, do not belong to the mode, or have no effect, with what is wrong.
 *
 * @param options.isComplete whether nothing else is added to the request
 */
export function contradictions(
  request: Partial<z.output<typeof runFields>>,
  options: { isComplete: boolean },
): [string, string][] {
  const problems: [string, string][] = [];
  const complain = (field: string, message: string) => problems.push([field, message]);
  const { mode = DEFAULT_MODE, agentic = true } = request;
  if (modeFacts(mode).task === 'none' && request.task) {
    complain('task', 'An exploration has no task. Leave it out, or set mode to "task".');
  }
  if (request.images?.length) {
    if (modeFacts(mode).task === 'none') complain('images', 'An exploration takes no images.');
    else if (!request.task) complain('images', 'Say in the task what the images are for.');
  }
  if (agentic) for (const [field, message] of toolProblems(mode, request)) complain(field, message);
  if (request.workspace_copy && request.workspace === undefined) {
    complain('workspace_copy', 'Set workspace to the folder to copy.');
  }
  if (!agentic && mode !== modeAndTools('prompt').mode) {
    complain('agentic', 'Only a task can run without tools.');
  }
  if (mode === 'session' && request.unattended && !request.autopilot && !request.task) {
    complain(
      'unattended',
      'The session would end at once. Set task to a first message, or turn autopilot on.',
    );
  }
  if (request.keep_alive !== undefined && keepAliveMs(request.keep_alive) === undefined)
    complain('keep_alive', KEEP_ALIVE_FORM);
  for (const problem of modelOptionProblems(request)) complain('model_options', problem);
  const checkable = [
    ...modeFacts(mode).tools,
    ...(request.tools ?? []).filter(isAddedTool),
    ...DISTRACTOR_NAMES.slice(0, request.distractor_tools ?? 0),
  ];
  for (const problem of checkProblems(request.checks ?? [], checkable)) complain('checks', problem);
  const badSchema = request.answer_schema && schemaProblem(request.answer_schema);
  if (badSchema) complain('answer_schema', badSchema);
  for (const [field, message] of operatorProblems(request)) complain(field, message);
  for (const [field, message] of refusedFields(request, options)) complain(field, message);
  const given = Object.entries(request).filter(([, value]) => value !== undefined);
  for (const [field] of given) {
    const modes = modesWithField(field);
    if (modes && !modes.includes(mode)) {
      complain(
        field,
        `This setting does not apply to the mode "${mode}", only to "${modes.join('" and "')}".`,
      );
    }
  }
  return problems;
}

/** Problems of the tools and of what depends on them. */
function toolProblems(
  mode: RunMode,
  { tools, approval, fetch_hosts: hosts = [] }: Partial<z.output<typeof runFields>>,
): [string, string][] {
  const problems: [string, string][] = [];
  const unknown = tools && toolsProblem(mode, tools);
  if (unknown) problems.push(['tools', unknown]);
  const unruled = Object.keys(approval?.tools ?? {}).find((name) => !isChosen(name, tools));
  if (unruled !== undefined)
    problems.push(['approval', `The rule for ${unruled} has no effect: "tools" does not name it.`]);
  const fetches = tools?.includes(FETCH_TOOL) ?? false;
  if (fetches && hosts.length === 0)
    problems.push(['fetch_hosts', 'List the hosts that fetch_url may contact.']);
  if (hosts.length > 0 && !fetches)
    problems.push(['fetch_hosts', 'These hosts have no effect: "tools" does not name fetch_url.']);
  return problems;
}

type OperatorSettings = Partial<
  Pick<z.output<typeof runFields>, 'operator_policy' | 'operator_replies' | 'operator_model'>
>;

/** The missing fields of an operator policy. */
export function operatorProblems({
  operator_policy: policy,
  operator_replies: replies,
  operator_model: model,
}: OperatorSettings): [string, string][] {
  if ((policy === 'fixed' || policy === 'list') && replies === undefined) {
    return [['operator_replies', `The policy "${policy}" needs at least one reply.`]];
  }
  if (policy === 'model' && model === undefined) {
    return [['operator_model', 'The policy "model" needs the model that replies.']];
  }
  return [];
}

/** Whether a rule has an effect: an added tool, or all of its server, is chosen. */
function isChosen(name: string, tools: readonly string[] = []): boolean {
  if (!isAddedTool(name) || tools.includes(name)) return true;
  const server = serverAndTool(name)?.server;
  return server !== undefined && tools.includes(allToolsOf(server));
}

/** The modes that have a field; `undefined` if all do. */
function modesWithField(field: string): readonly RunMode[] | undefined {
  const isFolder = field === 'workspace' || field === 'workspace_copy';
  return isFolder ? modeNames.filter((mode) => modeFacts(mode).usesFiles) : modesWithSetting(field);
}

export type CreateRunRequest = z.input<typeof createRunRequest>;
/** A validated request, with its defaults. */
export type NewRun = z.output<typeof createRunRequest>;

const approvalRequest = z.discriminatedUnion('decision', [
  z.strictObject({
    call_id: z.string().min(1).max(200),
    decision: z.literal('approved'),
    scope: approvalScope.optional(),
  }),
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

const singleApproval = approvalRequest.transform((decision) => ({ decisions: [decision] }));

const severalApprovals = z.strictObject({
  decisions: z
    .array(approvalRequest)
    .min(1)
    .max(MAX_CALLS_PER_REPLY)
    .refine(
      (decisions) => new Set(decisions.map(({ call_id }) => call_id)).size === decisions.length,
      'Each call can be decided once.',
    ),
});

/**
 * Body of `POST /api/runs/{id}/approvals`: a person's decision on a call that awaits approval, or `decisions` on several
 * calls of the run, which are made together or not at all.
 */
export const approvalsRequest = z.unknown().transform((body, context) => {
  const areSeveral = typeof body === 'object' && body !== null && 'decisions' in body;
  const read = (areSeveral ? severalApprovals : singleApproval).safeParse(body, IN_WORDS);
  if (read.success) return read.data;
  for (const issue of read.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
});

/** Body of `POST /api/runs/{id}/stop`: after the current step, or immediately with `force`. */
export const stopRunRequest = z.strictObject({ force: z.boolean().default(false) });

/** Body of `POST /api/runs/{id}/autopilot`. */
export const autopilotRequest = z.strictObject({ on: z.boolean() });

/** Body of `POST /api/runs/{id}/messages`. */
export const messageRequest = z.strictObject({
  text: z.string().trim().min(1, 'Enter a message.').max(MAX_MESSAGE_CHARS),
  images: attachedImages.optional(),
});
