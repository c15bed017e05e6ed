import type { InstalledModel, ModelsReply } from '../../api/replies.ts';

/** Refresh interval of a model list that Ollama has not answered for. */
const UNKNOWN_MS = 2000;

/** Refresh interval of the model list in milliseconds: short while Ollama does not respond, otherwise the page's own. */
export function modelsRefresh(ms?: number): (last: ModelsReply | undefined) => number | undefined {
  return (last) => (last?.ollama === 'unknown' ? UNKNOWN_MS : ms);
}

/**
 * Models that call tools well and run on home computers, smallest first. Facts from the Ollama library, for people
 * without models.
 */
export const RECOMMENDED_MODELS: readonly { name: string; size: string; note: string }[] = [
  { name: 'qwen3:4b', size: '2.5 GB', note: 'Small and fast. Leaves room for other programs in 8 GB.' },
  { name: 'qwen3:8b', size: '5.2 GB', note: 'The usual choice: native tool calls, thinks on request.' },
  { name: 'gpt-oss:20b', size: '14 GB', note: 'Stronger plans and longer runs, if 16 GB are free.' },
];

/** Whether Ollama has said which models are installed: only then does an empty list mean that there are none. */
export function isListed(reply: ModelsReply | undefined): reply is ModelsReply {
  return reply?.ollama === 'ok';
}

/** The text of an empty model choice. @param models `undefined` until the server has listed them */
export function noModelsWords(models: readonly unknown[] | undefined): string {
  return models === undefined ? 'Models not loaded yet.' : 'No model is installed yet.';
}

/** Whether a model declares that it can call tools; `undefined` if it declares nothing. */
export function callsTools(model: InstalledModel): boolean | undefined {
  return model.capabilities?.includes('tools');
}

/**
 * Whether a run can be started with a model: not with one that lists no completion (it makes embeddings), nor with a remote
 * one that this Loupe refuses. A model that lists nothing is offered, unless its family makes embeddings only.
 */
export function canRun(model: InstalledModel): boolean {
  return obstacleOf(model) === undefined;
}

/** Why no run can be started with a model, in a sentence. */
export function whyNotOffered(model: InstalledModel): string | undefined {
  switch (obstacleOf(model)) {
    case 'embeddings':
      return 'It writes no replies, so no run can use it.';
    case 'remote':
      return `It runs at ${model.remote?.host}, and would send everything there. Loupe offers it when started with LOUPE_ALLOW_REMOTE_MODELS=1.`;
    default:
      return undefined;
  }
}

/** Families of models that only make embeddings, for servers that do not list capabilities (before Ollama 0.6.4). */
const EMBEDDING_FAMILY = /bert|embedding|t5encoder/i;

type Obstacle = 'embeddings' | 'remote';

function obstacleOf({ capabilities, family = '', remote }: InstalledModel): Obstacle | undefined {
  const writes = capabilities?.includes('completion') ?? !EMBEDDING_FAMILY.test(family);
  if (!writes) return 'embeddings';
  return remote?.allowed === false ? 'remote' : undefined;
}

const OBSTACLE_WORDS: Record<Obstacle, string> = {
  embeddings: 'makes embeddings only',
  remote: 'runs on another machine',
};
const NAMED_MODELS = 3;

/** Which installed models are not offered, and why, in a line; `undefined` if all are. */
export function notOfferedWords(models: readonly InstalledModel[]): string | undefined {
  const hidden = models.flatMap((model) => {
    const obstacle = obstacleOf(model);
    return obstacle === undefined ? [] : [`${model.name} (${OBSTACLE_WORDS[obstacle]})`];
  });
  if (hidden.length === 0) return undefined;
  const more = hidden.length - NAMED_MODELS;
  const named = hidden.slice(0, NAMED_MODELS).join(', ');
  return `Not offered: ${named}${more > 0 ? `, and ${more} more` : ''}.`;
}

/** Whether an exploration can compare its reflections with a model. */
export function canEmbed({ capabilities, remote }: InstalledModel): boolean {
  return remote?.allowed !== false && capabilities?.includes('embedding') === true;
}

/** Models to choose from: real ones before demo ones, those that call tools first, then by name. */
export function sortedModels(models: readonly InstalledModel[]): InstalledModel[] {
  const rank = (model: InstalledModel) =>
    (model.demo ? 4 : 0) + (callsTools(model) === false ? 2 : 0) + (model.loaded ? 0 : 1);
  return [...models].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/**
 * The preselected model: the last one used if it is still offered; otherwise the one whose check shows best that it calls
 * tools; otherwise the first that lists tools; otherwise the first of the list.
 */
export function preferredModel(models: readonly InstalledModel[], last: string | undefined): string {
  const able = sortedModels(models.filter(canRun));
  if (last !== undefined && able.some((model) => model.name === last)) return last;
  const best = able.reduce<InstalledModel | undefined>(
    (before, model) => (checkScore(model) > (before ? checkScore(before) : 0) ? model : before),
    undefined,
  );
  return (best ?? able.find((model) => !model.demo && callsTools(model)) ?? able[0])?.name ?? '';
}

/**
 * How many probes of the check of this very model passed. A model that made no call, or passed less than half of the
 * probes, counts as unchecked: 0.
 */
function checkScore({ check }: InstalledModel): number {
  if (!check || check.outdated !== undefined || check.calls === 0) return 0;
  return check.passed * 2 > check.passed + check.failed + check.unknown ? check.passed : 0;
}

/** A one-sentence description of a demo model. */
export function demoWords(name: string): string {
  switch (name.replace(/:latest$/, '')) {
    case 'loupe-demo':
      return 'A tour: native, JSON and XML calls, a nudge, an answer.';
    case 'loupe-demo-loop':
      return 'Makes the same call again and again, until it is stopped.';
    case 'loupe-demo-stall':
      return 'Looks at the same things over and over and writes nothing.';
    case 'loupe-demo-trouble':
      return 'A busy server, a broken connection, an unreadable call.';
    default:
      return 'Plays a fixed script with real tools.';
  }
}

/** Whether a run was played by the demo: it is labeled wherever it is shown. */
export function isDemoRun(model: string): boolean {
  return /^loupe-demo(-[a-z]+)?(:latest)?$/.test(model);
}
