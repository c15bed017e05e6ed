import { ModelError } from './model-error.ts';
import { callOllama, connectOllama } from './ollama-connection.ts';
import type { OllamaHost } from './ollama-host.ts';
import { pullLine } from './ollama-wire.ts';

/** A model of many gigabytes on a slow line takes long; a silent line is ended by Ollama itself. */
const PULL_TIMEOUT_MS = 24 * 3_600_000;

/** Ollama tells its progress many times a second, for hours: each line is bounded, their sum is not. */
const PULL_LIMITS = { maxLineBytes: 64 * 1024, maxResponseBytes: Number.POSITIVE_INFINITY };

/** How far a pull is: Ollama's words for the step, and the bytes of the part it is about. */
export interface PullProgress {
  step: string;
  /** The part that is being fetched, by its digest. */
  part?: string;
  completedBytes?: number;
  totalBytes?: number;
}

/**
 * Has Ollama fetch a model from its library. Closing the connection ends it; Ollama keeps what it has fetched, and a
 * later pull goes on from there.
 *
 * @throws {ModelError} with what to do: the name is unknown, the disk full, the network down, Ollama too old
 */
export async function pullModel(
  host: OllamaHost,
  model: string,
  options: { signal: AbortSignal; onProgress: (progress: PullProgress) => void },
): Promise<void> {
  const onTimeout = () =>
    new ModelError({ kind: 'timeout', message: `Ollama did not fetch "${model}" within a day.` });
  try {
    await callOllama(
      connectOllama(host, PULL_LIMITS),
      {
        signal: options.signal,
        timeoutMs: PULL_TIMEOUT_MS,
        onTimeout,
        asked: { model },
        streamed: true,
        isLast: (line) => line.status === 'success',
      },
      async ({ client }) => {
        for await (const line of await client.pull({ model, insecure: false, stream: true })) {
          const { status, digest, completed, total } = pullLine.parse(line);
          options.onProgress({
            step: status,
            part: digest,
            // Ollama leaves a count out while it is 0.
            completedBytes: total === undefined ? undefined : (completed ?? 0),
            totalBytes: total,
          });
        }
      },
    );
  } catch (error) {
    throw error instanceof ModelError && error.kind !== 'aborted' ? explained(error, model) : error;
  }
}

/** The same failure, with what a person can do about it. */
function explained(error: ModelError, model: string): ModelError {
  const say = (code: string, message: string, hint: string) =>
    new ModelError({ kind: error.kind, code, message, hint, status: error.status, cause: error });
  const text = error.message;
  if (/file does not exist|manifest unknown|not found|invalid model name/i.test(text)) {
    return say(
      'model_unknown',
      `Ollama's library has no "${model}".`,
      'Look the name up at https://ollama.com/library; a tag such as :8b belongs to it.',
    );
  }
  if (/no space left|disk quota|not enough (disk )?space/i.test(text)) {
    return say(
      'no_space',
      `There is no room for "${model}" where Ollama keeps its models.`,
      'Remove a model (ollama rm NAME), or choose a smaller one. What was fetched is kept.',
    );
  }
  if (/newer version of Ollama|requires (a )?newer/i.test(text)) {
    return say(
      'ollama_too_old',
      `"${model}" needs a newer Ollama than this one.`,
      'Update Ollama: https://ollama.com/download. Then fetch the model again.',
    );
  }
  if (/dial tcp|lookup |no such host|i\/o timeout|max retries|TLS|connection re(set|fused)|EOF/i.test(text)) {
    return say(
      'library_unreachable',
      `Ollama cannot reach its library: ${text}`,
      'Is this machine online? What was fetched is kept: fetching again goes on from there.',
    );
  }
  return error;
}
