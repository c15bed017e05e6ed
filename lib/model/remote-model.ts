import { shortText } from '../util/short-text.ts';
import type { RemoteModel } from './chat-model.ts';
import { ModelError } from './model-error.ts';

const MAX_NAME_CHARS = 200;
const OLLAMA_CLOUD = 'ollama.com';

/**
 * Reads `remote_host` and `remote_model` of `/api/tags`, `/api/show` or a reply. Both are text of the model's author: the
 * host is reduced to the ASCII host name of its URL, and a name with other than printable ASCII characters is left out.
 *
 * Newer versions of Ollama send a model whose tag ends in `cloud` to ollama.com without having it in the store, so the name
 * decides as well.
 *
 * @returns `undefined` for a model that runs on the server itself
 */
export function readRemote(
  model: string,
  told: { remote_host?: string; remote_model?: string },
): RemoteModel | undefined {
  const { remote_host: url, remote_model: name } = told;
  if (url === undefined && name === undefined) {
    return isCloudName(model) ? { host: OLLAMA_CLOUD } : undefined;
  }
  const readable = name !== undefined && name.length <= MAX_NAME_CHARS && /^[\x21-\x7e]+$/.test(name);
  return { host: hostOf(url ?? ''), ...(readable && { model: name }) };
}

/** As Ollama reads a name (`internal/modelref/modelref.go`, `parseSourceSuffix`), with spaces around its last part. */
function isCloudName(model: string): boolean {
  const colon = model.lastIndexOf(':');
  const suffix = model
    .slice(colon + 1)
    .trim()
    .toLowerCase();
  return colon >= 0 && (suffix === 'cloud' || (suffix.endsWith('-cloud') && !suffix.includes('/')));
}

function hostOf(url: string): string {
  const host = URL.parse(url)?.host ?? '';
  return host === '' || host.length > 253 ? 'an unknown host' : host;
}

/** The error for a remote model if remote models are not allowed. */
export function remoteRefused(model: string, { host }: RemoteModel): ModelError {
  return new ModelError({
    kind: 'http',
    code: 'remote_model',
    message: `Model "${shortText(model, MAX_NAME_CHARS)}" runs at ${host}, not on this machine: the task, files and results would be sent there.`,
    hint: 'Choose a local model. To allow remote models, start Loupe with LOUPE_ALLOW_REMOTE_MODELS=1.',
    transient: false,
  });
}
